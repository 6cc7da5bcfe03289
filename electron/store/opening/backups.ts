import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { makeFolders } from '../../core/index.ts';
import { z } from 'zod';
import {
  checkpointRecordSchema,
  Failure,
  runStateSchema,
  withNeeded,
  type CheckpointRecord,
  type FailureKind,
  type RunState,
  type TrainedStep,
} from '../../contract/index.ts';
import { SCHEMA_VERSION } from '../migrations/index.ts';
import { DELETED_IDS } from '../runs/queries.ts';
import { readAll, reader, sql } from '../sql.ts';
import { asFailure } from '../sqlite-failure.ts';
import { selectStagedSteps } from '../steps/rows.ts';
import { backupTakenAway, requireBackupFolder } from './backup-folder.ts';
import {
  checkInThread,
  type BackupFacts,
  type CheckOptions,
  type Damage,
  type Salvaged,
} from './check-thread.ts';
import { copying } from './copying.ts';
import { checkHeader, reading } from './database-file.ts';

async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Called with how many pages of how many are copied, answers how many to copy next; 0 pauses, and throwing ends the backup. */
export type PageWatch = (done: number, total: number) => number;
export type BackupOptions = {
  onPages?: PageWatch;
  /** Called when everything is copied and nothing is checked yet, with where the copy lies meanwhile. */
  onCopied?: (unfinished: string) => Promise<void>;
  signal?: AbortSignal;
};

/**
 * Copies the open database to `toFile` with SQLite's online backup, checks the copy (pages and event chain), and only then
 * gives it its name. Fails with kind `fileExists`, with `cannotWrite` where its file goes meanwhile, or with the cause; an unfinished
 * copy is removed.
 */
export async function backupTo(
  db: Database,
  toFile: string,
  { onPages, onCopied, signal }: BackupOptions = {},
): Promise<void> {
  if (existsSync(toFile))
    throw new Failure(
      'fileExists',
      `The file ${toFile} exists already; choose another name for the backup.`,
      2,
    );
  requireBackupFolder(dirname(toFile));
  const unfinished = `${toFile}.tmp`;
  let isBegun = false;
  try {
    makeFolders(dirname(toFile));
    rmSync(unfinished, { force: true });
    // SQLite itself takes away a file that it made, where it fails: that it is gone would say nothing.
    writeFileSync(unfinished, '', { flag: 'wx' });
    isBegun = true;
    await copying(
      db,
      db.backup(
        unfinished,
        onPages === undefined
          ? undefined
          : {
              progress: ({ totalPages, remainingPages }) => onPages(totalPages - remainingPages, totalPages),
            },
      ),
    );
    // As one plain file without a log, so that it can be carried away.
    const copy = new SqliteDatabase(unfinished, { fileMustExist: true });
    copy.pragma('journal_mode = DELETE');
    copy.close();
    await onCopied?.(unfinished);
    await examineBackup(unfinished, { signal });
    await syncPath(unfinished);
    renameSync(unfinished, toFile);
    await syncPath(dirname(toFile));
  } catch (error) {
    const isGone = isBegun && !existsSync(unfinished);
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${rest}`, { force: true });
    throw isGone ? backupTakenAway(dirname(toFile), error) : asFailure(error, toFile);
  }
}

/**
 * Reads every page and event of a copy of a lab, in a thread of its own. @throws Failure `notALab` or `newerSchema` for another kind of
 * file, `corrupt` when a page or an event of it is damaged.
 */
export const examineBackup = (file: string, options?: CheckOptions): Promise<BackupFacts> =>
  checkInThread('backup', file, options);

/**
 * Takes over into the new file `to` what can be read of the database of a damaged lab or backup, in a thread of its own. The damaged one is
 * never written to. @throws Failure `corrupt` where nothing of it can be read, and as `examineBackup` does.
 */
export const salvageDatabase = (
  file: string,
  to: string,
  options: Omit<CheckOptions, 'to'>,
): Promise<Salvaged> => checkInThread('salvage', file, { ...options, to });

/** The files of a checkpoint. */
export type KeptFiles = Pick<CheckpointRecord, 'step' | 'files'>;

/** A run of a copy of a lab that has not come to its end, and the checkpoints that it goes on from. */
export type UnfinishedRun = {
  id: string;
  name: string;
  state: RunState;
  committedSteps: number;
  steps: number;
  /** Relative to the lab. */
  folder: string;
  checkpoints: KeptFiles[];
};

const asKept = reader(
  'checkpoint',
  z.strictObject({ step: z.int(), files: checkpointRecordSchema.shape.files }),
  (row: { step: number; files: string }) => ({ step: row.step, files: JSON.parse(row.files) }),
);
const asKeptOfRole = reader(
  'checkpoint',
  z.strictObject({ step: z.int(), role: z.string(), files: checkpointRecordSchema.shape.files }),
  (row: { step: number; role: string; files: string }) => ({ ...row, files: JSON.parse(row.files) }),
);
const asUnfinished = reader(
  'run',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    state: runStateSchema,
    committedSteps: z.int(),
    steps: z.int(),
    folder: z.string(),
  }),
  (row: unknown) => row,
);
const asPlace = reader(
  'run',
  z.strictObject({ id: z.string(), runFolder: z.string() }),
  (row: unknown) => row,
);

/** Oldest first. Copies with older tables tell of none: they are brought up to date when they are opened. */
export function unfinishedRuns(file: string): UnfinishedRun[] {
  if (checkHeader(file) !== SCHEMA_VERSION) return [];
  return reading(file, (copy) =>
    readAll(
      copy,
      asUnfinished,
      sql`SELECT id, name, state, committed_steps AS committedSteps, json_extract(config, '$.steps') AS steps, folder
        FROM runs WHERE state <> 'done' AND id NOT IN (${DELETED_IDS}) ORDER BY created_at, id`,
    ).map((run) => ({
      ...run,
      checkpoints: neededOf(
        readAll(
          copy,
          asKeptOfRole,
          sql`SELECT step, role, files FROM checkpoints AS c WHERE run_id = ${run.id} AND (removed_at IS NULL OR step =
          (SELECT max(step) FROM checkpoints AS n WHERE n.run_id = c.run_id AND n.role = c.role))
          ORDER BY step, role`,
        ),
        selectStagedSteps(copy, run.id),
      ),
    })),
  );
}

/** What a run goes on from: of each weight set the first checkpoint, the newest, and those that this needs. */
function neededOf(
  all: readonly (KeptFiles & { role: string })[],
  steps: readonly TrainedStep[],
): KeptFiles[] {
  const newest = [...Map.groupBy(all, ({ role }) => role).values()].flatMap((of) => of.slice(-1));
  const needed = withNeeded(all, newest, steps);
  return all.filter((one) => one.step === 0 || needed.has(one)).map(({ step, files }) => ({ step, files }));
}

/** The files of every checkpoint that a copy of a lab has, by the folders of their runs relative to the lab's. */
export function keptCheckpoints(file: string): (KeptFiles & { runFolder: string })[] {
  return reading(file, (copy) =>
    readAll(
      copy,
      asPlace,
      sql`SELECT id, folder AS runFolder FROM runs WHERE id NOT IN (${DELETED_IDS}) ORDER BY id`,
    ).flatMap(({ id, runFolder }) =>
      readAll(
        copy,
        asKept,
        sql`SELECT step, files FROM checkpoints WHERE run_id = ${id} AND removed_at IS NULL ORDER BY step`,
      ).map((checkpoint) => ({ ...checkpoint, runFolder })),
    ),
  );
}

const DAMAGE: ReadonlySet<FailureKind> = new Set(['corrupt', 'notALab', 'alteredSchema']);

/**
 * Looks at every page, event and record in the database of a lab or a backup without changing a byte, in a thread of its own. What is damaged
 * is told as far as it can be read; of a database with older tables, the first damage. @throws the signal's reason, and a Failure where it
 * cannot be looked at, which says nothing about what it holds.
 */
export async function damageIn(file: string, signal?: AbortSignal): Promise<Damage[]> {
  try {
    if (checkHeader(file) === SCHEMA_VERSION)
      return (await checkInThread('records', file, { signal })).damage;
    await checkInThread('backup', file, { signal });
    return [];
  } catch (error) {
    if (!(error instanceof Failure) || !DAMAGE.has(error.kind)) throw error;
    return [{ part: 'database', finding: error.message }];
  }
}
