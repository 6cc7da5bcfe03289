import type { Database } from 'better-sqlite3';
import { Failure, runRecordSchema } from '../../contract/index.ts';
import type { RunConfig, RunRecord, RunState } from '../../contract/index.ts';
import { runConfigSha256 } from '../audit-log/digests.ts';
import { appendToChain, selectEventsOfKind, type Clock } from '../audit-log/events.ts';
import { checkedRecord, immediately, settle, wellFormed } from '../sql.ts';
import { deleteBeside, type DeletionWatch } from './delete-beside.ts';
import {
  insertRun,
  markBeingDeleted,
  runPageQuery,
  selectRun,
  selectRunPage,
  selectRunsBeingDeleted,
  selectStoredConfig,
  updateRunModels,
  updateRunState,
} from './queries.ts';
import type { RunCursor } from './queries.ts';

/**
 * The states a run may move to. `paused`, `interrupted` and `failed` runs can be queued or set up again; `done` is final.
 * Staying in a state is always allowed, to give another reason.
 */
export const RUN_TRANSITIONS: Record<RunState, readonly RunState[]> = {
  queued: ['setting-up', 'paused', 'interrupted', 'failed'],
  'setting-up': ['stepping', 'pausing', 'interrupted', 'failed'],
  // A run can be paused directly when no step is under way.
  stepping: ['pausing', 'paused', 'interrupted', 'done', 'failed'],
  // Taking the pause back is a return to stepping; the last step may end while the pause is pending.
  pausing: ['paused', 'stepping', 'interrupted', 'done', 'failed'],
  paused: ['queued', 'setting-up', 'failed'],
  interrupted: ['queued', 'setting-up', 'failed'],
  done: [],
  failed: ['queued', 'setting-up'],
};

/** States in which a program works on the run; they cannot outlive that program. */
export const STATES_AT_WORK: readonly RunState[] = ['setting-up', 'stepping', 'pausing'];

function mayMove(from: RunState, to: RunState): boolean {
  return from === to || RUN_TRANSITIONS[from].includes(to);
}

export type NewRun = {
  id: string;
  config: RunConfig;
  /** Directory of its files, relative to the lab folder. */ folder: string;
};
/** `text` is looked for in name, preset and id. */
export type RunFilter = { states?: readonly RunState[]; text?: string };
export type Page<T> = {
  rows: T[];
  /** Pass to the next call; null after the last page. */ next: string | null;
};

export function knownRun(db: Database, id: string): RunRecord {
  const run = selectRun(db, id);
  if (run === null)
    throw new Failure(
      'unknownRun',
      `There is no run "${id}" in this lab; list the runs to see which exist.`,
      2,
    );
  return run;
}

function parseRunCursor(cursor: string): RunCursor {
  const cut = cursor.indexOf('/');
  if (cut < 1)
    throw new Failure(
      'badCursor',
      `"${cursor}" is not a page cursor of runs; use the one the previous page returned.`,
      2,
    );
  return { createdAt: cursor.slice(0, cut), id: cursor.slice(cut + 1) };
}

/** SQLite's word for no limit. */
const EVERY = -1;

export function runRepository(db: Database, now: Clock) {
  return {
    /** Queues a run. Fails with kind `runExists` when the id is taken. */
    createRun({ id, config, folder }: NewRun): RunRecord {
      const run = checkedRecord(
        runRecordSchema,
        {
          id,
          createdAt: now().toISOString(),
          config,
          state: 'queued',
          reason: null,
          committedSteps: 0,
          policySha256: null,
          supervisorSha256: null,
          folder,
        },
        `run "${id}"`,
      );
      return immediately(db, () => {
        if (selectRun(db, id) !== null)
          throw new Failure('runExists', `A run "${id}" exists already in this lab; choose another id.`, 2);
        if (selectRunsBeingDeleted(db).some((each) => each.id === id))
          throw new Failure('runExists', `The run "${id}" is just being deleted; choose another id.`, 2);
        insertRun(db, run);
        appendToChain(db, now, id, 'run.created', {
          createdAt: run.createdAt,
          folder: run.folder,
          configSha256: runConfigSha256(run.config),
        });
        return run;
      });
    },

    getRun(id: string): RunRecord | null {
      return selectRun(db, id);
    },

    /** Fails with kind `unknownRun` (exit code 2). */
    requireRun(id: string): RunRecord {
      const run = selectRun(db, id);
      if (run === null)
        throw new Failure(
          'unknownRun',
          `There is no run "${id}" in this lab; see those there are in Runs, or with "anchor runs".`,
          2,
        );
      return run;
    },

    /** Fails with kind `configChanged` when the stored configuration is not the one the run was created with. */
    requireOriginalConfig(id: string): void {
      const [created] = selectEventsOfKind(db, id, 'run.created');
      const { configSha256 } = (created?.body ?? {}) as { configSha256?: string };
      if (configSha256 !== runConfigSha256(selectStoredConfig(db, id))) {
        throw new Failure(
          'configChanged',
          `The configuration of run "${id}" was changed in the database after the run was created, so it cannot be continued; ` +
            'restore the lab from a backup, or start a new run with the configuration you want.',
        );
      }
    },

    /** Newest first; `limit` 1…500, default 50. */
    listRuns(filter: RunFilter = {}, page: { cursor?: string | null; limit?: number } = {}): Page<RunRecord> {
      const limit = Math.min(Math.max(page.limit ?? 50, 1), 500);
      const before = page.cursor == null ? null : parseRunCursor(page.cursor);
      const rows = selectRunPage(
        db,
        runPageQuery(filter.states ?? null, filter.text ?? null, before, limit + 1),
      );
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return { rows: rows.slice(0, limit), next: last === undefined ? null : `${last.createdAt}/${last.id}` };
    },

    /** Every run of the lab, newest first. */
    allRuns: (): RunRecord[] => selectRunPage(db, runPageQuery(null, null, null, EVERY)),

    /** Fails with kind `transition` when the state machine has no such move. `reason` is one sentence or null. */
    setRunState(id: string, state: RunState, reason: string | null): RunRecord {
      const moved = immediately(db, () => {
        const run = knownRun(db, id);
        if (!mayMove(run.state, state)) {
          throw new Failure('transition', `Run "${id}" is ${run.state} and cannot become ${state}.`);
        }
        updateRunState(db, id, state, wellFormed(reason));
        if (run.state !== state || run.reason !== reason)
          appendToChain(db, now, id, 'run.state', { from: run.state, to: state, reason });
        return knownRun(db, id);
      });
      settle(db);
      return moved;
    },

    /** Notes which files the run works with (the policy, and the model or rules its reviewer goes by); they cannot change once they are set. */
    setRunModels(id: string, policySha256: string, supervisorSha256: string | null): RunRecord {
      return immediately(db, () => {
        const run = knownRun(db, id);
        const same = run.policySha256 === policySha256 && run.supervisorSha256 === supervisorSha256;
        if (same) return run;
        if (run.policySha256 !== null) {
          const [which, was, is] =
            run.policySha256 === policySha256
              ? ['file of its reviewer', run.supervisorSha256, supervisorSha256]
              : ['policy', run.policySha256, policySha256];
          const short = (sha256: string | null): string =>
            sha256 === null ? 'none' : `${sha256.slice(0, 12)}…`;
          throw new Failure(
            'modelChanged',
            `Run "${id}" was started with another ${which} (${short(was)}, now ${short(is)}); put the original file back, or start a new run.`,
          );
        }
        updateRunModels(db, id, policySha256, supervisorSha256);
        appendToChain(db, now, id, 'run.models', { policySha256, supervisorSha256 });
        return knownRun(db, id);
      });
    },

    /**
     * Deletes the run; events and evaluations stay. From here on it is in no list, and its records are taken out by `takeOutDeleted`. Files on
     * disk are the caller's. Fails while the run is at work.
     */
    deleteRun(id: string): void {
      immediately(db, () => {
        const run = knownRun(db, id);
        if (STATES_AT_WORK.includes(run.state)) {
          throw new Failure('runAtWork', `Run "${id}" is ${run.state}; stop it before deleting it.`);
        }
        markBeingDeleted(db, id);
        appendToChain(db, now, id, 'run.deleted', {
          name: run.config.name,
          committedSteps: run.committedSteps,
        });
      });
    },

    /** Runs that are deleted but for their records, with the folder of their files relative to the lab's. */
    runsBeingDeleted: (): { id: string; folder: string }[] => selectRunsBeingDeleted(db),

    /** Takes out the records of deleted runs beside whatever else is asked. @throws the signal's reason; the rest stays to be taken out. */
    takeOutDeleted: (watch?: DeletionWatch): Promise<void> => deleteBeside(db, watch),
  };
}
