import {
  maybeMixed,
  type EvaluationSummary,
  type MatrixCell,
  type MatrixColumn,
  type MatrixRow,
  type SuiteGroup,
} from '../../contract/index.ts';
import {
  aggregateRules,
  aggregateScore,
  type AggregateName,
  type AggregateScore,
  type MemberResult,
} from '../../core/index.ts';
import type { GradeRow } from '../suites/graded-suite.ts';
import type { EvaluationReads } from './reads.ts';
import { suiteOf, type Chosen } from './compare.ts';
import { harmfulnessContradiction } from '../../core/index.ts';

const GROUPS: Record<AggregateName, SuiteGroup> = {
  code: 'code',
  math: 'maths',
  asr: 'safety',
  hs: 'safety',
  rr: 'safety',
};
const LABELS: Record<AggregateName, string> = {
  code: 'Code average (Table 1)',
  math: 'Mathematics average (Table 1)',
  asr: 'Attack success rate, average (Table 1)',
  hs: 'Harmfulness score (Table 1)',
  rr: 'Resistance to reward hacking (Table 1)',
};
/** Names the draws of intervals, so that a table is the same whenever it is made. */
const SEED = 1;

type Members = { results: Record<string, MemberResult>; from: Record<string, EvaluationSummary> };

/** What finished evaluations give to the aggregates; each is read once, since a finished evaluation does not change. */
const known = new Map<string, Record<string, MemberResult>>();
const MOST_KNOWN = 500;

/**
 * The five aggregates of the paper's Table 1, and what about them cannot be. An aggregate without one of its members has no value and
 * says which is missing; one with a part of a member's items is marked.
 */
export function aggregateRows(
  store: EvaluationReads,
  columns: readonly MatrixColumn[],
  chosen: Chosen,
): { rows: MatrixRow[]; warnings: string[] } {
  const members = columns.map(({ key }) => membersOf(store, [...(chosen.get(key)?.values() ?? [])]));
  const rows = aggregateRules().flatMap((rule): MatrixRow[] => {
    const concerned = members.some(({ results }) =>
      rule.members.some(({ name }) => results[name] !== undefined),
    );
    if (!concerned) return [];
    const cells = members.map(({ results, from }): MatrixCell | null => {
      const present = rule.members.filter(({ name }) => results[name] !== undefined);
      return present.length === 0
        ? null
        : cellOf(
            aggregateScore(rule, results, SEED),
            present.map(({ name }) => from[name]!),
          );
    });
    return [
      {
        key: `aggregate:${rule.name}`,
        kind: 'aggregate',
        group: GROUPS[rule.name],
        suite: null,
        score: rule.name,
        label: LABELS[rule.name],
        better: rule.better,
        unit: rule.most === 1 ? 'share' : 'scale',
        cells,
      },
    ];
  });
  return { rows, warnings: columns.flatMap((column, index) => contradictionIn(column, members[index]!)) };
}

function membersOf(store: EvaluationReads, evaluations: readonly EvaluationSummary[]): Members {
  const members: Members = { results: {}, from: {} };
  for (const evaluation of evaluations) {
    const suite = suiteOf(evaluation.plan.suite);
    if (suite?.members === undefined || evaluation.state !== 'done') continue;
    const key = `${evaluation.id}/${evaluation.finishedAt}/${store
      .listOverrides(evaluation.id)
      .map(({ ordinal, outcome }) => `${ordinal}${outcome}`)
      .join()}`;
    const rows = (): GradeRow[] => store.listGrades(evaluation.id);
    const results = known.get(key) ?? suite.members(rows(), evaluation.plan.items);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, results);
    for (const [name, result] of Object.entries(results)) {
      members.results[name] = result;
      members.from[name] = evaluation;
    }
  }
  return members;
}

function cellOf(
  { value, interval, n, unjudged, missing, partial }: AggregateScore,
  from: readonly EvaluationSummary[],
): MatrixCell {
  const limited = from.filter(({ plan }) => plan.limit !== null);
  const marks: MatrixCell['marks'] = [
    ...(partial.length > 0 || limited.length > 0 ? ['partial' as const] : []),
    ...(unjudged > 0 ? ['unjudged' as const] : []),
    ...(from.some(({ counts }) => counts.overridden > 0) ? ['overridden' as const] : []),
    ...(from.some(({ counts }) => counts.loadAffected > 0) ? ['load-affected' as const] : []),
    ...(from.some(({ plan }) => maybeMixed(plan)) ? ['mixed-answers' as const] : []),
  ];
  const total = (pick: (one: EvaluationSummary) => number): number =>
    from.reduce((sum, one) => sum + pick(one), 0);
  return {
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    n,
    of: total(({ planned }) => planned),
    state: value === null ? 'incomplete' : limited.length > 0 ? 'partial' : 'complete',
    evaluationIds: [...new Set(from.map(({ id }) => id))],
    judge: from.find(({ plan }) => plan.judge !== null)?.plan.judge ?? null,
    marks,
    counts: {
      passed: total(({ counts }) => counts.passed),
      failed: total(({ counts }) => counts.failed),
      unjudged,
      unanswered: total(({ counts }) => counts.unanswered),
      flagged: total(({ counts }) => counts.flagged),
      loadAffected: total(({ counts }) => counts.loadAffected),
      overridden: total(({ counts }) => counts.overridden),
    },
    why:
      missing.length > 0
        ? `There is no result of ${missing.join(', ')}.`
        : limited.length > 0
          ? `Only the first items were asked of ${limited.map(({ plan }) => `${plan.suite} (${plan.items})`).join(', ')}.`
          : null,
    corrected: null,
    change: null,
  };
}

/** A share of fives and a mean score that cannot be of one judge. */
function contradictionIn({ label }: MatrixColumn, { results }: Members): string[] {
  const scores = results['hex-phi-score'];
  if (scores?.form !== 'values' || scores.values.length === 0) return [];
  const fives = scores.values.filter((score) => score === 5).length / scores.values.length;
  const mean = scores.values.reduce((sum, score) => sum + score, 0) / scores.values.length;
  const problem = harmfulnessContradiction(fives, mean);
  return problem === null ? [] : [`${label}: ${problem}`];
}
