import { existsSync, readdirSync, statSync, rmSync } from 'node:fs';
import { basename, join, dirname, relative, resolve } from 'node:path';
import { makeFolders } from '../core/index.ts';
import { Failure, type Job, type LiveEvent } from '../contract/index.ts';
import type { Clock, JobRunner } from '../core/index.ts';
import {
  asFileFailure,
  COPIED_DATASETS,
  COPIED_MODELS,
  copyInto,
  requireFreeSpace,
  TEST_SETS,
  type CopyEntry,
} from '../library/index.ts';
import { BACKUP_FOLDER, DATABASE_FILE, examineBackup, type BackupFacts, type Lab } from '../store/index.ts';
import { readdir } from 'node:fs/promises';
import { keepForBackup } from './storage.ts';

/** A copy of the database in the lab's backups folder. `why` is how it came about: asked for, or made before the tables changed. */
export type BackupFile = { name: string; bytes: number; at: string; why: 'asked' | 'migration' };

/** Pages of 4 KiB copied before the lab works on: a few milliseconds' worth. */
const PAGES_AT_ONCE = 500;
const ASKED = '-by-hand.sqlite';

type BackupServices = {
  store: Lab;
  lab: { root: string };
  clock: Clock;
  jobs: JobRunner;
  emit: (event: LiveEvent) => void;
};

const folderOf = ({ lab }: Pick<BackupServices, 'lab'>): string => join(lab.root, BACKUP_FOLDER);

/** Newest first. */
export function listBackups(services: BackupServices): BackupFile[] {
  const folder = folderOf(services);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite'))
    .sort()
    .toReversed()
    .map((name) => {
      const { size, mtime } = statSync(join(folder, name));
      return {
        name,
        bytes: size,
        at: mtime.toISOString(),
        why: name.endsWith(ASKED) ? 'asked' : 'migration',
      };
    });
}

/**
 * Copies the database while the lab stays at work, checks the copy, and only then names it. Checkpoints and other files are not in it;
 * those that its runs go on from are kept in the lab for as long as the copy is there.
 */
export function makeBackup(services: BackupServices): Job {
  const database = join(services.lab.root, DATABASE_FILE);
  // A database that was deleted under the program is copied from the open file all the same.
  const { size } = statSync(database, { throwIfNoEntry: false }) ?? { size: 0 };
  requireFreeSpace(services.lab.root, 2 * size, 'A backup');
  const name = `${services.clock.now().toISOString().replaceAll(':', '-')}${ASKED}`;
  return services.jobs.start(
    { kind: 'backup', title: 'Back up the database', unit: 'page' },
    async (job): Promise<BackupFile> => {
      await services.store.backup(join(folderOf(services), name), {
        onPages: (done, total) => {
          job.signal.throwIfAborted();
          job.total(total);
          job.at(done);
          return PAGES_AT_ONCE;
        },
        signal: job.signal,
      });
      // The copy holds the steps that were stored while it was made, so only now it is known what it needs.
      keepForBackup(services.store, name);
      services.emit({ kind: 'changed', what: 'lab', runId: null });
      return listBackups(services).find((file) => file.name === name) as BackupFile;
    },
  );
}

/** The path of a backup by its name. @throws Failure `missingFile` (exit code 2). */
export function backupPath(services: BackupServices, name: string): string {
  const path = join(folderOf(services), basename(name));
  if (basename(name) !== name || !existsSync(path))
    throw new Failure('missingFile', `There is no backup "${name}" in ${folderOf(services)}.`, 2);
  return path;
}

/** Reads every page and event of a backup. */
export function checkBackup(services: BackupServices, name: string): Job {
  const path = backupPath(services, name);
  const bytes = statSync(path).size;
  return services.jobs.start(
    { kind: 'backup-check', title: `Check ${name}`, unit: 'byte', total: bytes },
    async (job): Promise<BackupFacts & { name: string }> => ({
      name,
      ...(await examineBackup(path, { signal: job.signal, onShare: (share) => job.at(share * bytes) })),
    }),
  );
}

export type RestoreRequest = {
  /** A backup file's path, or the name of one in this lab's backups folder. */ from: string;
  /** A folder that is not there yet, or is empty. */ to: string;
  /** Bring the run folders along, so that runs can go on. */ withRuns: boolean;
};
export type Restored = BackupFacts & { folder: string; runFiles: number };

/** Parts of the lab that the database names by relative paths; caches and logs stay behind. */
const CARRIED = ['runs', COPIED_MODELS, COPIED_DATASETS, TEST_SETS];

/**
 * Makes a new lab folder from a backup. The lab that is open stays as it is, and nothing that is there is written over: the
 * backup is checked first, copied, checked again, and the folder gets its name last.
 * @throws Failure (exit code 2) at once for a target that is no empty place, later with what was wrong with the backup.
 */
export function restoreBackup(services: BackupServices, { from, to, withRuns }: RestoreRequest): Job {
  const source = from === basename(from) ? backupPath(services, from) : resolve(from);
  const target = resolve(to);
  if (!existsSync(source) || !statSync(source).isFile())
    throw new Failure(
      'missingFile',
      `There is no backup at ${source}; choose a .sqlite file of a backups folder.`,
      2,
    );
  requireNewPlace(services, target);
  return services.jobs.start(
    { kind: 'restore', title: `Restore into ${basename(target)}`, unit: 'byte' },
    async (job): Promise<Restored> => {
      await examineBackup(source, { signal: job.signal });
      const runFiles = withRuns ? await filesOf(services.lab.root) : [];
      const files: CopyEntry[] = [{ from: source, name: DATABASE_FILE }, ...runFiles];
      const bytes = files.reduce(
        (sum, file) => sum + (statSync(file.from, { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
      job.total(bytes);
      makeFolders(dirname(target));
      requireFreeSpace(dirname(target), bytes, 'The restored lab');
      try {
        if (existsSync(target)) rmSync(target, { recursive: true });
        await copyInto(target, files, { onBytes: job.advance, signal: job.signal });
      } catch (error) {
        throw asFileFailure(error, 'The restored lab');
      }
      return {
        ...(await examineBackup(join(target, DATABASE_FILE), { signal: job.signal })),
        folder: target,
        runFiles: runFiles.length,
      };
    },
  );
}

function requireNewPlace({ lab }: BackupServices, target: string): void {
  const inside = relative(lab.root, target);
  if (inside === '' || !inside.startsWith('..'))
    throw new Failure(
      'notEmpty',
      `${target} is the open lab or lies in it; choose a new folder elsewhere.`,
      2,
    );
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory() || readdirSync(target).length > 0)
    throw new Failure(
      'notEmpty',
      `${target} is there and not empty; a restore writes over nothing, so choose a new folder.`,
      2,
    );
}

/** Files of runs and copied models, without what a step under way is just writing. */
async function filesOf(root: string): Promise<CopyEntry[]> {
  const found: CopyEntry[] = [];
  for (const part of CARRIED) {
    if (!existsSync(join(root, part))) continue;
    for (const entry of await readdir(join(root, part), { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(root, path);
      if (entry.isFile() && !name.endsWith('.tmp') && !/[\\/]spool[\\/]/.test(name))
        found.push({ from: path, name });
    }
  }
  return found;
}
