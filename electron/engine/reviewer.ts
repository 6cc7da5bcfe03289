import { Failure, type RunConfig } from '../contract/index.ts';
import { loadPromptPack, type PromptPack } from '../library/index.ts';
import { llamaReviewer, rubricReviewer, type Reviewer } from '../supervision/index.ts';
import { resolveModel } from './models.ts';
import type { RunWorld } from './world.ts';

/** The longest compact record is below 700 tokens; a full one with a long task and answer stays below 8,000. */
const COMPACT_CONTEXT_TOKENS = 1024;
const FULL_CONTEXT_TOKENS = 8192;

/** The supervisor a run asks for; none when no phase is ever reviewed, so that such a run is exactly an unsupervised one. */
export async function makeReviewer(world: RunWorld, config: RunConfig): Promise<{ reviewer: Reviewer | null; supervisorSha256: string | null }> {
  const { supervision, policy } = config;
  if (Object.values(supervision.phases).every((probability) => probability === 0)) return { reviewer: null, supervisorSha256: null };
  const packOf = (name: RunConfig['policy']['promptPack']): PromptPack => loadPromptPack(world.resources.prompts(name), name);
  switch (supervision.reviewer) {
    case 'rubric':
      return { reviewer: rubricReviewer(packOf(policy.promptPack)), supervisorSha256: null };
    case 'llama': {
      const model = await resolveModel(world.store, world.resources, supervision.model, 'supervisor', world.clock.now());
      // The embedded supervisor knows the short records it was trained on; any other judge gets the full instructions.
      const pack = packOf(model.embedded ? 'compact' : 'full');
      const client = await world.children.supervisor(model.path, supervision.threads, model.embedded ? COMPACT_CONTEXT_TOKENS : FULL_CONTEXT_TOKENS);
      return { reviewer: llamaReviewer(client, { pack, model: model.name, timeoutSeconds: supervision.reviewTimeoutSeconds }), supervisorSha256: model.sha256 };
    }
    case 'human':
    case 'scripted':
      throw new Failure('reviewerUnavailable', `The reviewer "${supervision.reviewer}" cannot be started from here; choose "llama" or "rubric".`, 2);
  }
}
