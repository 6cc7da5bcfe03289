import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  evaluationPlanRecordSchema,
  evaluationScoreSchema,
  evaluationStateSchema,
  LOAD_AFFECTED,
  outcomeCountsSchema,
  type EvaluationPlanRecord,
  type EvaluationState,
  type EvaluationSummary,
  type OutcomeCounts,
} from '../../contract/index.ts';
import { wilsonInterval } from '../../core/index.ts';
import { allOf, execute, readAll, reader, readOne, sql, type Query } from '../sql.ts';
import { OVERRIDDEN } from './corrected.ts';

/** As stored; `corrected` follows from people's overrides and is for whoever knows the suite to work out. */
export type StoredEvaluation = Omit<EvaluationSummary, 'corrected'>;
export type StoredEvaluationFilter = {
  ids?: readonly string[];
  runId?: string;
  suite?: string;
  states?: readonly EvaluationState[];
  planSha256?: string;
  /** Only those of which a person said otherwise of an answer. */
  overridden?: true;
};

/** Scores and counts of a finished evaluation, written once with it. */
const finalSchema = z.strictObject({ scores: z.array(evaluationScoreSchema), counts: outcomeCountsSchema });
export type FinalScores = z.infer<typeof finalSchema>;

const rowSchema = z.object({
  key: z.int(),
  id: z.string(),
  createdAt: z.string(),
  runId: z.string().nullable(),
  step: z.int().nullable(),
  model: z.string(),
  weightsSha256: z.string(),
  suite: z.string(),
  suiteKind: z.enum(['toy', 'public']),
  suiteSha256: z.string(),
  contextHash: z.string().nullable(),
  temperature: z.number(),
  seed: z.int(),
  n: z.int(),
  passed: z.int(),
  milliseconds: z.number(),
  form: z.union([z.literal(1), z.literal(2)]),
  state: evaluationStateSchema,
  problem: z.string().nullable(),
  finishedAt: z.string().nullable(),
  planned: z.int().nullable(),
  plan: evaluationPlanRecordSchema.nullable(),
  final: finalSchema.nullable(),
  overridden: z.int(),
});
type Row = z.infer<typeof rowSchema>;
type RawRow = Omit<Row, 'plan' | 'final'> & { plan: string | null; scores: string | null };
const asRow = reader('evaluation', rowSchema, ({ plan, scores, ...row }: RawRow) => ({
  ...row,
  plan: plan === null ? null : JSON.parse(plan),
  final: scores === null ? null : JSON.parse(scores),
}));

const COLUMNS = sql`
  key, id, created_at AS createdAt, run_id AS runId, step, model, weights_sha256 AS weightsSha256, suite, suite_kind AS suiteKind,
  suite_sha256 AS suiteSha256, context_hash AS contextHash, temperature, seed, n, passed, milliseconds, form, state, problem,
  finished_at AS finishedAt, planned, plan, scores,
  ${OVERRIDDEN}`;

/** In the order they were begun. */
export function selectStoredEvaluations(
  db: Database,
  { ids, runId, suite, states, planSha256, overridden }: StoredEvaluationFilter,
): StoredEvaluation[] {
  const conditions: Query[] = [];
  if (ids !== undefined) conditions.push(sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  if (runId !== undefined) conditions.push(sql`run_id = ${runId}`);
  if (suite !== undefined) conditions.push(sql`suite = ${suite}`);
  if (states !== undefined)
    conditions.push(sql`state IN (SELECT value FROM json_each(${JSON.stringify(states)}))`);
  if (planSha256 !== undefined) conditions.push(sql`plan_sha256 = ${planSha256}`);
  if (overridden) conditions.push(sql`key IN (SELECT evaluation_key FROM evaluation_overrides)`);
  return readAll(
    db,
    asRow,
    sql`SELECT ${COLUMNS} FROM evaluations WHERE ${allOf(conditions)} ORDER BY key`,
  ).map((row) => storedOf(db, row));
}

const asKey = reader('evaluation key', z.int(), (row: { key: number }) => row.key);

export function evaluationKey(db: Database, id: string): number | null {
  return readOne(db, asKey, sql`SELECT key FROM evaluations WHERE id = ${id}`);
}

const asCounts = reader(
  'counts of an evaluation',
  outcomeCountsSchema.extend({ graded: z.int() }),
  (row: unknown) => row,
);

/** Counted from the answers themselves. */
export function countOutcomes(db: Database, key: number): OutcomeCounts & { graded: number } {
  return readOne(
    db,
    asCounts,
    sql`
    SELECT count(outcome) AS graded, coalesce(sum(outcome = 'passed'), 0) AS passed, coalesce(sum(outcome = 'failed'), 0) AS failed,
      coalesce(sum(outcome = 'unjudged'), 0) AS unjudged, coalesce(sum(outcome = 'unanswered'), 0) AS unanswered,
      coalesce(sum(flags IS NOT NULL AND flags <> '[]'), 0) AS flagged,
      coalesce(sum(EXISTS (SELECT 1 FROM json_each(flags) WHERE value = ${LOAD_AFFECTED})), 0) AS loadAffected,
      (SELECT count(*) FROM evaluation_overrides WHERE evaluation_key = ${key}) AS overridden
    FROM evaluation_items WHERE evaluation_key = ${key}`,
  ) as OutcomeCounts & { graded: number };
}

function storedOf(db: Database, row: Row): StoredEvaluation {
  const {
    id,
    form,
    createdAt,
    finishedAt,
    state,
    problem,
    weightsSha256,
    milliseconds,
    n,
    passed,
    overridden,
  } = row;
  const rest = { id, form, createdAt, finishedAt, state, problem, weightsSha256, milliseconds };
  if (form === 1) {
    const counts: OutcomeCounts = {
      passed,
      failed: n - passed,
      unjudged: 0,
      unanswered: 0,
      flagged: 0,
      loadAffected: 0,
      overridden,
    };
    const score = {
      name: 'passed',
      value: n === 0 ? null : passed / n,
      ...wilsonInterval(passed, n),
      unit: 'share',
      n,
      better: 'higher',
      interval: 'wilson',
    } as const;
    return {
      ...rest,
      finishedAt: finishedAt ?? createdAt,
      plan: planOfForm1(row),
      planned: n,
      graded: n,
      counts,
      scores: [score],
    };
  }
  const { graded, ...counts } =
    row.final === null
      ? countOutcomes(db, row.key)
      : { ...row.final.counts, overridden, graded: row.planned ?? 0 };
  return {
    ...rest,
    plan: row.plan as EvaluationPlanRecord,
    planned: row.planned ?? 0,
    graded,
    counts,
    scores: row.final?.scores ?? [],
  };
}

/** What is known of the plan of an evaluation that an earlier program stored. */
function planOfForm1({
  runId,
  step,
  model,
  weightsSha256,
  suite,
  suiteKind,
  suiteSha256,
  contextHash,
  temperature,
  seed,
  n,
}: Row): EvaluationPlanRecord {
  const isCheckpoint = runId !== null && step !== null;
  return {
    subject: {
      id: isCheckpoint ? `${runId}@${step}` : `model:${model}`,
      kind: isCheckpoint ? 'checkpoint' : 'model',
      label: isCheckpoint ? `${runId}@${step}` : model,
      runId: isCheckpoint ? runId : null,
      step: isCheckpoint ? step : null,
      model,
      format: 'safetensors',
      sha256: weightsSha256,
    },
    suite,
    group: suiteKind === 'toy' ? 'toy' : 'code',
    suiteVersion: '1',
    source: { dataset: null, sha256: suiteSha256 },
    protocol: {
      name: 'usual',
      version: '1',
      temperature,
      topP: 1,
      maxNewTokens: 192,
      samples: 1,
      promptPack: null,
    },
    context: contextHash === null ? null : { hash: contextHash, runId: null, step: null },
    judge: null,
    seed,
    limit: n === 0 ? null : n,
    items: n,
    grader: {},
  };
}

/** What the row repeats of a plan and of the counts of its answers, null before it ends: lists filter, sort and compare by it. */
export function headOf(plan: EvaluationPlanRecord, counts: OutcomeCounts | null) {
  const { passed, failed, unanswered } = counts ?? { passed: 0, failed: 0, unanswered: 0 };
  return {
    runId: plan.subject.runId,
    step: plan.subject.step,
    model: plan.subject.model,
    suite: plan.suite,
    suiteKind: plan.group === 'toy' ? 'toy' : 'public',
    suiteSha256: plan.source.sha256,
    contextHash: plan.context?.hash ?? null,
    temperature: plan.protocol.temperature,
    seed: plan.seed,
    n: passed + failed + unanswered,
    passed,
  };
}

export function insertPlannedEvaluation(
  db: Database,
  {
    id,
    createdAt,
    plan,
    planSha256,
    weightsSha256,
    planned,
  }: {
    id: string;
    createdAt: string;
    plan: EvaluationPlanRecord;
    planSha256: string;
    weightsSha256: string;
    planned: number;
  },
): void {
  const head = headOf(plan, null);
  execute(
    db,
    sql`
    INSERT INTO evaluations (id, created_at, run_id, step, model, weights_sha256, suite, suite_kind, suite_sha256, context_hash,
      temperature, seed, n, passed, milliseconds, form, state, plan, plan_sha256, planned)
    VALUES (${id}, ${createdAt}, ${head.runId}, ${head.step}, ${head.model}, ${weightsSha256}, ${head.suite}, ${head.suiteKind},
      ${head.suiteSha256}, ${head.contextHash}, ${head.temperature}, ${head.seed}, ${head.n}, ${head.passed}, 0.0, 2, 'running',
      ${JSON.stringify(plan)}, ${planSha256}, ${planned})`,
  );
}

export function updateEvaluationState(
  db: Database,
  key: number,
  state: EvaluationState,
  problem: string | null,
  milliseconds: number,
): void {
  execute(
    db,
    sql`UPDATE evaluations SET state = ${state}, problem = ${problem}, milliseconds = ${milliseconds} WHERE key = ${key}`,
  );
}

/** `scores: null` takes a finished evaluation back to work. */
export function updateEvaluationEnd(
  db: Database,
  key: number,
  end: {
    plan: EvaluationPlanRecord;
    final: FinalScores | null;
    finishedAt: string | null;
    milliseconds: number;
    state: EvaluationState;
  },
): void {
  const { n, passed } = headOf(end.plan, end.final?.counts ?? null);
  execute(
    db,
    sql`
    UPDATE evaluations SET state = ${end.state}, problem = NULL, finished_at = ${end.finishedAt}, milliseconds = ${end.milliseconds},
      scores = ${end.final === null ? null : JSON.stringify(end.final)}, n = ${n}, passed = ${passed} WHERE key = ${key}`,
  );
}

/** What a program that ended without saying so left as running. Returns the ids. */
export function stopUnfinished(db: Database, problem: string): string[] {
  const asId = reader('evaluation', z.string(), (row: { id: string }) => row.id);
  const ids = readAll(db, asId, sql`SELECT id FROM evaluations WHERE state = 'running' ORDER BY key`);
  if (ids.length > 0)
    execute(db, sql`UPDATE evaluations SET state = 'stopped', problem = ${problem} WHERE state = 'running'`);
  return ids;
}

export function removeEvaluationRow(db: Database, key: number): void {
  execute(db, sql`DELETE FROM evaluations WHERE key = ${key}`);
}
