import { llamaReviewer } from './reviewer.ts';
import { NO_SETTINGS, type ReviewerMaker } from '../reviewer.ts';

/** The longest compact record is below 700 tokens; a full one with a long task and answer stays below 8,000. */
const COMPACT_CONTEXT_TOKENS = 1024;
const FULL_CONTEXT_TOKENS = 8192;

/** Any GGUF model, in a process of its own. */
export const llama: ReviewerMaker = {
  kind: 'llama',
  startable: true,
  usesModel: true,
  settings: NO_SETTINGS,
  async make({ supervision }, { pack, findModel, openModel }) {
    const model = await findModel(supervision.model);
    const client = await openModel(
      model.path,
      supervision,
      model.embedded ? COMPACT_CONTEXT_TOKENS : FULL_CONTEXT_TOKENS,
    );
    // The embedded supervisor knows the short records it was trained on; any other judge gets the full instructions.
    const options = {
      pack: pack(model.embedded ? 'compact' : 'full'),
      model: model.name,
      timeoutSeconds: supervision.reviewTimeoutSeconds,
    };
    return { reviewer: llamaReviewer(client, options), sha256: model.sha256 };
  },
};
