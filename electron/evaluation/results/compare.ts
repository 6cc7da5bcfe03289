import {
  type CheckpointScore,
  type EvaluationSummary,
  type EvaluationComparison,
  type ItemFilter,
  type ItemRow,
  type OutcomeCounts,
  Failure,
} from '../../contract/index.ts';
import {
  answerName,
  comparePaired,
  wilsonInterval,
  type ItemOutcome,
  type PairedComparison,
} from '../../core/index.ts';
import type { EvaluationReads } from './reads.ts';
import type { Lab, StoredEvaluation, StoredEvaluationFilter, StoredItemRow } from '../../store/index.ts';
import { GRADED_SUITES } from '../registry.ts';
import type { AnyGradedSuite, GradeRow } from '../suites/graded-suite.ts';

/** The evaluation that stands for each column and suite. */
export type Chosen = ReadonlyMap<string, ReadonlyMap<string, EvaluationSummary>>;

/** The suite of a stored evaluation; null when this program does not know it. */
export const suiteOf = (name: string): AnyGradedSuite | null =>
  GRADED_SUITES.find((suite) => suite.name === name) ?? null;

/** An evaluation as windows see it: with what its suite says of older ones, and with the scores that people's overrides lead to. */
export function summaryOf(store: EvaluationReads, stored: StoredEvaluation): EvaluationSummary {
  const suite = suiteOf(stored.plan.suite);
  if (suite === null) return { ...stored, corrected: null };
  const rows = stored.counts.overridden > 0 ? store.listGrades(stored.id) : null;
  // What is unfinished has no scores to correct, but n of its cell is counted from what became of its answers.
  const corrected = rows === null || stored.state !== 'done' ? null : suite.scores(rows, stored.plan.seed);
  const counts = rows === null ? stored.counts : { ...stored.counts, ...countedOutcomes(rows) };
  if (stored.form === 2) return { ...stored, counts, corrected };
  return {
    ...stored,
    counts,
    corrected,
    plan: { ...stored.plan, group: suite.group },
    scores: stored.scores.map((score) => ({ ...score, better: suite.better })),
  };
}

/** What became of the answers, by whoever said the last word on each. */
function countedOutcomes(
  rows: readonly GradeRow[],
): Pick<OutcomeCounts, 'passed' | 'failed' | 'unjudged' | 'unanswered'> {
  const counts = { passed: 0, failed: 0, unjudged: 0, unanswered: 0 };
  for (const { grade } of rows) counts[grade.outcome] += 1;
  return counts;
}

/** In the order they were begun. */
export function listSummaries(
  store: EvaluationReads,
  filter: StoredEvaluationFilter & { subject?: string } = {},
): EvaluationSummary[] {
  const { subject, ...stored } = filter;
  return store
    .listStoredEvaluations(stored)
    .filter(({ plan }) => subject === undefined || plan.subject.id === subject)
    .map((one) => summaryOf(store, one));
}

/** Scores of a run's checkpoints, oldest evaluation first. */
export function scoresOfRun(store: Lab, runId: string): CheckpointScore[] {
  const stored = new Map(
    store.listStoredEvaluations({ runId, states: ['done'] }).map((one) => [one.id, one]),
  );
  return store.listEvaluations({ runId }).map(({ id, suite, step, passed, n, contextHash }) => {
    const context = stored.get(id)?.plan.context ?? null;
    const overridden = stored.get(id)?.counts.overridden ?? 0;
    const isOwnContext =
      context === null ||
      context.runId === null ||
      (context.runId === runId && context.step === (step ?? 0) + 1);
    const interval = wilsonInterval(passed, n);
    return { id, suite, step, passed, n, overridden, contextHash, isOwnContext, interval };
  });
}

export const requireSummary = (store: EvaluationReads, id: string): EvaluationSummary =>
  summaryOf(store, store.requireStoredEvaluation(id));

/** What became of an answer, as comparisons by item take it. */
export const answerOutcome = ({ itemId, sample, grade: { outcome } }: GradeRow): ItemOutcome => ({
  itemId,
  sample,
  passed: outcome === 'unjudged' ? null : outcome === 'passed',
});

function pairedBy(
  store: EvaluationReads,
  before: EvaluationSummary,
  after: EvaluationSummary,
): PairedComparison {
  if (before.plan.suite !== after.plan.suite)
    throw new Failure(
      'otherItems',
      `"${before.plan.suite}" and "${after.plan.suite}" are two suites; their answers cannot be compared one by one.`,
      2,
    );
  return comparePaired(
    store.listGrades(before.id).map(answerOutcome),
    store.listGrades(after.id).map(answerOutcome),
  );
}

/** Two evaluations item by item, people's overrides in the verdicts' place. @throws Failure `otherItems` for two suites */
export function compareEvaluations(
  store: EvaluationReads,
  beforeId: string,
  afterId: string,
): EvaluationComparison {
  const [before, after] = [requireSummary(store, beforeId), requireSummary(store, afterId)];
  const { common, items, counts, change, p, onlyInFirst, onlyInSecond } = pairedBy(store, before, after);
  return {
    before,
    after,
    common,
    items,
    onlyBefore: onlyInFirst,
    onlyAfter: onlyInSecond,
    lost: counts.onlyFirst,
    gained: counts.onlySecond,
    exact: p.exact,
    mid: p.mid,
    difference: change.difference,
    low: change.low,
    high: change.high,
    detectable: change.detectable,
    warnings: warningsBetween(before, after),
  };
}

/** Why two evaluations of one suite cannot be compared as they stand. */
export function warningsBetween(
  { plan: before }: EvaluationSummary,
  { plan: after }: EvaluationSummary,
): string[] {
  const judge = ({ judge: by }: EvaluationSummary['plan']): string =>
    by === null ? '' : `${by.name} (${by.promptVersion})`;
  const { name: protocolBefore, version: versionBefore } = before.protocol;
  const { name: protocolAfter, version: versionAfter } = after.protocol;
  return [
    ...(judge(before) === judge(after) && before.judge?.sha256 === after.judge?.sha256
      ? []
      : [
          `They were judged differently (${judge(before) || 'no judge'} and ${judge(after) || 'no judge'}); a difference may be the judge's.`,
        ]),
    ...(protocolBefore === protocolAfter &&
    versionBefore === versionAfter &&
    before.protocol.temperature === after.protocol.temperature
      ? []
      : [`They were asked differently (${protocolBefore} and ${protocolAfter}).`]),
    ...(before.source.sha256 === after.source.sha256
      ? []
      : ['Their items come from files that differ; only items of the same name are compared.']),
    ...(before.suiteVersion === after.suiteVersion
      ? []
      : ['They were graded by different versions of the suite.']),
    ...(before.seed === after.seed
      ? []
      : [`Their seeds differ (${before.seed} and ${after.seed}), so sampled answers met other noise.`]),
    ...((before.context === null) === (after.context === null)
      ? []
      : ['One was asked under a supervision context and the other was not.']),
  ];
}

export type ItemPage = {
  rows: ItemRow[];
  next: string | null;
  total: number;
  counts: Record<ItemFilter, number>;
};
type ItemQuery = {
  id: string;
  against: string | null;
  show: ItemFilter;
  cursor: string | null;
  limit: number;
};
const PLAIN = ['all', 'failed', 'unjudged', 'flagged', 'overridden', 'load-affected'] as const;

/** Answers of an evaluation, beside those of another. Flipped ones come first (lost, then gained), the others in the suite's order. */
export function pageItems(store: EvaluationReads, { id, against, show, cursor, limit }: ItemQuery): ItemPage {
  const from = cursor === null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new Failure(
      'badCursor',
      'This page was not given out by the list of answers; read it from its beginning.',
      2,
    );
  const other = against === null ? null : requireSummary(store, against);
  const flips = new Map(
    other === null
      ? []
      : pairedBy(store, other, requireSummary(store, id)).flipped.map(
          ({ itemId, change }) => [itemId, change] as const,
        ),
  );
  const counts = {
    ...Object.fromEntries(PLAIN.map((name) => [name, store.countEvaluationItems(id, name)])),
    flipped: flips.size,
  } as Record<ItemFilter, number>;
  const rows =
    other === null && show !== 'flipped'
      ? store.listEvaluationItemRows(id, show, { offset: from, limit }).rows
      : inOrder(store, id, show, flips).slice(from, from + limit);
  const overrides = new Map(store.listOverrides(id).map((one) => [one.ordinal, one]));
  const besides =
    other === null
      ? null
      : {
          grades: new Map(store.listGradesAsGraded(other.id).map((row) => [answerName(row), row])),
          overrides: new Map(store.listOverrides(other.id).map((one) => [one.ordinal, one])),
        };
  const total = counts[show];
  return {
    total,
    counts,
    next: from + rows.length < total ? String(from + rows.length) : null,
    rows: rows.map((row): ItemRow => {
      const beside = besides?.grades.get(answerName(row));
      return {
        ...row,
        outcome: row.outcome ?? 'unjudged',
        override: overrides.get(row.ordinal) ?? null,
        flip: flips.get(answerName(row)) ?? null,
        against:
          beside === undefined
            ? null
            : {
                outcome: beside.grade.outcome,
                score: beside.grade.score,
                override: besides?.overrides.get(beside.ordinal) ?? null,
              },
      };
    }),
  };
}

/** All rows of a filter with the flipped ones first. */
function inOrder(
  store: EvaluationReads,
  id: string,
  show: ItemFilter,
  flips: ReadonlyMap<string, 'lost' | 'gained'>,
): StoredItemRow[] {
  const all = store.listEvaluationItemRows(id, show === 'flipped' ? 'all' : show, {
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
  }).rows;
  const rank = (row: StoredItemRow): number =>
    ({ lost: 0, gained: 1, none: 2 })[flips.get(answerName(row)) ?? 'none'];
  return all
    .filter((row) => show !== 'flipped' || flips.has(answerName(row)))
    .sort((a, b) => rank(a) - rank(b) || a.ordinal - b.ordinal);
}
