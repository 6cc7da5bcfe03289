import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { POLICY_ROLE, type RunAnnotation, type RunState, type StoredEvent } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { auditAsStored, auditOutcomeAsStored } from '../audits/repository.ts';
import { selectModel, selectSetting } from '../catalogue.ts';
import { readEvaluation } from '../evaluations/first-form.ts';
import { finishedAsStored, overrideAsStored, plannedAsStored } from '../evaluations/repository.ts';
import { probeAsStored, probeOutcomeAsStored } from '../judge-probes/repository.ts';
import { NO_ANNOTATION, selectAnnotation, selectRun, selectStoredConfig } from '../runs/queries.ts';
import { readAll, reader, sql } from '../sql.ts';
import { selectKeptCheckpoints } from '../steps/outputs.ts';
import { selectInitialState, selectStepCommit } from '../steps/rows.ts';
import {
  evaluationSha256,
  initialStateSha256,
  modelSha256,
  runConfigSha256,
  stepCommitSha256,
} from './digests.ts';

/** What the events say about one thing, and a look at what is stored about it now. Equal texts: it is as it was attested. */
export type Attestation = { about: string; logged: string; stored: () => string };

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
type RunFacts = {
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
  const facts: RunFacts = {
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
  return canonicalJson(facts);
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
    default:
      return facts;
  }
}

const overrideOf = (ordinal: number, id: string): string =>
  `override of answer ${ordinal} of evaluation "${id}"`;

/** Evaluations, models and settings belong to the lab; the last event about one of them counts. */
function ofTheLab(db: Database, kind: string, body: Record<string, unknown>): Attestation | null {
  const logged = (body.recordSha256 ?? body.sha256) as string;
  const digest = <T>(record: T | null, of: (record: T) => string): string =>
    record === null ? 'nothing' : of(record);
  const id = body.id as string;
  const name = body.name as string;
  switch (kind) {
    case 'evaluation.begun':
      return { about: `evaluation "${id}"`, logged, stored: () => plannedAsStored(db, id) };
    case 'evaluation.stored':
      return {
        about: `evaluation "${id}"`,
        logged,
        stored: () =>
          body.form === 2 ? finishedAsStored(db, id) : digest(readEvaluation(db, id), evaluationSha256),
      };
    case 'evaluation.removed':
      return { about: `evaluation "${id}"`, logged: 'nothing', stored: () => plannedAsStored(db, id) };
    case 'evaluation.overridden': {
      const { ordinal } = body.override as { ordinal: number };
      return {
        about: overrideOf(ordinal, id),
        logged: canonicalJson(body.override),
        stored: () => overrideAsStored(db, id, ordinal),
      };
    }
    case 'evaluation.overrideWithdrawn':
      return {
        about: overrideOf(body.ordinal as number, id),
        logged: 'nothing',
        stored: () => overrideAsStored(db, id, body.ordinal as number),
      };
    case 'model.stored':
      return { about: `model "${name}"`, logged, stored: () => digest(selectModel(db, name), modelSha256) };
    case 'model.removed':
      return {
        about: `model "${name}"`,
        logged: 'nothing',
        stored: () => digest(selectModel(db, name), modelSha256),
      };
    case 'setting.stored':
      return {
        about: `setting "${name}"`,
        logged: canonicalJson(body.value),
        stored: () => canonicalJson(selectSetting(db, name)),
      };
    case 'probe.begun':
      return { about: `judge probe "${id}"`, logged, stored: () => probeAsStored(db, id) };
    case 'probe.finished':
      return {
        about: `results of judge probe "${id}"`,
        logged,
        stored: () => probeOutcomeAsStored(db, id),
      };
    case 'audit.created':
      return { about: `audit "${id}"`, logged, stored: () => auditAsStored(db, id) };
    case 'audit.deleted':
      return { about: `audit "${id}"`, logged: 'nothing', stored: () => auditAsStored(db, id) };
    case 'audit.finished':
      return { about: `results of audit "${id}"`, logged, stored: () => auditOutcomeAsStored(db, id) };
    case 'audit.reopened':
      return {
        about: `results of audit "${id}"`,
        logged: 'nothing',
        stored: () => auditOutcomeAsStored(db, id),
      };
    default:
      return null;
  }
}

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

/** Everything the events attest and that was not deleted since: things of the lab, runs, then the records of runs. */
export function attestations(db: Database, events: Iterable<StoredEvent>): Attestation[] {
  const lab = new Map<string, Attestation>();
  const runs = new Map<string, { facts: RunFacts; records: Attestation[] }>();
  for (const { runId, kind, body: anyBody } of events) {
    const body = anyBody as Record<string, unknown>;
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
    if (kind === 'run.initialised')
      run.records.push({
        about: `step 0 of run "${runId}"`,
        logged,
        stored: () => initialAsStored(db, runId),
      });
    if (kind === 'step.committed')
      run.records.push({
        about: `step ${step} of run "${runId}"`,
        logged,
        stored: () => stepAsStored(db, runId, step),
      });
  }
  const ofRuns = [...runs].map(([id, { facts }]): Attestation => ({
    about: `run "${id}"`,
    logged: canonicalJson(facts),
    stored: () => runAsStored(db, id),
  }));
  return [...lab.values(), ...ofRuns, ...[...runs.values()].flatMap((run) => run.records)];
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
    UNION SELECT 'setting "' || name || '"' FROM settings WHERE name GLOB 'app.*'
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM steps
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM tasks
    UNION SELECT 'step ' || step || ' of run "' || run_id || '"' FROM checkpoints
    UNION SELECT 'checkpoint of "' || c.role || '" at step ' || c.step || ' of run "' || c.run_id || '"' FROM checkpoints c
      WHERE c.step > 0 AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.run_id = c.run_id AND s.step = c.step AND s.role = c.role)
    UNION SELECT 'step ' || (step - 1) || ' of run "' || run_id || '"' FROM contexts`,
  );
  return stored.filter((about) => !attested.has(about));
}
