import {
  maybeMixed,
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

/** Suites and aggregates against checkpoints and models, from what is stored. Nothing is computed again but intervals of aggregates. */
export function matrixOf(store: EvaluationReads, request: MatrixRequest): EvaluationMatrix {
  const all = listSummaries(store);
  const columns = request.subjects.map((subject) => columnOf(store, subject, request.subjects, all));
  const chosen: Chosen = new Map(
    columns.map((column) => [column.subject, chooseFor(store, column, all, request)]),
  );
  const suites = GRADED_SUITES.filter(
    ({ name }) =>
      (request.suites ?? []).includes(name) ||
      (request.suites === undefined &&
        columns.some(({ subject }) => chosen.get(subject)?.has(name) === true)),
  );
  const rows = suites.flatMap((suite) => rowsOfSuite(suite, columns, chosen));
  const aggregates =
    request.suites === undefined ? aggregateRows(store, columns, chosen) : { rows: [], warnings: [] };
  return {
    columns,
    rows: inGroups([...rows, ...aggregates.rows]),
    warnings: [...judgeWarnings(suites, columns, chosen), ...aggregates.warnings],
    protocols: protocolsOf(columns, chosen),
    ...there(all),
  };
}

function columnOf(
  store: EvaluationReads,
  subject: string,
  subjects: readonly string[],
  all: readonly EvaluationSummary[],
): MatrixColumn {
  const match = /^(.+)@(\d+)$/.exec(subject);
  const run = match === null || subject.startsWith('model:') ? null : store.getRun(match[1]!);
  const stored = all.find(({ plan }) => plan.subject.id === subject)?.plan.subject;
  if (run !== null && match !== null) {
    const base = `${run.id}@0`;
    return {
      subject,
      label: `${run.config.name}, step ${match[2]}`,
      runId: run.id,
      step: Number(match[2]),
      base: subject !== base && subjects.includes(base) ? base : null,
      known: true,
    };
  }
  const label = stored?.label ?? subject.replace(/^model:/, '');
  return {
    subject,
    label,
    runId: stored?.runId ?? null,
    step: stored?.step ?? null,
    base: null,
    known: stored !== undefined || store.getModel(label) !== null,
  };
}

/** Finished ones before others, then those of more answers, then those asked under this very name, then newer ones. The same weights under another name count too. */
function chooseFor(
  store: EvaluationReads,
  { subject, runId, step }: MatrixColumn,
  all: readonly EvaluationSummary[],
  request: MatrixRequest,
): Map<string, EvaluationSummary> {
  const weights =
    runId !== null && step !== null ? (store.getCheckpoint(runId, step)?.weightsSha256 ?? null) : null;
  const chosen = new Map<string, EvaluationSummary>();
  for (const one of all) {
    const { plan } = one;
    const isAsked = plan.subject.id === subject || one.weightsSha256 === weights;
    const fits =
      (request.context === null
        ? plan.context === null
        : plan.context !== null && (plan.context.runId ?? runId) === runId) &&
      (request.seed === null || plan.seed === request.seed) &&
      (request.limit === null || (plan.limit ?? plan.items) === request.limit) &&
      (request.judge === null || isJudgedBy(plan.judge, request.judge));
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
  const evaluations = columns.map(({ subject }) => chosen.get(subject)?.get(suite.name) ?? null);
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
    ...(unjudged > 0 ? ['unjudged' as const] : []),
    ...(loadAffected > 0 ? ['load-affected' as const] : []),
    ...(overridden > 0 ? ['overridden' as const] : []),
    ...(maybeMixed(one.plan) ? ['mixed-answers' as const] : []),
  ];
  return {
    value: score?.value ?? null,
    low: score?.low ?? null,
    high: score?.high ?? null,
    n: score?.n ?? one.graded,
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
      corrected === undefined ? null : { value: corrected.value, low: corrected.low, high: corrected.high },
  };
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
    const evaluations = columns.flatMap(({ subject }) => chosen.get(subject)?.get(suite.name) ?? []);
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

function protocolsOf(columns: readonly MatrixColumn[], chosen: Chosen): Record<string, string> {
  const shown = columns.toReversed().flatMap(({ subject }) => [...(chosen.get(subject)?.values() ?? [])]);
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
