import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure, type Job } from '../../contract/index.ts';
import { BACKUP_FOLDER, DATABASE_FILE, examineBackup, type BackupFacts } from '../../store/index.ts';
import type { Services } from '../services.ts';
import { requireFreeSpace } from '../lab-folder.ts';

/** A copy of the database in the lab's backups folder. `why` is how it came about: asked for, or made before the tables changed. */
export type BackupFile = { name: string; bytes: number; at: string; why: 'asked' | 'migration' };

/** Pages of 4 KiB copied before the lab works on: a few milliseconds' worth. */
const PAGES_AT_ONCE = 500;
const ASKED = '-by-hand.sqlite';

const folderOf = ({ lab }: Services): string => join(lab.root, BACKUP_FOLDER);

/** Newest first. */
export function listBackups(services: Services): BackupFile[] {
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

/** Copies the database while the lab stays at work, checks the copy, and only then names it. Checkpoints and other files are not in it. */
export function makeBackup(services: Services): Job {
  const database = join(services.lab.root, DATABASE_FILE);
  requireFreeSpace(services.lab.root, 2 * statSync(database).size, 'A backup');
  const name = `${services.clock.now().toISOString().replaceAll(':', '-')}${ASKED}`;
  return services.jobs.start(
    { kind: 'backup', title: 'Back up the database', unit: 'page' },
    async (job): Promise<BackupFile> => {
      await services.store.backup(join(folderOf(services), name), (done, total) => {
        job.signal.throwIfAborted();
        job.total(total);
        job.at(done);
        return PAGES_AT_ONCE;
      });
      services.emit({ kind: 'changed', what: 'lab', runId: null });
      return listBackups(services).find((file) => file.name === name) as BackupFile;
    },
  );
}

/** The path of a backup by its name. @throws Failure `missingFile` (exit code 2). */
export function backupPath(services: Services, name: string): string {
  const path = join(folderOf(services), basename(name));
  if (basename(name) !== name || !existsSync(path))
    throw new Failure('missingFile', `There is no backup "${name}" in ${folderOf(services)}.`, 2);
  return path;
}

/** Reads every page and event of a backup. */
export function checkBackup(services: Services, name: string): Job {
  const path = backupPath(services, name);
  return services.jobs.start(
    { kind: 'backup-check', title: `Check ${name}`, unit: 'part' },
    async (): Promise<BackupFacts & { name: string }> => ({ name, ...examineBackup(path) }),
  );
}
