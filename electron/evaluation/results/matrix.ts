import {
  maybeMixed,
  resultRole,
  type EvaluationJudge,
  type EvaluationMatrix,
  type EvaluationScore,
  type EvaluationSummary,
  type MatrixCell,
  type MatrixColumn,
  type MatrixRequest,
  type MatrixRow,
} from '../../contract/index.ts';
import { GRADED_SUITES } from '../registry.ts';
import type { AnyGradedSuite } from '../suites/graded-suite.ts';
import type { EvaluationReads } from './reads.ts';
import { aggregateRows } from './aggregates.ts';
import { warningsBetween, listSummaries, type Chosen } from './compare.ts';
import { changeOf } from './changes.ts';

/** Suites and aggregates against checkpoints and models, from what is stored. Nothing is computed again but intervals of aggregates and of changes. */
export function matrixOf(store: EvaluationReads, request: MatrixRequest): EvaluationMatrix {
  const all = listSummaries(store);
  const columns = columnsOf(store, request, all);
  const chosen: Chosen = new Map(
    columns.map((column) => [column.key, chooseFor(store, column, all, request)]),
  );
  const suites = GRADED_SUITES.filter(
    ({ name }) =>
      (request.suites ?? []).includes(name) ||
      (request.suites === undefined && columns.some(({ key }) => chosen.get(key)?.has(name) === true)),
  );
  const rows = suites.flatMap((suite) => rowsOfSuite(suite, columns, chosen));
  const aggregates =
    request.suites === undefined ? aggregateRows(store, columns, chosen) : { rows: [], warnings: [] };
  const ordered = inGroups([...rows, ...aggregates.rows]);
  return {
    columns,
    rows: request.changes === true ? withChanges(store, columns, ordered, chosen) : ordered,
    warnings: [
      ...judgeWarnings(suites, columns, chosen),
      ...versionWarnings(suites, columns, chosen),
      ...aggregates.warnings,
    ],
    protocols: protocolsOf(columns, chosen),
    ...there(all),
  };
}

const keyOf = (subject: string, withContext: boolean): string => `${subject}${withContext ? '~context' : ''}`;

/**
 * Of both, a subject has a second column where its run had a context to ask it under: a run that was never reviewed has none, nor has a
 * run's start, and a library model belongs to no run.
 */
function columnsOf(
  store: EvaluationReads,
  { subjects, context = null, base: wanted = null }: MatrixRequest,
  all: readonly EvaluationSummary[],
): MatrixColumn[] {
  const columns = subjects.flatMap((subject) =>
    context === 'both'
      ? [columnOf(store, subject, false, all), columnOf(store, subject, true, all)].filter(
          ({ withContext, emptyContext, runId }) => !withContext || (runId !== null && !emptyContext),
        )
      : [columnOf(store, subject, context === 'run', all)],
  );
  const has = (key: string): boolean => columns.some((column) => column.key === key);
  return columns.map((column) => {
    const start = `${column.runId}@0`;
    const own = [keyOf(start, column.withContext), start].find(has) ?? null;
    const base = wanted !== null && has(wanted) ? wanted : own;
    return { ...column, base: base === column.key ? null : base };
  });
}

function columnOf(
  store: EvaluationReads,
  subject: string,
  withContext: boolean,
  all: readonly EvaluationSummary[],
): MatrixColumn {
  const match = /^(.+)@(\d+)$/.exec(subject);
  const run = match === null || subject.startsWith('model:') ? null : store.getRun(match[1]!);
  const stored = all.find(({ plan }) => plan.subject.id === subject)?.plan.subject;
  const under = withContext ? ', with context' : '';
  const shared = { key: keyOf(subject, withContext), subject, withContext, base: null };
  if (run !== null && match !== null) {
    const step = Number(match[2]);
    return {
      ...shared,
      label: `${run.config.name}, step ${step}${under}`,
      runId: run.id,
      step,
      emptyContext: store.getContext(run.id, step + 1)?.lines.length === 0,
      known: true,
    };
  }
  const label = stored?.label ?? subject.replace(/^model:/, '');
  return {
    ...shared,
    label: `${label}${stored?.runId == null ? '' : under}`,
    runId: stored?.runId ?? null,
    step: stored?.step ?? null,
    emptyContext: false,
    known: stored !== undefined || store.getModel(label) !== null,
  };
}

/** Finished ones before others, then those of more answers, then those asked under this very name, then newer ones. The same weights under another name count too. */
function chooseFor(
  store: EvaluationReads,
  { subject, runId, step, withContext, emptyContext }: MatrixColumn,
  all: readonly EvaluationSummary[],
  { seed = null, limit = null, judge = null }: MatrixRequest,
): Map<string, EvaluationSummary> {
  const run = runId === null ? null : store.getRun(runId);
  // What was made again of a run with other weights is a subject of its own, and not what the run recorded.
  const weights =
    run !== null && step !== null && subject === `${run.id}@${step}` && step <= run.committedSteps
      ? (store.latestCheckpoint(run.id, resultRole(run.config.framework), step)?.weightsSha256 ?? null)
      : null;
  const chosen = new Map<string, EvaluationSummary>();
  for (const one of all) {
    const { plan } = one;
    const isAsked = plan.subject.id === subject || one.weightsSha256 === weights;
    const fits =
      (withContext
        ? plan.context === null
          ? emptyContext
          : (plan.context.runId ?? runId) === runId
        : plan.context === null) &&
      (seed === null || plan.seed === seed) &&
      (limit === null || (plan.limit ?? plan.items) === limit) &&
      (judge === null || isJudgedBy(plan.judge, judge));
    if (!isAsked || !fits) continue;
    const before = chosen.get(plan.suite);
    if (before === undefined || rank(one, subject) >= rank(before, subject)) chosen.set(plan.suite, one);
  }
  return chosen;
}

const rank = ({ state, graded, plan }: EvaluationSummary, subject: string): number =>
  (state === 'done' ? 1e9 : 0) + graded + (plan.subject.id === subject ? 0.5 : 0);
const isJudgedBy = (judge: EvaluationJudge | null, wanted: string): boolean =>
  judge === null || judge.kind !== 'gguf' || judge.name === wanted || judge.sha256 === wanted;

function rowsOfSuite(suite: AnyGradedSuite, columns: readonly MatrixColumn[], chosen: Chosen): MatrixRow[] {
  const evaluations = columns.map(({ key }) => chosen.get(key)?.get(suite.name) ?? null);
  const names = [...new Set(evaluations.flatMap((one) => one?.scores.map(({ name }) => name) ?? []))];
  const reference = evaluations.find((one) => one !== null) ?? null;
  const row = (kind: 'suite' | 'score', name: string | null): MatrixRow => {
    const first = evaluations.flatMap((one) => one?.scores.filter((score) => score.name === name) ?? [])[0];
    return {
      key: kind === 'suite' ? suite.name : `${suite.name}/${name}`,
      kind,
      group: suite.group,
      suite: suite.name,
      score: name,
      label: kind === 'suite' ? suite.title : (name ?? ''),
      better: first?.better ?? suite.better,
      unit: first?.unit ?? 'share',
      cells: evaluations.map((one) => (one === null ? null : cellOf(one, name, reference))),
    };
  };
  return [row('suite', names[0] ?? null), ...names.slice(1).map((name) => row('score', name))];
}

function cellOf(
  one: EvaluationSummary,
  name: string | null,
  reference: EvaluationSummary | null,
): MatrixCell {
  const score: EvaluationScore | undefined = one.scores.find((each) => each.name === name);
  const corrected = one.corrected?.find((each) => each.name === name);
  const { loadAffected, overridden, unjudged } = one.counts;
  const differs = reference === null || reference.id === one.id ? [] : warningsBetween(reference, one);
  const marks: MatrixCell['marks'] = [
    ...(one.state === 'done' ? [] : ['partial' as const]),
    ...(differs.some((text) => text.includes('judged')) ? ['judge' as const] : []),
    ...(differs.some((text) => text.includes('asked differently')) ? ['protocol' as const] : []),
    ...(differs.some((text) => text.includes('items come')) ? ['items' as const] : []),
    ...(differs.some((text) => text.includes('versions of the suite')) ? ['rules' as const] : []),
    ...(unjudged > 0 ? ['unjudged' as const] : []),
    ...(loadAffected > 0 ? ['load-affected' as const] : []),
    ...(overridden > 0 ? ['overridden' as const] : []),
    ...(maybeMixed(one.plan) ? ['mixed-answers' as const] : []),
  ];
  return {
    value: score?.value ?? null,
    low: score?.low ?? null,
    high: score?.high ?? null,
    n: score?.n ?? one.graded - unjudged,
    of: one.planned,
    state: one.state === 'done' ? 'complete' : one.state === 'running' ? 'running' : 'partial',
    evaluationIds: [one.id],
    judge: one.plan.judge,
    marks,
    counts: one.counts,
    why:
      one.state === 'done'
        ? null
        : `${one.graded} of ${one.planned} answers are graded. ${one.problem ?? ''}`.trim(),
    corrected:
      corrected === undefined
        ? null
        : { value: corrected.value, low: corrected.low, high: corrected.high, n: corrected.n },
    change: null,
  };
}

/** Each cell with how it differs from that of its column's base. */
function withChanges(
  store: EvaluationReads,
  columns: readonly MatrixColumn[],
  rows: readonly MatrixRow[],
  chosen: Chosen,
): MatrixRow[] {
  const bases = columns.map(({ base }) => columns.findIndex(({ key }) => key === base));
  const evaluationOf = (column: number, { suite }: MatrixRow): EvaluationSummary | null =>
    chosen.get(columns[column]?.key ?? '')?.get(suite ?? '') ?? null;
  return rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, index) => {
      const base = bases[index] ?? -1;
      const before = row.cells[base] ?? null;
      if (cell === null || before === null) return cell;
      return {
        ...cell,
        change: changeOf(store, { row, before, after: cell }, [
          evaluationOf(base, row),
          evaluationOf(index, row),
        ]),
      };
    }),
  }));
}

/** Groups as tables show them; within one the suites, then its aggregates. */
function inGroups(rows: readonly MatrixRow[]): MatrixRow[] {
  const order: Record<MatrixRow['group'], number> = { code: 0, maths: 1, safety: 2, own: 3, toy: 4 };
  return rows.toSorted(
    (a, b) =>
      order[a.group] - order[b.group] || Number(a.kind === 'aggregate') - Number(b.kind === 'aggregate'),
  );
}

function judgeWarnings(
  suites: readonly AnyGradedSuite[],
  columns: readonly MatrixColumn[],
  chosen: Chosen,
): string[] {
  return suites.flatMap((suite) => {
    const evaluations = columns.flatMap(({ key }) => chosen.get(key)?.get(suite.name) ?? []);
    const judges = [
      ...new Set(
        evaluations.flatMap(({ plan: { judge } }) =>
          judge === null ? [] : [`${judge.name} (${judge.promptVersion})`],
        ),
      ),
    ];
    return judges.length > 1
      ? [
          `${suite.title} was judged differently in its columns: ${judges.join(', ')}. A difference may be the judge's.`,
        ]
      : [];
  });
}

/** A suite that is graded by other rules now keeps its older scores; beside those of today they measure something else. */
function versionWarnings(
  suites: readonly AnyGradedSuite[],
  columns: readonly MatrixColumn[],
  chosen: Chosen,
): string[] {
  return suites.flatMap((suite) => {
    const versions = new Set(
      columns.flatMap(({ key }) => chosen.get(key)?.get(suite.name)?.plan.suiteVersion ?? []),
    );
    return versions.size > 1
      ? [
          `${suite.title} was graded by versions ${[...versions].toSorted().join(' and ')} of its rules in its columns; evaluate the older ones again to compare them.`,
        ]
      : [];
  });
}

function protocolsOf(columns: readonly MatrixColumn[], chosen: Chosen): Record<string, string> {
  const shown = columns.toReversed().flatMap(({ key }) => [...(chosen.get(key)?.values() ?? [])]);
  return Object.fromEntries(shown.map(({ plan }) => [plan.suite, plan.protocol.name]));
}

function there(all: readonly EvaluationSummary[]): Pick<EvaluationMatrix, 'seeds' | 'limits' | 'judges'> {
  const byCount = <T>(values: readonly T[]): T[] =>
    [...Map.groupBy(values, (value) => value)]
      .toSorted((a, b) => b[1].length - a[1].length)
      .map(([value]) => value);
  return {
    seeds: byCount(all.map(({ plan }) => plan.seed)),
    limits: byCount(all.map(({ plan }) => plan.limit)),
    judges: byCount(all.flatMap(({ plan: { judge } }) => (judge?.kind === 'gguf' ? [judge.name] : []))),
  };
}
