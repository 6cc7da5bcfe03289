import {
  PHASES,
  type BatchStatistics,
  type Phase,
  type PhaseItem,
  type RolloutRecord,
  type TaskType,
  type TaskView,
} from '../contract/index.ts';

/** A view that shows nothing, to be filled in with what the agent was shown. */
export const EMPTY_VIEW: TaskView = {
  program: null,
  inputs: [],
  output: null,
  examples: [],
  message: null,
  references: [],
  request: null,
};

/** A place in which nothing was written or counted, to be filled in. */
export const EMPTY_ITEM: Omit<PhaseItem, 'step' | 'phase' | 'batch' | 'role' | 'taskType'> = {
  index: 0,
  rolloutId: null,
  task: null,
  plan: null,
  thought: null,
  answer: null,
  formatOk: true,
  validity: null,
  statistics: null,
};

/** What a rollout brings to review; a part the agent did not write is null and yields no item. */
export type ReviewableRollout = Pick<
  RolloutRecord,
  | 'id'
  | 'step'
  | 'batch'
  | 'index'
  | 'role'
  | 'taskType'
  | 'purpose'
  | 'plan'
  | 'thought'
  | 'answer'
  | 'formatOk'
> &
  Partial<Pick<RolloutRecord, 'text'>>;

/**
 * The items of one trained rollout: task, plan and thought of a proposal; plan, thought and output of a solution (a proposal's
 * output is its task, so it is not reviewed twice). Estimates are measurements, not work of the agent, and yield none.
 * `task` is the proposed task or the task as the solver saw it: never more than that.
 */
export function itemsOfRollout(
  rollout: ReviewableRollout,
  task: TaskView | null,
  validity: PhaseItem['validity'],
): PhaseItem[] {
  if (rollout.purpose === 'estimate') return [];
  const proposal = rollout.purpose === 'propose';
  const written = (text: string | null): boolean => text !== null && text.trim() !== '';
  const phases: Phase[] = [];
  if (proposal) phases.push('task');
  if (written(rollout.plan)) phases.push('plan');
  if (written(rollout.thought)) phases.push('thought');
  // A response without an answer still gets its output reviewed: that it has none is what the review says.
  if (!proposal) phases.push('output');
  return phases.map((phase) => ({
    step: rollout.step,
    batch: rollout.batch,
    index: rollout.index,
    phase,
    role: rollout.role,
    taskType: rollout.taskType,
    rolloutId: rollout.id,
    task,
    plan: rollout.plan,
    thought: rollout.thought,
    answer: rollout.answer,
    ...(rollout.text === undefined || rollout.formatOk ? {} : { text: rollout.text }),
    formatOk: rollout.formatOk,
    validity: proposal ? validity : null,
    statistics: null,
  }));
}

/** The one exec item of a batch: verifier outcomes as counts, nothing of any single item. */
export function execItem(
  step: number,
  batch: string,
  role: string,
  taskType: TaskType,
  statistics: BatchStatistics,
): PhaseItem {
  return { ...EMPTY_ITEM, step, batch, phase: 'exec', role, taskType, statistics };
}

/** Names an item towards the gate: the same for all phases of one rollout, and independent of everything a run may change. */
export const itemKey = (item: PhaseItem): string =>
  item.phase === 'exec' ? `${item.batch}/exec` : `${item.batch}/${item.index}`;

/** `${rolloutId}#${phase}` or `${step}/${batch}#exec`. */
export const reviewId = (item: PhaseItem): string =>
  item.phase === 'exec'
    ? `${item.step}/${item.batch}#exec`
    : `${item.rolloutId ?? `${item.step}/${item.batch}/${item.index}`}#${item.phase}`;

/** Order of records within a step: by batch name, then index, then phase; exec closes its batch. */
export function compareItems(a: PhaseItem, b: PhaseItem): number {
  const rank = (item: PhaseItem): number => (item.phase === 'exec' ? Infinity : item.index);
  if (a.batch !== b.batch) return a.batch < b.batch ? -1 : 1;
  if (rank(a) !== rank(b)) return rank(a) < rank(b) ? -1 : 1;
  return PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase);
}
