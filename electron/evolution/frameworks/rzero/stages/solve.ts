import { Failure, type RzeroConfig, type TaskRecord } from '../../../../contract/index.ts';
import {
  groupNormalized,
  rolloutSeed,
  sampleWithoutReplacement,
  uniformIndex,
} from '../../../../core/index.ts';
import type { PromptPack } from '../../../../library/index.ts';
import type { RolloutRequest, Stage } from '../../../loop/framework.ts';
import { batchStatistics } from '../../../loop/supervision.ts';
import { parseSolution, type ParsedSolution } from '../parsing.ts';
import { solvePrompt } from '../prompts.ts';
import { itemsOfAnswer, meanOf } from '../review.ts';
import { solveReward } from '../rewards.ts';
import { placeOf } from '../schedule.ts';
import { keptOf, labelOf, questionOf, type KeptSet, type RzeroState } from '../state.ts';
import { sameAnswer, verdictOf, type RzeroRun } from '../voting.ts';

/** The stage's own batch; answers that a user rates have others. */
const BATCH = 'answer';

type AnswerDetail = { task: TaskRecord; isFirst: boolean };
type AnswerFound = { parsed: ParsedSolution };

/** What the iteration's solver trains on. @throws Failure `nothingToLearn` where it is less than one batch. */
function requireKept({ config: { framework }, state, step }: RzeroRun): KeptSet {
  const needed = framework.solve.prompts;
  const kept = keptOf(state, framework.label, needed);
  if (kept.tasks.length >= needed) return kept;
  const [low, high] = kept.window.map((end) => end.toFixed(2));
  throw new Failure(
    'nothingToLearn',
    `Only ${kept.tasks.length} of the ${state.posed.length} questions of iteration ${placeOf(framework, step).iteration} are kept (those with an agreement of ${low} to ${high}), fewer than the ${needed} that a step of the solver takes; in a new run, raise framework.pose.questions, widen framework.label.window or allow it to with framework.label.widenTimes, or lower framework.solve.prompts.`,
  );
}

/** The questions of a step, of an endless sequence of passes over what was kept, each in another order. */
function questionsOfStep({ config, step }: RzeroRun, kept: readonly TaskRecord[]): TaskRecord[] {
  const { framework, seed } = config;
  const { iteration, stageStep } = placeOf(framework, step);
  const { prompts } = framework.solve;
  const orders = new Map<number, TaskRecord[]>();
  return Array.from({ length: prompts }, (_, index) => {
    const place = (stageStep - 1) * prompts + index;
    const pass = Math.floor(place / kept.length);
    const order =
      orders.get(pass) ?? sampleWithoutReplacement(kept, kept.length, seed, 'kept', iteration, pass);
    orders.set(pass, order);
    return order[place % kept.length] as TaskRecord;
  });
}

function answerRequest(
  run: RzeroRun,
  pack: PromptPack,
  task: TaskRecord,
  index: number,
): RolloutRequest<AnswerDetail> {
  const { samples } = run.config.framework.solve;
  const id = `${run.step}/${BATCH}/${index}`;
  return {
    id,
    batch: BATCH,
    index,
    purpose: 'solve',
    role: 'solver',
    taskType: 'question',
    taskId: task.id,
    prompt: solvePrompt(pack, questionOf(task), run.context.text),
    seed: rolloutSeed(run.config.seed, run.step, BATCH, index),
    attempt: 1,
    // By place: a question may come again in the next pass of the same step.
    group: `${run.step}/${BATCH}/g${Math.floor(index / samples)}`,
    detail: { task, isFirst: index % samples === 0 },
  };
}

/** S: the solver is trained towards what most of its answers said before, on the questions on which they were split. */
export const solveStage = (
  solver: string,
): Stage<RzeroConfig, RzeroState, AnswerDetail, AnswerFound, KeptSet> => ({
  name: 'solve',
  generates: solver,
  trains: solver,

  batchSizes: ({ framework: { solve } }) => [
    {
      batch: BATCH,
      purpose: 'solve',
      role: 'solver',
      taskType: 'question',
      size: solve.prompts * solve.samples,
      measurements: 0,
    },
  ],

  requests(run, { pack }) {
    const { samples } = run.config.framework.solve;
    return questionsOfStep(run, requireKept(run).tasks).flatMap((task, place) =>
      Array.from({ length: samples }, (_, sample) =>
        answerRequest(run, pack, task, place * samples + sample),
      ),
    );
  },

  // The samples of a question are redrawn alike, so that they stay one group.
  resample(run, { pack }, { index }, { number }) {
    const { tasks } = requireKept(run);
    const group = Math.floor(index / run.config.framework.solve.samples);
    const place = uniformIndex(tasks.length, run.config.seed, 'kept', run.step, 'redraw', group, number);
    return answerRequest(run, pack, tasks[place] as TaskRecord, index);
  },

  async score(run, env, request, rollout) {
    const parsed = parseSolution(rollout.text);
    const { plan, thought, answer } = parsed;
    const label = labelOf(request.detail.task);
    const agrees = answer !== null && (await sameAnswer(env, run.config.framework)(label, answer));
    return {
      request,
      rollout,
      response: { plan, planSource: null, thought, answer, formatOk: answer !== null },
      verdict: verdictOf(agrees, answer),
      taskId: request.taskId,
      found: { parsed },
    };
  },

  measure: async (run) => ({ records: [], values: requireKept(run) }),

  rewards: ({ config: { framework } }, scored) =>
    scored.map(({ verdict: { outcome }, rollout: { text } }) =>
      solveReward({ agrees: outcome === 'passed', text }, framework),
    ),

  advantages: ({ framework: { advantages, deviationFloor } }) =>
    groupNormalized({ floor: advantages === 'floored' ? deviationFloor : 0, scope: 'group' }),

  reviewItems: (scored) => {
    const { task, isFirst } = scored.request.detail;
    return itemsOfAnswer(scored, task, scored.found.parsed, isFirst);
  },

  statistics: (_config, batch) => ({
    ...batchStatistics(batch),
    agreement: {
      abstained: batch.filter(({ found: { parsed } }) => parsed.answer === null).length / batch.length,
      allAlike: shareAllAlike(
        batch.map(({ request: { group }, verdict: { accuracy } }) => ({ group: group ?? '', accuracy })),
      ),
      cutOff: batch.filter(({ rollout: { finish } }) => finish === 'length').length / batch.length,
      meanTokens: meanOf(batch.map(({ rollout: { newTokens } }) => newTokens)) ?? 0,
    },
  }),

  tasks: () => [],

  metrics(run, { trained, values: { tasks, window, widened } }) {
    const { samples } = run.config.framework.solve;
    const own = trained.filter(({ batch }) => batch === BATCH);
    const answers = own.map(({ index, verdict: { accuracy } }) => ({
      group: String(Math.floor(index / samples)),
      accuracy,
    }));
    return {
      'answer/kept_questions': tasks.length,
      'answer/window_low': window[0],
      'answer/window_high': window[1],
      'answer/window_widened': widened,
      'answer/all_alike': shareAllAlike(answers),
      // A group that agrees with the label throughout, or nowhere, moves no weight.
      'answer/all_1': shareAllAlike(answers, 1),
      'answer/all_0': shareAllAlike(answers, 0),
      'answer/abstained': meanOf(own.map(({ answer }) => Number(answer === null))),
      'answer/truncated': meanOf(own.map(({ finish }) => Number(finish === 'length'))),
    };
  },
});

/** Share of the groups whose answers all agree with the label or all do not, or of one of these two: they teach nothing. */
function shareAllAlike(answers: readonly { group: string; accuracy: number }[], which?: number): number {
  const groups = [...Map.groupBy(answers, ({ group }) => group).values()];
  const alike = groups.filter((group) =>
    group.every(({ accuracy }) => accuracy === (which ?? group[0]?.accuracy)),
  );
  return groups.length === 0 ? 0 : alike.length / groups.length;
}
