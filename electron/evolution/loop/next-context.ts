import type { ContextRecord, ReviewRecord, SummaryRecord, WordingRecord } from '../../contract/index.ts';
import {
  summarizeBatch,
  updateContext,
  wordMerge,
  wordSummaries,
  WordingBudget,
  type LineGuard,
  type LineWriter,
  type SupervisedItem,
} from '../../supervision/index.ts';
import { contextItem, type AnyStage, type CountedBatch } from './framework.ts';
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
  batches: readonly CountedBatch[];
  /** Everything of the step that could be reviewed, with its golds. */
  items: () => readonly SupervisedItem[];
  reviews: readonly ReviewRecord[];
  /** Whether the verifier passed a rollout, or the user who rated it was satisfied. */
  passed: (rolloutId: string) => boolean;
  /** Whether an earlier step left the context as it was. */
  isFrozen: (step: number) => boolean;
};

/** Reviews become summaries (ANCHOR Eq. 6), summaries become C_{t+1} (Eq. 7), each by rule or by the supervisor's model. */
export async function nextContextOf(
  run: RunState,
  env: StepContext,
  { stage, batches, items, reviews, passed, isFrozen }: ReviewedStep,
): Promise<ReviewOutcome> {
  const { config, step, context } = run;
  const { supervision, seed } = config;
  const scope = supervision.summaryScope;
  const summaries =
    env.reviewer === null
      ? []
      : batches.map(({ batch }) => summarizeBatch({ step, batch, scope, reviews, passed }));
  if (stage.freezesContext === true)
    return { summaries, wordings: [], nextContext: { ...context, step: step + 1, removed: [] } };
  const writer = env.writer ?? null;
  const wordings: WordingRecord[] = [];
  const guard = env.reviewer === null ? NOTHING_TO_GUARD : guardOf(items());
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
          batches,
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
    requests: guard.requests,
    ...(writer !== null && budget !== null && supervision.merge === 'model'
      ? { chooseLines: mergeBy(writer, budget) }
      : {}),
    frozenSince: (last) => {
      let frozen = 0;
      for (let at = last + 1; at <= step; at += 1) frozen += Number(isFrozen(at));
      return frozen;
    },
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
function guardOf(items: readonly SupervisedItem[]): LineGuard {
  return {
    golds: items.flatMap(({ golds = [] }) => golds),
    requests: [...new Set(items.flatMap(({ item }) => item.task?.request ?? []))],
  };
}
