import { Failure, type RunConfig } from '../contract/index.ts';
import { loadPromptPack } from '../library/index.ts';
import { llamaReviewer, rubricReviewer, type Reviewer } from '../supervision/index.ts';
import { resolveModel } from './models.ts';
import type { RunWorld } from './run-loop.ts';

/** The supervisor a run asks for; none when no phase is ever reviewed, so that such a run is exactly an unsupervised one. */
export async function makeReviewer(world: RunWorld, config: RunConfig): Promise<{ reviewer: Reviewer | null; supervisorSha256: string | null }> {
  const { supervision, policy } = config;
  if (Object.values(supervision.phases).every((probability) => probability === 0)) return { reviewer: null, supervisorSha256: null };
  const pack = loadPromptPack(world.resources.prompts(policy.promptPack), policy.promptPack);
  switch (supervision.reviewer) {
    case 'rubric':
      return { reviewer: rubricReviewer(pack), supervisorSha256: null };
    case 'llama': {
      const model = await resolveModel(world.store, world.resources, supervision.model, 'supervisor', world.clock.now());
      const client = await world.children.supervisor(model.path, supervision.threads);
      return { reviewer: llamaReviewer(client, { pack, model: model.name, timeoutSeconds: supervision.reviewTimeoutSeconds }), supervisorSha256: model.sha256 };
    }
    case 'human':
    case 'scripted':
      throw new Failure('reviewerUnavailable', `The reviewer "${supervision.reviewer}" cannot be started from here; choose "llama" or "rubric".`, 2);
  }
}
