import type { RzeroConfig, Verdict } from '../../../../contract/index.ts';
import { samplingOf } from '../../../../contract/index.ts';
import type { Stage } from '../../../loop/framework.ts';
import { isLeftOutByOriginal, questionKey } from '../parsing.ts';
import { placeOf } from '../schedule.ts';
import { questionMeasures } from '../measures.ts';
import { ORIGIN, questionOf, type RzeroState } from '../state.ts';
import { questionRequest, scoreQuestion, type QuestionFound } from './challenge.ts';

/** Questions asked for in a step: the last part of an iteration may be smaller. */
export function partSize({ framework }: { framework: RzeroConfig }, step: number): number {
  const { questions, perStep } = framework.pose;
  return Math.min(perStep, questions - (placeOf(framework, step).stageStep - 1) * perStep);
}

const leftOut = (reason: string): { verdict: Verdict; taskId: null } => ({
  verdict: { outcome: 'invalid', reason, accuracy: 0, sandboxLevel: null },
  taskId: null,
});

/** G: the trained challenger writes the questions of an iteration. Those asked before in the run are left out and counted. */
export const poseStage = (
  challenger: string,
): Stage<
  RzeroConfig,
  RzeroState,
  null,
  QuestionFound,
  { duplicates: number; filtered: number; unreadable: number }
> => ({
  name: 'pose',
  generates: challenger,
  trains: null,
  freezesContext: true,

  sampling: ({ framework: { pose }, generation }) => {
    const { temperature, topP } = samplingOf(generation, 'proposer');
    return { temperature, topP: pose.topP ?? topP, topK: 0 };
  },

  batchSizes: (config, step) => [
    {
      batch: 'pose',
      purpose: 'propose',
      role: 'proposer',
      taskType: 'question',
      size: partSize(config, step),
      measurements: 0,
    },
  ],

  requests: (run, { pack }) =>
    Array.from({ length: partSize(run.config, run.step) }, (_, index) =>
      questionRequest(run, pack, 'pose', index, null),
    ),

  resample: (_run, _draw, request) => request,

  score: async (run, env, request, rollout) => scoreQuestion(run, env, request, rollout, ORIGIN.posed),

  async measure({ config: { framework }, state }, _env, scored) {
    const seen = new Set(framework.duplicates === 'removed' ? state.seen : []);
    const revised = new Map<string, { verdict: Verdict; taskId: null }>();
    let [duplicates, filtered, unreadable] = [0, 0, 0];
    for (const {
      request: { id },
      found: { task },
    } of scored) {
      if (task === null) {
        unreadable += 1;
        continue;
      }
      const key = questionKey(questionOf(task));
      if (framework.duplicates === 'removed' && seen.has(key)) {
        duplicates += 1;
        revised.set(id, leftOut('duplicate'));
      } else if (framework.questionFilter === 'rzero-compat' && isLeftOutByOriginal(questionOf(task))) {
        filtered += 1;
        revised.set(id, leftOut('filtered'));
      }
      seen.add(key);
    }
    return { records: [], values: { duplicates, filtered, unreadable }, revised };
  },

  rewards: (_run, scored) => scored.map(() => null),
  advantages: () => (batch) => batch.map(() => 0),
  reviewItems: () => [],

  statistics: (_config, batch) => ({
    n: batch.length,
    passed: 0,
    invalid: batch.filter(({ verdict: { outcome } }) => outcome === 'invalid').length,
    formatFailures: batch.filter(({ response: { formatOk } }) => !formatOk).length,
    timeouts: 0,
    solveRateHistogram: [],
  }),

  tasks: (_requests, scored) =>
    scored.flatMap(({ verdict: { outcome }, found: { task } }) =>
      task === null || outcome === 'invalid' ? [] : [task],
    ),

  metrics: (run, { tasks, values: { duplicates, filtered, unreadable } }) => ({
    'pose/asked': partSize(run.config, run.step),
    'pose/questions': tasks.length,
    'pose/duplicates': duplicates,
    'pose/filtered': filtered,
    'pose/unreadable': unreadable,
    ...questionMeasures('pose', tasks.map(questionOf)),
  }),
});
