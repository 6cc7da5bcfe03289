import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import type { StepCommit } from '../../contract/index.ts';
import { initialStateSha256, stepCommitSha256 } from '../digests.ts';
import { checkSchema } from '../opening/migrate.ts';
import { selectCheckpoint } from '../queries/checkpoints.ts';
import { selectContext } from '../queries/contexts.ts';
import { eachEvent } from '../queries/events.ts';
import { selectReviewsOfStep } from '../queries/reviews.ts';
import { selectRolloutsOfStep } from '../queries/rollouts.ts';
import { selectRun } from '../queries/runs.ts';
import { selectStep } from '../queries/steps.ts';
import { selectSummaries } from '../queries/summaries.ts';
import { selectTasks, tasksOfStepQuery } from '../queries/tasks.ts';
import { guarded } from '../sql.ts';
import { evaluationSha256, readEvaluation } from './catalogue.ts';
import { checkChain } from './events.ts';

/** One finding of a check: which part, and what is wrong in one sentence. */
export type Damage = { part: 'database' | 'search' | 'events' | 'records' | 'evaluations'; finding: string };

function commitAsStored(db: Database, runId: string, step: number): StepCommit | null {
  const record = selectStep(db, runId, step);
  const nextContext = selectContext(db, runId, step + 1);
  const checkpoint = selectCheckpoint(db, runId, step);
  if (record === null || nextContext === null || checkpoint === null) return null;
  return {
    step: record, tasks: selectTasks(db, tasksOfStepQuery(runId, step)), rollouts: selectRolloutsOfStep(db, runId, step),
    reviews: selectReviewsOfStep(db, runId, step), summaries: selectSummaries(db, runId, step), nextContext, checkpoint,
  };
}

function initialAsStored(db: Database, runId: string): string | null {
  const context = selectContext(db, runId, 1);
  const checkpoint = selectCheckpoint(db, runId, 0);
  if (context === null || checkpoint === null) return null;
  return initialStateSha256({ context, tasks: selectTasks(db, tasksOfStepQuery(runId, 0)), checkpoint });
}

/** What an event attests, computed again from what is stored now; undefined for events that attest no records. */
function attestedNow(db: Database, runId: string | null, kind: string, body: unknown): { name: string; said: string; found: string | null } | undefined {
  const facts = body as { step?: number; recordsSha256?: string; id?: string; sha256?: string };
  if (kind === 'step.committed' && runId !== null && facts.step !== undefined) {
    const commit = commitAsStored(db, runId, facts.step);
    return { name: `step ${facts.step} of run "${runId}"`, said: facts.recordsSha256 ?? '', found: commit === null ? null : stepCommitSha256(commit) };
  }
  if (kind === 'run.initialised' && runId !== null) {
    return { name: `the initial state of run "${runId}"`, said: facts.recordsSha256 ?? '', found: initialAsStored(db, runId) };
  }
  if (kind === 'evaluation.stored' && facts.id !== undefined) {
    const record = readEvaluation(db, facts.id);
    return { name: `evaluation "${facts.id}"`, said: facts.sha256 ?? '', found: record === null ? null : evaluationSha256(record) };
  }
  return undefined;
}

/** Damage as a finding instead of an exception; anything that is not damage still throws. */
function attempt(part: Damage['part'], found: Damage[], check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || !['corrupt', 'alteredSchema'].includes(error.kind)) throw error;
    found.push({ part, finding: error.message });
  }
}

function checkAttested(db: Database, found: Damage[]): void {
  // Runs that were deleted on purpose left an event that says so.
  const events = [...eachEvent(db)];
  const deleted = new Set(events.filter((event) => event.kind === 'run.deleted').map((event) => event.runId));
  for (const { runId, kind, body } of events) {
    if (deleted.has(runId) && kind !== 'evaluation.stored') continue;
    const part = kind === 'evaluation.stored' ? 'evaluations' : 'records';
    attempt(part, found, () => {
      if (kind === 'run.created' && runId !== null && selectRun(db, runId) === null) {
        found.push({ part, finding: `Run "${runId}" is missing although it was never deleted.` });
      }
      const attested = attestedNow(db, runId, kind, body);
      if (attested === undefined || attested.found === attested.said) return;
      found.push({ part, finding: attested.found === null ? `The records of ${attested.name} are missing.` : `The records of ${attested.name} were changed after they were stored.` });
    });
  }
}

export function integrityDoor(db: Database) {
  return {
    /**
     * Checks everything that can be checked without the files of the runs: pages, indexes, foreign keys, schema, full-text
     * index, event chain, and every record against the digest its event attests. Empty when the lab is sound.
     * Reads the whole database (about a minute for a gigabyte).
     */
    checkIntegrity(): Damage[] {
      const found: Damage[] = [];
      attempt('database', found, () => {
        checkSchema(db);
        const pages = guarded(db, () => db.pragma('integrity_check(20)') as { integrity_check: string }[]);
        for (const { integrity_check: finding } of pages) if (finding !== 'ok') found.push({ part: 'database', finding });
        const orphans = guarded(db, () => db.pragma('foreign_key_check') as { table: string }[]);
        for (const table of new Set(orphans.map((orphan) => orphan.table))) found.push({ part: 'database', finding: `Rows of ${table} point to missing ones.` });
      });
      for (const table of ['rollout_search', 'review_search']) {
        // A write command by syntax, which changes nothing: rank 1 compares the index with the text it was made from.
        if (!db.readonly) attempt('search', found, () => guarded(db, () => db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run()));
      }
      attempt('events', found, () => {
        const { firstBroken } = checkChain(db);
        if (firstBroken !== undefined) found.push({ part: 'events', finding: `Event ${firstBroken.seq}: ${firstBroken.reason}.` });
        else checkAttested(db, found);
      });
      return found;
    },
  };
}
