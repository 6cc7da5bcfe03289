import { Failure, type RzeroConfig, type TaskRecord } from '../../../../contract/index.ts';
import { entropyOf } from '../../../../core/index.ts';
import type { Stage } from '../../../loop/framework.ts';
import type { StepContext } from '../../../loop/run-state.ts';
import { computedAnswer } from '../known-answer.ts';
import { voteMeasures } from '../measures.ts';
import { meanOf, voteStatistics } from '../review.ts';
import { placeOf } from '../schedule.ts';
import { keptOf, labelOf, ORIGIN, questionOf, type RzeroState } from '../state.ts';
import { castVotes, incomparable, sameAnswer, type RzeroRun, type Vote } from '../voting.ts';
import { partSize } from './pose.ts';

/** The part of the iteration's questions that a step labels; none where fewer were posed. */
function partOf({ config, state, step }: RzeroRun): TaskRecord[] {
  const { framework } = config;
  const { stageStep, iteration } = placeOf(framework, step);
  const { questions, perStep } = framework.pose;
  if (state.posed.length === 0)
    throw new Failure(
      'nothingToLearn',
      `None of the ${questions} texts that the challenger wrote in iteration ${iteration} is a question that can be read, so there is nothing to label; look at their reasons in the records of the run, or with "anchor show RUN --step ${step - 1}", then choose another model or policy.promptPack, or raise generation.maxNewTokens (now ${config.generation.maxNewTokens}), in a new run.`,
    );
  return state.posed.slice((stageStep - 1) * perStep, stageStep * perStep);
}

/** A question of the original's that is not kept although its agreement lies in the window. */
const isLeftOut = ({ questionFilter }: RzeroConfig, { majority }: Vote): boolean =>
  questionFilter === 'rzero-compat' && majority?.includes('text') === true;

type LabelValues = {
  votes: readonly Vote[];
  labelled: readonly TaskRecord[];
  /** Pairs of answers that nobody could compare. */
  incomparable: number;
  /** Of the labels that can be computed, how many there are and how many are right. */
  computed: { n: number; right: number };
};

/** Labels of questions that are mere arithmetic, held against what they come to. */
async function checkedLabels(
  run: RzeroRun,
  env: StepContext,
  labelled: readonly TaskRecord[],
): Promise<LabelValues['computed']> {
  const same = sameAnswer(env, run.config.framework);
  const outcomes = await Promise.all(
    labelled.flatMap((task) => {
      const known = computedAnswer(questionOf(task));
      return known === null ? [] : [same(known, labelOf(task))];
    }),
  );
  return { n: outcomes.length, right: outcomes.filter(Boolean).length };
}

/**
 * L: the solver as it is answers each question several times; what most answers agree on becomes its label, however right it is. The same
 * prompt as in training, under a context that stands still for as long as questions are labelled.
 */
export const labelStage = (solver: string): Stage<RzeroConfig, RzeroState, null, null, LabelValues> => ({
  name: 'label',
  generates: solver,
  trains: null,
  freezesContext: true,

  batchSizes: (config, step) => [
    {
      batch: 'label',
      purpose: 'estimate',
      role: 'solver',
      taskType: 'question',
      size: partSize(config, step),
      measurements: config.framework.label.samples,
    },
  ],

  // Answers that label are measurements: nothing is trained on them.
  requests: () => [],
  resample: (_run, _draw, request) => request,
  score() {
    throw new Error('A stage that only measures has nothing to score.');
  },

  async measure(run, env) {
    const { framework } = run.config;
    const setAside = incomparable(env);
    const votes = await castVotes(run, env, {
      role: solver,
      settings: framework.label,
      ballots: partOf(run).map((task, index) => ({ task, batch: 'label', index })),
    });
    const labelled = votes.flatMap((vote): TaskRecord[] => {
      const { task, index } = vote.ballot;
      if (vote.majority === null || isLeftOut(framework, vote)) return [];
      const id = `t${run.step}/${ORIGIN.labelled}/${index}`;
      const { majority, agreement } = vote;
      return [
        { ...task, id, step: run.step, origin: ORIGIN.labelled, outputs: [majority], solveRate: agreement },
      ];
    });
    const kept = keptOf({ labelled }, { ...framework.label, widenTimes: 0 }, 0).tasks;
    const aside = setAside();
    const statistics = voteStatistics(
      votes,
      {
        n: votes.length,
        invalid: 0,
        formatFailures: 0,
        timeouts: aside.timeouts,
      },
      {
        kept: votes.length === 0 ? 0 : kept.length / votes.length,
        labelEntropy: entropyOf(labelled.map(labelOf)),
      },
    );
    return {
      records: votes.flatMap(({ samples }) => samples.map(({ record }) => record)),
      values: {
        votes,
        labelled,
        incomparable: aside.incomparable,
        computed: await checkedLabels(run, env, labelled),
      },
      batches: [{ batch: 'label', role: 'solver', taskType: 'question', statistics }],
    };
  },

  rewards: () => [],
  advantages: () => () => [],
  reviewItems: () => [],
  statistics() {
    throw new Error('A stage that only measures counts its batches as it measures.');
  },

  tasks: (_requests, _scored, { labelled }) => [...labelled],

  metrics({ config: { framework } }, { values: { votes, labelled, computed, incomparable: pairs } }) {
    const [low] = framework.label.window;
    const kept = new Set(keptOf({ labelled: [...labelled] }, { ...framework.label, widenTimes: 0 }, 0).tasks);
    const outside = labelled.filter((task) => !kept.has(task));
    const below = outside.filter(({ solveRate }) => (solveRate ?? 0) < low).length;
    return {
      'label/questions': votes.length,
      'label/kept': kept.size,
      'label/below_window': below,
      'label/above_window': outside.length - below,
      'label/without_label': votes.length - labelled.length,
      'label/agreement': meanOf(labelled.flatMap(({ solveRate }) => solveRate ?? [])),
      'label/label_entropy': entropyOf(labelled.map(labelOf)),
      'label/incomparable': pairs,
      'label/computable': computed.n,
      'label/computed_right': computed.right,
      'label/computed_accuracy': computed.n === 0 ? null : computed.right / computed.n,
      ...voteMeasures('label', votes),
    };
  },
});
