import type {
  BatchStatistics,
  ContextRecord,
  ReviewRecord,
  SummaryRecord,
  WordingRecord,
} from '../../contract/index.ts';
import {
  summarizeBatch,
  updateContext,
  wordMerge,
  wordSummaries,
  WordingBudget,
  type LineGuard,
  type LineWriter,
} from '../../supervision/index.ts';
import { contextItem, type AnyStage, type ScoredRollout } from './framework.ts';
import type { RunState, StepContext } from './run-state.ts';

/** What a step's reviews become. */
export type ReviewOutcome = {
  summaries: SummaryRecord[];
  wordings: WordingRecord[];
  nextContext: ContextRecord;
};

type ReviewedStep = {
  stage: AnyStage;
  /** Batches in the framework's order, with what was counted of each. */
  batches: readonly { scored: readonly ScoredRollout[]; statistics: BatchStatistics }[];
  reviews: readonly ReviewRecord[];
  /** Whether the verifier passed a rollout. */
  passed: (rolloutId: string) => boolean;
};

/** Reviews become summaries (ANCHOR Eq. 6), summaries become C_{t+1} (Eq. 7), each by rule or by the supervisor's model. */
export async function nextContextOf(
  run: RunState,
  env: StepContext,
  { stage, batches, reviews, passed }: ReviewedStep,
): Promise<ReviewOutcome> {
  const { config, step, context } = run;
  const { supervision, seed } = config;
  const scope = supervision.summaryScope;
  const names = batches.map(({ scored, statistics }) => {
    const { batch, role } = (scored[0] as ScoredRollout).request;
    return { batch, role, statistics };
  });
  const summaries =
    env.reviewer === null
      ? []
      : names.map(({ batch }) => summarizeBatch({ step, batch, scope, reviews, passed }));
  const writer = env.writer ?? null;
  const wordings: WordingRecord[] = [];
  const guard =
    writer === null
      ? NOTHING_TO_GUARD
      : guardOf(
          stage,
          batches.flatMap(({ scored }) => scored),
        );
  const budget = writer === null ? null : new WordingBudget(writer);
  if (writer !== null && budget !== null && supervision.summary === 'model')
    wordings.push(
      ...(await wordSummaries(
        writer,
        budget,
        {
          step,
          seed,
          minimumSupport: supervision.minimumSupport,
          scope,
          batches: names,
          reviews,
          passed,
          guard,
        },
        env.signal,
        (done, total) => env.onProgress('summaries', done, total),
      )),
    );
  const mergeBy =
    (model: LineWriter, time: WordingBudget): Parameters<typeof updateContext>[0]['chooseLines'] =>
    async (lines, room) => {
      env.onProgress('merge', 0, 1);
      const merged = await wordMerge(model, time, { step, seed, lines, room, guard }, env.signal);
      if (merged !== null) wordings.push(merged.record);
      return merged;
    };
  const nextContext = await updateContext({
    context,
    summaries,
    wordings: [...wordings],
    ...(writer !== null && budget !== null && supervision.merge === 'model'
      ? { chooseLines: mergeBy(writer, budget) }
      : {}),
    config: supervision,
    vocabulary: env.guidance,
    pack: env.pack,
    countTokens: async (text) =>
      (await env.weights(stage.generates).countTokens([contextItem(env.pack, text)]))[0] ?? 0,
  });
  return { summaries, wordings, nextContext };
}

const NOTHING_TO_GUARD: LineGuard = { golds: [], requests: [] };

/** Every hidden answer of the step's items and what people asked for in them. */
function guardOf(stage: AnyStage, scored: readonly ScoredRollout[]): LineGuard {
  const items = scored.flatMap((one) => stage.reviewItems(one));
  return {
    golds: items.flatMap(({ golds = [] }) => golds),
    requests: [...new Set(items.flatMap(({ item }) => item.task?.request ?? []))],
  };
}
