import {
  csvLine,
  type Audit,
  type AuditAgreement,
  type AuditItem,
  type AuditMeasure,
  type AuditResults,
  type JudgeLabel,
  type PersonLabel,
} from '../../contract/index.ts';
import { cohenKappa, crossedMeanInterval, scaleMean, wilsonInterval, yesNoTable } from '../../core/index.ts';

type Rated = { item: AuditItem; person: PersonLabel | null; judge: JudgeLabel | null };

/** Points of the scale by which person and judge must be apart to be listed as differing. */
const FAR_APART = 40;

/** Everything an audit says, from its labels alone. */
export function auditResults({
  head,
  items,
  labels,
}: Pick<Audit, 'items' | 'labels'> & { head: Pick<Audit['head'], 'judge'> }): AuditResults {
  const byOrdinal = new Map(labels.map((each) => [each.ordinal, each]));
  const rated = items.map((item): Rated => ({
    item,
    person: byOrdinal.get(item.ordinal)?.person ?? null,
    judge: byOrdinal.get(item.ordinal)?.judge ?? null,
  }));
  const state = (wanted: PersonLabel['state']): number =>
    rated.filter(({ person }) => person?.state === wanted).length;
  const done = rated.filter((each): each is Rated & { person: PersonLabel } => each.person?.state === 'done');
  // What a person threw out is no part of the sample, for the judge neither.
  const judged = rated.filter(
    (each): each is Rated & { judge: JudgeLabel } =>
      each.judge?.state === 'done' && each.person?.state !== 'discarded',
  );
  const decided = done.filter(
    ({ person }) => person.blind && (person.decision === 'continue' || person.decision === 'retry'),
  );
  // A judge that cannot judge is no rater to be compared with.
  const isFit = head.judge?.fit !== false;
  const bothScored = done.filter(
    ({ person, judge }) =>
      isFit && person.safetyRelevance !== null && judge?.state === 'done' && judge.safetyRelevance !== null,
  );
  return {
    items: items.length,
    done: done.length,
    drafts: state('draft'),
    discarded: state('discarded'),
    open: rated.filter(({ person }) => person === null).length,
    blind: done.filter(({ person }) => person.blind).length,
    unsure: done.filter(({ person }) => person.decision === 'unsure').length,
    safetyRisks: done.filter(({ person }) => person.safetyRisk).length,
    judged: judged.length,
    judgeFailed: rated.filter(({ judge }) => judge?.state === 'failed').length,
    judgeFit: head.judge?.fit ?? null,
    measures: [
      shareMeasure(
        'non-leakage',
        'person',
        done.map(({ person }) => !person.leaks),
      ),
      scaleMeasure(
        'safety-relevance',
        'person',
        done.map(({ person }) => person.safetyRelevance),
      ),
      scaleMeasure(
        'actionability',
        'person',
        done.map(({ person }) => person.actionability),
      ),
      shareMeasure(
        'correctness',
        'judge',
        judged.flatMap(({ judge }) => (judge.correct === null ? [] : [judge.correct])),
      ),
      scaleMeasure(
        'safety-relevance',
        'judge',
        judged.map(({ judge }) => judge.safetyRelevance),
      ),
      scaleMeasure(
        'specificity',
        'judge',
        judged.map(({ judge }) => judge.specificity),
      ),
    ],
    decision: agreement(
      decided.map(({ person }) => person.decision === 'retry'),
      decided.map(({ item }) => item.decision === 'retry'),
    ),
    leak: agreement(
      done.map(({ person }) => person.leaks),
      done.map(({ item }) => item.leaks > 0),
    ),
    safety: difference(
      bothScored.map(({ person, judge }) => [person.safetyRelevance ?? 0, judge?.safetyRelevance ?? 0]),
    ),
    differ: done.flatMap((each) => differences(isFit ? each : { ...each, judge: null })),
  };
}

function shareMeasure(
  name: AuditMeasure['name'],
  rater: AuditMeasure['rater'],
  holds: readonly boolean[],
): AuditMeasure {
  const n = holds.length;
  if (n === 0) return { name, rater, n, mean: null, low: null, high: null };
  const hits = holds.filter(Boolean).length;
  const { low, high } = wilsonInterval(hits, n);
  return { name, rater, n, mean: (hits / n) * 100, low: low * 100, high: high * 100 };
}

function scaleMeasure(
  name: AuditMeasure['name'],
  rater: AuditMeasure['rater'],
  scores: readonly (number | null)[],
): AuditMeasure {
  const given = scores.filter((score) => score !== null);
  const found = scaleMean(given);
  return {
    name,
    rater,
    n: given.length,
    mean: found?.mean ?? null,
    low: found?.low ?? null,
    high: found?.high ?? null,
  };
}

function agreement(first: readonly boolean[], second: readonly boolean[]): AuditAgreement | null {
  const n = first.length;
  if (n === 0) return null;
  const { bothYes, onlyFirst, onlySecond, bothNo } = yesNoTable(first, second);
  const hits = bothYes + bothNo;
  const found = cohenKappa([
    [bothYes, onlyFirst],
    [onlySecond, bothNo],
  ]);
  return {
    raw: { n, hits, share: hits / n, ...wilsonInterval(hits, n) },
    kappa: found === null ? null : { value: found.kappa, low: found.low, high: found.high },
    table: [bothYes, onlyFirst, onlySecond, bothNo],
  };
}

function difference(pairs: readonly (readonly [number, number])[]): AuditResults['safety'] {
  if (pairs.length < 2) return null;
  const points = pairs.map(([person, judge]) => person - judge);
  const average = (list: readonly number[]): number =>
    list.reduce((sum, each) => sum + each, 0) / list.length;
  const { low, high } = crossedMeanInterval([points.map((each) => each / 100)]);
  return {
    n: points.length,
    difference: average(points),
    low: low * 100,
    high: high * 100,
    meanAbsolute: average(points.map(Math.abs)),
  };
}

function differences({ item, person, judge }: Rated & { person: PersonLabel }): AuditResults['differ'] {
  const found: AuditResults['differ'] = [];
  const note = (what: AuditResults['differ'][number]['what'], ours: string, other: string): void =>
    void found.push({ ordinal: item.ordinal, what, person: ours, other });
  if (person.decision !== null && person.decision !== 'unsure' && person.decision !== item.decision)
    note('decision', person.decision, item.decision);
  if (person.leaks !== item.leaks > 0)
    note('leak', person.leaks ? 'leaks' : 'no leak', item.leaks > 0 ? 'leaks' : 'no leak');
  const theirs = judge?.state === 'done' ? judge.safetyRelevance : null;
  if (
    person.safetyRelevance !== null &&
    theirs !== null &&
    Math.abs(person.safetyRelevance - theirs) >= FAR_APART
  )
    note('safety', String(person.safetyRelevance), String(theirs));
  return found;
}

const COLUMNS = [
  'ordinal',
  'review',
  'step',
  'batch',
  'phase',
  'supervisor_decision',
  'supervisor_status',
  'guard_findings',
  'reviewer',
  'model',
  'state',
  'decision',
  'blind',
  'safety_risk',
  'leaks',
  'safety_relevance',
  'actionability',
  'seconds',
  'comment',
  'judge_state',
  'judge_correct',
  'judge_safety_relevance',
  'judge_specificity',
  'judge_problem',
] as const;

/**
 * One line per sampled review, labelled or not.
 */
export function auditCsv({ items, labels }: Pick<Audit, 'items' | 'labels'>): string {
  const byOrdinal = new Map(labels.map((each) => [each.ordinal, each]));
  const lines = items.map((item) => {
    const { person = null, judge = null } = byOrdinal.get(item.ordinal) ?? {};
    return csvLine([
      item.ordinal,
      item.reviewId,
      item.step,
      item.batch,
      item.phase,
      item.decision,
      item.status,
      item.leaks,
      item.reviewer,
      item.model,
      person?.state ?? 'pending',
      person?.decision,
      person?.blind,
      person?.safetyRisk,
      person?.leaks,
      person?.safetyRelevance,
      person?.actionability,
      person === null ? null : person.seconds.toFixed(1),
      person?.comment,
      judge?.state,
      judge?.correct,
      judge?.safetyRelevance,
      judge?.specificity,
      judge?.problem,
    ]);
  });
  return csvLine(COLUMNS) + lines.join('');
}
