import type { JudgedOutcome, Phase, RecordFilter, RolloutRecord } from '../../contract/index.ts';
import { mismatch, Tally, type FacetCount } from '../row-lists.ts';

/**
 * How many records of one step are alike in everything a filter asks. A record has at most one answered review per phase, so all
 * that a filter can ask of its reviews fits into one number, with a bit for each thing a review may be:
 *
 *     mask      15 14 13 12   11 10  9  8    7  6  5  4    3  2  1  0
 *     phase    └─ output ─┘ └─ thought ─┘ └── plan ──┘ └── task ──┘
 *     bit 0 of four  stands, continue        bit 2  quarantined, continue
 *     bit 1          stands, retry           bit 3  quarantined, retry
 *
 * A plan sent back by a review that stands sets bit 5 (0x20). "Any quarantined review" asks for 0xcccc, "a retry of a plan" for
 * 0x00a0: a record matches where `mask & asked` is not 0.
 */
export type FacetCell = Pick<RolloutRecord, 'batch' | 'role' | 'taskType'> & {
  outcome: JudgedOutcome;
  reviewed: boolean;
  mask: number;
  count: number;
};

/** The cells of one step; those of an issue count only the reviews that raised it. */
export type FacetStep = { step: number; cells: FacetCell[]; byIssue: ReadonlyMap<string, FacetCell[]> };

/** Phases in which single records are reviewed, in the order of the bits; exec speaks of a batch. */
const MASKED_PHASES = ['task', 'plan', 'thought', 'output'] as const satisfies readonly Phase[];

/** In the order of the bits. Null: nothing was decided, as of a plan that nothing could be compared with. */
const DECISIONS = ['continue', 'retry', null] as const;

export function reviewBit(phase: Phase, quarantined: boolean, decision: (typeof DECISIONS)[number]): number {
  const place = (MASKED_PHASES as readonly Phase[]).indexOf(phase);
  return place < 0 ? 0 : 1 << (6 * place + 3 * Number(quarantined) + DECISIONS.indexOf(decision));
}

type ReviewPart = Pick<RecordFilter, 'phase' | 'decision' | 'leak'>;

/** The bits a review can set under these conditions; all of them where there is no condition. */
export function bitsOf({ phase, decision, leak }: ReviewPart): number {
  let bits = 0;
  for (const each of MASKED_PHASES) {
    for (const quarantined of [false, true]) {
      for (const decided of DECISIONS) {
        const matches =
          (phase === undefined || phase === each) &&
          (leak === undefined || quarantined) &&
          (decision === undefined || decision === decided);
        if (matches) bits |= reviewBit(each, quarantined, decided);
      }
    }
  }
  return bits;
}

export const asksForReview = ({ phase, decision, leak }: ReviewPart): boolean =>
  phase !== undefined || decision !== undefined || leak !== undefined;

/** `total` counts what the whole filter matches; each facet counts under the filter without its own condition, as lists of choices do. */
export type RolloutFacets = {
  total: number;
  batch: FacetCount<FacetCell['batch']>[];
  role: FacetCount<FacetCell['role']>[];
  taskType: FacetCount<FacetCell['taskType']>[];
  outcome: FacetCount<FacetCell['outcome']>[];
  reviewed: FacetCount<boolean>[];
  issue: FacetCount<string>[];
  phase: FacetCount<Phase>[];
  decision: FacetCount<'continue' | 'retry'>[];
  leak: FacetCount<true>[];
};

const DIMENSIONS = ['batch', 'role', 'taskType', 'outcome', 'reviewed'] as const;

const inRange =
  ({ fromStep, toStep }: RecordFilter) =>
  ({ step }: FacetStep): boolean =>
    step >= (fromStep ?? 0) && step <= (toStep ?? Infinity);

function mergeCells(all: readonly (readonly FacetCell[])[]): FacetCell[] {
  const merged = new Map<string, FacetCell>();
  for (const cell of all.flat()) {
    const name = `${cell.batch} ${cell.role} ${cell.taskType} ${cell.outcome} ${cell.reviewed} ${cell.mask}`;
    const same = merged.get(name);
    if (same === undefined) merged.set(name, { ...cell });
    else same.count += cell.count;
  }
  return [...merged.values()];
}

/** All steps of the filter's range as one: ten times fewer cells, for questions that do not ask where in time. */
export function mergeSteps(steps: readonly FacetStep[], filter: RecordFilter): FacetStep {
  const within = steps.filter(inRange(filter));
  const issues = new Set(within.flatMap(({ byIssue }) => [...byIssue.keys()]));
  return {
    step: 0,
    cells: mergeCells(within.map(({ cells }) => cells)),
    byIssue: new Map(
      [...issues].map((issue) => [issue, mergeCells(within.map(({ byIssue }) => byIssue.get(issue) ?? []))]),
    ),
  };
}

const cellsUnder = (step: FacetStep, issue: string | undefined): readonly FacetCell[] =>
  issue === undefined ? step.cells : (step.byIssue.get(issue) ?? []);

/** The one dimension in which a cell is not as the filter asks; null when it is in all, 'several' when it fails in more. */
const mismatchOf = (cell: FacetCell, filter: RecordFilter) =>
  mismatch(
    DIMENSIONS,
    (dimension) => filter[dimension] === undefined || filter[dimension] === cell[dimension],
  );

/** @param merged the steps of the filter's range as one (mergeSteps) */
export function facetsOf(merged: FacetStep, filter: RecordFilter): RolloutFacets {
  const { phase, decision, leak } = filter;
  const bits = bitsOf(filter);
  const wanted = asksForReview(filter) ? bits : null;
  const choices = [
    ...MASKED_PHASES.map((value) => ({
      facet: 'phase' as const,
      value,
      bits: bitsOf({ phase: value, decision, leak }),
    })),
    ...(['continue', 'retry'] as const).map((value) => ({
      facet: 'decision' as const,
      value,
      bits: bitsOf({ phase, decision: value, leak }),
    })),
    { facet: 'leak' as const, value: true, bits: bitsOf({ phase, decision, leak: true }) },
  ];
  const tallies = {
    batch: new Tally(),
    role: new Tally(),
    taskType: new Tally(),
    outcome: new Tally(),
    reviewed: new Tally(),
    issue: new Tally(),
    phase: new Tally(),
    decision: new Tally(),
    leak: new Tally(),
  };
  let total = 0;
  for (const cell of cellsUnder(merged, filter.issue)) {
    const failed = mismatchOf(cell, filter);
    if (failed === 'several') continue;
    if (wanted === null || (cell.mask & wanted) !== 0) {
      if (failed === null) total += cell.count;
      for (const dimension of failed === null ? DIMENSIONS : [failed])
        tallies[dimension].add(cell[dimension], cell.count);
    }
    if (failed === null && cell.mask !== 0)
      for (const choice of choices)
        if ((cell.mask & choice.bits) !== 0) tallies[choice.facet].add(choice.value, cell.count);
  }
  for (const [issue, cells] of merged.byIssue)
    for (const cell of cells)
      if ((cell.mask & bits) !== 0 && mismatchOf(cell, filter) === null) tallies.issue.add(issue, cell.count);
  return {
    total,
    batch: tallies.batch.sorted(),
    role: tallies.role.sorted(),
    taskType: tallies.taskType.sorted(),
    outcome: tallies.outcome.sorted(),
    reviewed: tallies.reviewed.sorted(),
    issue: tallies.issue.sorted(),
    phase: tallies.phase.sorted(),
    decision: tallies.decision.sorted(),
    leak: tallies.leak.sorted(),
  };
}

/** How many records match in each step that has any, as [step, count] in order: where every row of a list lies. */
export function countsByStep(
  steps: readonly FacetStep[],
  filter: RecordFilter,
): [step: number, count: number][] {
  const wanted = asksForReview(filter) ? bitsOf(filter) : null;
  const counts: [number, number][] = [];
  for (const step of steps.filter(inRange(filter))) {
    let count = 0;
    for (const cell of cellsUnder(step, filter.issue))
      if (mismatchOf(cell, filter) === null && (wanted === null || (cell.mask & wanted) !== 0))
        count += cell.count;
    if (count > 0) counts.push([step.step, count]);
  }
  return counts;
}
