import { isWordedByModel, type RunConfig } from '../contract/index.ts';
import { loadGuidance, loadPromptPack, type ResourcePaths } from '../library/index.ts';
import {
  contextTokensOf,
  JUDGE_PATIENCE,
  reviewerMaker,
  reviewModeOf,
  reviewPackOf,
  subjectsOf,
  type LineWriter,
  type Reviewer,
  type ReviewerTools,
} from '../supervision/index.ts';
import { resolveModel } from '../models/index.ts';
import type { Lab } from '../store/index.ts';
import type { Clock } from '../core/index.ts';

/** What a supervisor is made with; the engine provides it. */
export type SupervisorServices = {
  store: Lab;
  resources: ResourcePaths;
  clock: Clock;
  children: { supervisor: ReviewerTools['openModel'] };
};

export const reviewerTools = ({ store, resources, clock, children }: SupervisorServices): ReviewerTools => ({
  pack: (name) => loadPromptPack(resources.prompts(name), name),
  findModel: (reference) => resolveModel(store, resources, reference, 'supervisor', clock.now()),
  openModel: (path, computing, contextTokens) => children.supervisor(path, computing, contextTokens),
  recordedRun: (id) => {
    const run = store.getRun(id);
    return run === null
      ? null
      : {
          id,
          seed: run.config.seed,
          phases: run.config.supervision.phases,
          committedSteps: run.committedSteps,
          reviewOf: (step, reviewId) => {
            const review = store.getReview(id, reviewId);
            return review?.step === step ? review : null;
          },
          stepHash: (step) => store.getStep(id, step)?.stepHash ?? '',
        };
  },
});

/** Who supervises a run. */
export type Supervisor = {
  /** None when no phase is ever reviewed, so that such a run is exactly an unsupervised one. */
  reviewer: Reviewer | null;
  /** The model that words summaries and contexts; none where both are made by rule. */
  writer: LineWriter | null;
  supervisorSha256: string | null;
};

/** The supervisor a run asks for. */
export async function makeSupervisor(services: SupervisorServices, config: RunConfig): Promise<Supervisor> {
  const { supervision } = config;
  if (Object.values(supervision.phases).every((probability) => probability === 0))
    return { reviewer: null, writer: null, supervisorSha256: null };
  const tools = reviewerTools(services);
  const { reviewer, sha256 } = await reviewerMaker(supervision.reviewer).make(config, tools);
  const writer = isWordedByModel(supervision) ? await makeWriter(services, config, tools) : null;
  return { reviewer, writer, supervisorSha256: sha256 };
}

/** The supervisor's model as it words lines. The embedded one has weights of their own for that, so that its reviews stay what they were. */
async function makeWriter(
  { clock, resources }: Pick<SupervisorServices, 'clock' | 'resources'>,
  { supervision }: RunConfig,
  tools: ReviewerTools,
): Promise<LineWriter> {
  const model = await tools.findModel(supervision.model);
  const mode = reviewModeOf(model);
  const { path, sha256 } = model.embedded ? await tools.findModel(resources.embeddedWriter) : model;
  return {
    port: await tools.openModel(path, supervision, contextTokensOf(mode, supervision)),
    // Its records are part of the step hash, and so is which weights wrote them.
    model: model.embedded ? `embedded-writer ${sha256.slice(0, 12)}` : model.name,
    pack: tools.pack(reviewPackOf(mode)),
    prompts: supervision.wordingPrompts ?? { summary: '', merge: '' },
    subjects: model.embedded ? subjectsOf(loadGuidance(resources.prompts('compact'))) : null,
    timeoutSeconds: supervision.reviewTimeoutSeconds,
    // The embedded writer answers in milliseconds by itself.
    beside: mode === 'closed' ? null : { patience: JUDGE_PATIENCE },
    budgetSeconds: supervision.budgetSeconds,
    clock,
  };
}
