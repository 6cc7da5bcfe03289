import type { RzeroConfig, TaskRecord } from '../../../contract/index.ts';
import type { FoldedStep } from '../../loop/framework.ts';
import { questionKey } from './parsing.ts';
import { placeOf } from './schedule.ts';

/** What tasks of a run are, by where they come from. */
export const ORIGIN = { asked: 'asked', posed: 'posed', labelled: 'labelled' } as const;

export type RzeroState = {
  settings: RzeroConfig;
  /** Of the present iteration, in the order of their places. */
  posed: TaskRecord[];
  labelled: TaskRecord[];
  /** Keys of all questions posed in the run. */
  seen: Set<string>;
};

export function beginRun(settings: RzeroConfig): RzeroState {
  return { settings, posed: [], labelled: [], seen: new Set() };
}

/** The state after one more step: a new iteration's questions and labels take the place of the last one's. */
export function foldStep(state: RzeroState, { step, tasks }: FoldedStep): RzeroState {
  const { stage, stageStep } = placeOf(state.settings, step);
  if (stage === 'pose') {
    if (stageStep === 1) Object.assign(state, { posed: [], labelled: [] });
    state.posed.push(...tasks);
    for (const task of tasks) state.seen.add(questionKey(questionOf(task)));
  }
  if (stage === 'label') state.labelled.push(...tasks);
  return state;
}

/** The question of a task, as it was posed. */
export const questionOf = ({ message }: Pick<TaskRecord, 'message'>): string => message ?? '';

/** Most of the solver's answers agree on it. */
export const labelOf = ({ outputs }: Pick<TaskRecord, 'outputs'>): string => outputs[0] ?? '';

export type KeptSet = { tasks: TaskRecord[]; window: [number, number]; widened: number };

/** Ends that were widened step by step must still include what lies on them. */
const ROUNDING = 1e-9;

/**
 * The questions whose agreement lies in the window, both ends included. Where they are fewer than `needed` the window grows, as far as the
 * settings let it.
 */
export function keptOf(
  { labelled }: Pick<RzeroState, 'labelled'>,
  { window, widenBy, widenTimes }: RzeroConfig['label'],
  needed: number,
): KeptSet {
  for (let widened = 0; ; widened += 1) {
    const [low, high] = [window[0] - widened * widenBy, window[1] + widened * widenBy];
    const tasks = labelled.filter(
      ({ solveRate }) => solveRate !== null && solveRate >= low - ROUNDING && solveRate <= high + ROUNDING,
    );
    if (tasks.length >= needed || widened === widenTimes)
      return { tasks, window: [Math.max(0, low), Math.min(1, high)], widened };
  }
}
