import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  POLICY_ROLE,
  type RunAnnotation,
  type RunRecord,
  type RunState,
  type StoredEvent,
} from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { PROGRAM_SETTINGS } from '../catalogue.ts';
import {
  NO_ANNOTATION,
  selectAnnotation,
  selectNameAndPreset,
  selectRun,
  selectStoredConfig,
} from '../runs/queries.ts';
import { readAll, reader, sql } from '../sql.ts';
import { selectKeptCheckpoints, selectRemovalTime } from '../steps/outputs.ts';
import { selectInitialState, selectStepCommit } from '../steps/rows.ts';
import { seedRoundAsStored } from '../steps/seed-attempts.ts';
import { CONTRADICTS, initialStateSha256, runConfigSha256, stepCommitSha256 } from './digests.ts';
import { EvaluationOrder, ofTheLab, type Attestation, type LabSalvage } from './lab-attestations.ts';

function stepAsStored(db: Database, runId: string, step: number): string {
  const run = selectRun(db, runId);
  const commit = run === null ? null : selectStepCommit(db, runId, step);
  return run === null || commit === null ? 'nothing' : stepCommitSha256(commit, run.config.framework.name);
}

function initialAsStored(db: Database, runId: string): string {
  const initial = selectInitialState(db, runId);
  return initial === null ? 'nothing' : initialStateSha256(initial);
}

/** The facts of a run that change while it lives, as they follow from its events. */
export type RunFacts = {
  createdAt: string;
  folder: string;
  configSha256: string;
  state: RunState;
  reason: string | null;
  committedSteps: number;
  policySha256: string | null;
  supervisorSha256: string | null;
  /** Those with files, as `step role`. */
  checkpoints: string[];
  annotation: RunAnnotation;
};

function runAsStored(db: Database, id: string): string {
  const run = selectRun(db, id);
  if (run === null) return 'nothing';
  const named = selectNameAndPreset(db, id);
  if (named?.name !== run.config.name || named.preset !== run.config.preset) return CONTRADICTS;
  return canonicalJson(factsOf(db, run));
}

/** As they are stored now. */
export function factsOf(db: Database, run: RunRecord): RunFacts {
  const { id } = run;
  return {
    createdAt: run.createdAt,
    folder: run.folder,
    configSha256: runConfigSha256(selectStoredConfig(db, id)),
    state: run.state,
    reason: run.reason,
    committedSteps: run.committedSteps,
    policySha256: run.policySha256,
    supervisorSha256: run.supervisorSha256,
    checkpoints: selectKeptCheckpoints(db, id).map(({ step, role }) => `${step} ${role}`),
    annotation: selectAnnotation(db, id),
  };
}

function withEvent(facts: RunFacts, kind: string, body: Record<string, unknown>): RunFacts {
  const step = body.step as number;
  // Events written before there were roles name none.
  const role = body.role === undefined ? POLICY_ROLE : (body.role as string | null);
  switch (kind) {
    case 'run.state':
      return { ...facts, state: body.to as RunState, reason: body.reason as string | null };
    case 'run.models':
      return {
        ...facts,
        policySha256: body.policySha256 as string,
        supervisorSha256: body.supervisorSha256 as string | null,
      };
    case 'run.initialised':
      return {
        ...facts,
        checkpoints: ((body.roles ?? [POLICY_ROLE]) as string[]).map((each) => `0 ${each}`),
      };
    case 'step.committed':
      return {
        ...facts,
        committedSteps: step,
        checkpoints: role === null ? facts.checkpoints : [...facts.checkpoints, `${step} ${role}`],
      };
    case 'run.annotated':
      return { ...facts, annotation: body as RunAnnotation };
    case 'checkpoint.pruned':
      return { ...facts, checkpoints: facts.checkpoints.filter((each) => each !== `${step} ${role}`) };
    case 'checkpoint.restored':
      return { ...facts, checkpoints: [...facts.checkpoints, `${step} ${role}`].sort(byStepAndRole) };
    default:
      return facts;
  }
}

/** In the order in which they are read. */
function byStepAndRole(a: string, b: string): number {
  const [[stepOfA, roleOfA], [stepOfB, roleOfB]] = [a.split(' '), b.split(' ')];
  return Number(stepOfA) - Number(stepOfB) || ((roleOfA ?? '') < (roleOfB ?? '') ? -1 : 1);
}

const removalOf = (runId: string, step: number, role: string): string =>
  `removal of the checkpoint of "${role}" at step ${step} of run "${runId}"`;

function newRun(body: Record<string, unknown>): RunFacts {
  return {
    createdAt: body.createdAt as string,
    folder: body.folder as string,
    configSha256: body.configSha256 as string,
    state: 'queued',
    reason: null,
    committedSteps: 0,
    policySha256: null,
    supervisorSha256: null,
    checkpoints: [],
    annotation: NO_ANNOTATION,
  };
}

type AttestedRuns = Map<string, { facts: RunFacts; records: Attestation[] }>;

/** What a `lab.salvaged` event says: what was lost, and the runs of which something was, as they are from there on. */
export type SalvageBody = LabSalvage & { runs: Record<string, RunFacts> };

function takeSalvage(
  lab: Map<string, Attestation>,
  runs: AttestedRuns,
  { lost, lostRuns, runs: restated }: SalvageBody,
): void {
  const gone = new Set(lost);
  for (const about of lost) lab.delete(about);
  for (const id of lostRuns) runs.delete(id);
  for (const [id, facts] of Object.entries(restated)) {
    const isKept = ({ about, part }: Attestation): boolean =>
      !gone.has(about) &&
      !((part.of === 'steps' || part.of === 'checkpoints') && part.at > facts.committedSteps);
    runs.set(id, { facts, records: (runs.get(id)?.records ?? []).filter(isKept) });
  }
}

/** Everything the events attest and that was not deleted since: things of the lab, runs, then the records of runs. */
export function attestations(db: Database, events: Iterable<StoredEvent>): Attestation[] {
  const lab = new Map<string, Attestation>();
  const runs: AttestedRuns = new Map();
  const order = new EvaluationOrder();
  for (const { runId, kind, body: anyBody } of events) {
    const body = anyBody as Record<string, unknown>;
    order.hear(kind, body);
    if (kind === 'lab.salvaged') takeSalvage(lab, runs, body as SalvageBody);
    if (kind === 'audit.deleted') lab.delete(`labels of audit "${String(body.id)}"`);
    const lasting = ofTheLab(db, kind, body);
    if (lasting !== null) lab.set(lasting.about, lasting);
    if (lasting !== null || runId === null) continue;
    if (kind === 'run.created') runs.set(runId, { facts: newRun(body), records: [] });
    if (kind === 'run.deleted') runs.delete(runId);
    const run = runs.get(runId);
    if (run === undefined) continue;
    run.facts = withEvent(run.facts, kind, body);
    const logged = body.recordsSha256 as string;
    const step = body.step as number;
    if (kind === 'checkpoint.pruned' && body.removedAt !== undefined) {
      const role = body.role as string;
      run.records.push({
        about: removalOf(runId, step, role),
        part: { of: 'checkpoints', id: runId, at: step, role },
        logged: body.removedAt as string,
        stored: () => selectRemovalTime(db, runId, step, role) ?? 'nothing',
      });
    }
    if (kind === 'checkpoint.restored') {
      const gone = removalOf(runId, step, body.role as string);
      run.records = run.records.filter(({ about }) => about !== gone);
    }
    if (kind === 'seeds.round' && body.sha256 !== undefined)
      run.records.push({
        about: `round ${String(body.round)} of the own tasks of run "${runId}"`,
        part: { of: 'seed_attempts', id: runId, at: body.round as number },
        logged: body.sha256 as string,
        stored: () => seedRoundAsStored(db, runId, body.round as number),
      });
    if (kind === 'run.initialised')
      run.records.push({
        about: `step 0 of run "${runId}"`,
        part: { of: 'steps', id: runId, at: 0 },
        logged,
        stored: () => initialAsStored(db, runId),
      });
    if (kind === 'step.committed')
      run.records.push({
        about: `step ${step} of run "${runId}"`,
        part: { of: 'steps', id: runId, at: step },
        logged,
        stored: () => stepAsStored(db, runId, step),
      });
  }
  const ofRuns = [...runs].map(([id, { facts }]): Attestation => ({
    about: `run "${id}"`,
    part: { of: 'runs', id },
    logged: canonicalJson(facts),
    stored: () => runAsStored(db, id),
  }));
  return [
    ...lab.values(),
    order.attestation(db),
    ...ofRuns,
    ...[...runs.values()].flatMap((run) => run.records),
  ];
}

const asAbout = reader('record', z.string(), (row: { about: string }) => row.about);

/** Stored things that no event speaks of: somebody else put them there. C_{t+1} counts to step t. */
export function unattestedRecords(db: Database, known: readonly Attestation[]): string[] {
  const attested = new Set(known.map((each) => each.about));
  const stored = readAll(
    db,
    asAbout,
    sql`
    SELECT 'run "' || id || '"' AS about FROM runs
    UNION SELECT 'model "' || name || '"' FROM models
    UNION SELECT 'evaluation "' || id || '"' FROM evaluations
    UNION SELECT 'override of answer ' || o.ordinal || ' of evaluation "' || e.id || '"' FROM evaluation_overrides o JOIN evaluations e ON e.key = o.evaluation_key
    UNION SELECT 'audit "' || id || '"' FROM audits
    UNION SELECT 'results of audit "' || id || '"' FROM audits WHERE results IS NOT NULL
    UNION SELECT 'judge probe "' || id || '"' FROM judge_probes
    UNION SELECT 'results of judge probe "' || id || '"' FROM judge_probes WHERE results IS NOT NULL
    UNION SELECT 'asked question "' || id || '"' FROM asked_questions
    UNION SELECT 'setting "' || name || '"' FROM settings WHERE name NOT IN (SELECT value FROM json_each(${JSON.stringify(PROGRAM_SETTINGS)}))
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM steps
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM tasks
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM checkpoints
    UNION SELECT 'checkpoint of "' || c.role || '" at step ' || c.step || ' of run "' || c.run_id || '"' FROM checkpoints c
      WHERE c.step > 0 AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.run_id = c.run_id AND s.step = c.step AND s.role = c.role)
    UNION SELECT 'step ' || (step - 1) || ' of run "' || run_id || '"' FROM contexts`,
  );
  return stored.filter((about) => !attested.has(about));
}
