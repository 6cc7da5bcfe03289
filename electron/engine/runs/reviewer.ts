import type { RunConfig } from '../../contract/index.ts';
import { loadPromptPack } from '../../library/index.ts';
import { reviewerMaker, type Reviewer } from '../../supervision/index.ts';
import { resolveModel } from '../../models/index.ts';
import type { Services } from '../services.ts';

/** The supervisor a run asks for; none when no phase is ever reviewed, so that such a run is exactly an unsupervised one. */
export async function makeReviewer(
  services: Services,
  config: RunConfig,
): Promise<{ reviewer: Reviewer | null; supervisorSha256: string | null }> {
  if (Object.values(config.supervision.phases).every((probability) => probability === 0))
    return { reviewer: null, supervisorSha256: null };
  const { reviewer, sha256 } = await reviewerMaker(config.supervision.reviewer).make(config, {
    pack: (name) => loadPromptPack(services.resources.prompts(name), name),
    findModel: (reference) =>
      resolveModel(services.store, services.resources, reference, 'supervisor', services.clock.now()),
    openModel: (path, computing, contextTokens) =>
      services.children.supervisor(path, computing, contextTokens),
  });
  return { reviewer, supervisorSha256: sha256 };
}
