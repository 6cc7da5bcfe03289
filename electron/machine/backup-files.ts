import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../contract/index.ts';
import { isFolder, makeFolders, quotable, shownPath, type JobHandle } from '../core/index.ts';
import {
  asFileFailure,
  COPIED_DATASETS,
  COPIED_MODELS,
  copyInto,
  filesOfRun,
  hashFile,
  isGoing,
  removeInTurn,
  removeQuietly,
  requireFreeSpace,
  TEST_SETS,
  syncFolder,
  unfinishedFolder,
  type CopyEntry,
} from '../library/index.ts';
import {
  BACKUP_FOLDER,
  damageIn,
  DATABASE_FILE,
  examineBackup,
  keptCheckpoints,
  salvageDatabase,
  stepOfFile,
  unfinishedRuns,
  type BackupFacts,
  type UnfinishedRun,
} from '../store/index.ts';

/** Folder beside a backup's file with the checkpoints that its unfinished runs go on from. */
export const filesBeside = (backup: string): string => backup.replace(/(\.sqlite)?$/, '.files');

/** Parts of a lab that the database names by relative paths; caches and logs stay behind. */
const CARRIED = ['runs', COPIED_MODELS, COPIED_DATASETS, TEST_SETS];
/** Where a file system has no hard links, or the file is on another one. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'EXDEV', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    await copyFile(from, to);
  }
}

/**
 * Gives files of the lab a second name in a folder of their own, as hard links: they take no room and stay when the lab lets go of them.
 * Where there are no links they are copied. The folder gets its name last; files that are gone are left out.
 */
export async function holdFiles(folder: string, files: readonly CopyEntry[]): Promise<void> {
  if (files.length === 0) return;
  const unfinished = `${folder}.tmp`;
  await removeInTurn(unfinished);
  try {
    for (const { from, name } of files) {
      const to = join(unfinished, name);
      makeFolders(dirname(to));
      try {
        await linkOrCopy(from, to);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    await rename(unfinished, folder);
    syncFolder(dirname(folder));
  } catch (error) {
    await removeInTurn(unfinished).catch(() => {});
    throw error;
  }
}

/** Files below parts of a folder with their names in it, without what a step under way is just writing and what is being removed. */
export async function filesOf(root: string, parts: readonly string[] = CARRIED): Promise<CopyEntry[]> {
  const found: CopyEntry[] = [];
  for (const part of parts) {
    if (!existsSync(join(root, part))) continue;
    for (const entry of await readdir(join(root, part), { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(root, path);
      if (
        entry.isFile() &&
        !name.endsWith('.tmp') &&
        !/[\\/]spool[\\/]/.test(name) &&
        !name.split(sep).some(isGoing)
      )
        found.push({ from: path, name });
    }
  }
  return found;
}

/** What unfinished runs of a copy of a lab go on from, below the lab that they lie in. */
export const neededFiles = (database: string, root: string): CopyEntry[] =>
  unfinishedRuns(database)
    .flatMap(checkpointFiles)
    .map(({ name }) => ({ from: join(root, name), name }));

/** Bytes that are freed when a folder of second names goes: those of files that have no other. */
export async function ownBytes(folder: string): Promise<number> {
  if (!isFolder(folder)) return 0;
  const stats = (await filesOf(folder, ['.'])).map(({ from }) => statSync(from, { throwIfNoEntry: false }));
  return stats.reduce((sum, stat) => sum + (stat?.nlink === 1 ? stat.size : 0), 0);
}

/** Whether a run can go on, and which file stands in its way; null for none. */
export type RunOutlook = Omit<UnfinishedRun, 'checkpoints' | 'folder'> & { missing: string | null };

/**
 * Which runs of a copy of a lab can go on with the files that are there.
 * @param hashOf SHA-256 of a file by its name in the lab, null where there is none
 */
export async function outlooksOf(
  database: string,
  hashOf: (name: string) => string | null | Promise<string | null>,
): Promise<RunOutlook[]> {
  const outlooks: RunOutlook[] = [];
  for (const run of unfinishedRuns(database)) {
    let missing: string | null = null;
    for (const { name, sha256 } of checkpointFiles(run)) {
      if ((await hashOf(name)) === sha256) continue;
      missing = name;
      break;
    }
    const { id, name, state, committedSteps, steps } = run;
    outlooks.push({ id, name, state, committedSteps, steps, missing });
  }
  return outlooks;
}

type FileOfCheckpoint = { name: string; sha256: string };

const filesOfCheckpoint = ({
  runFolder,
  step,
  files,
}: ReturnType<typeof keptCheckpoints>[number]): FileOfCheckpoint[] =>
  files.map(({ path, sha256 }) => ({
    name: join(filesOfRun(runFolder).checkpoint(step), basename(path)),
    sha256,
  }));

const checkpointFiles = (run: UnfinishedRun): FileOfCheckpoint[] =>
  run.checkpoints.flatMap((checkpoint) => filesOfCheckpoint({ ...checkpoint, runFolder: run.folder }));

/** What was found in a lab or a backup; `damage` is a sentence a piece, empty for one that is sound. */
export type CopyCheck = { damage: string[]; outlooks: RunOutlook[]; checkedFiles: number };

/**
 * Compares every page, event and record of a database with what its events attest, and the files of checkpoints with their hashes.
 * @param places folders that a checkpoint's files may lie in, the first that has one counts
 * @param checkpoints all that the database knows, or only those that unfinished runs go on from
 */
export async function checkCopy(
  {
    database,
    places,
    checkpoints,
  }: { database: string; places: readonly string[]; checkpoints: 'all' | 'needed' },
  signal?: AbortSignal,
): Promise<CopyCheck> {
  const damage = (await damageIn(database, signal)).map(({ part, finding }) => `${part}: ${finding}`);
  const hashes = new Map<string, string | null>();
  const hashOf = async (name: string): Promise<string | null> => {
    const place = places.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (!hashes.has(name)) hashes.set(name, place === undefined ? null : await hashFile(place, { signal }));
    return hashes.get(name) ?? null;
  };
  let outlooks: RunOutlook[] = [];
  try {
    outlooks = await outlooksOf(database, hashOf);
    for (const { name, sha256 } of checkpoints === 'all'
      ? keptCheckpoints(database).flatMap(filesOfCheckpoint)
      : [])
      if ((await hashOf(name)) !== sha256)
        damage.push(`files: ${name} is ${hashes.get(name) === null ? 'missing' : 'not as it was stored'}.`);
  } catch (error) {
    // What cannot be read is among the damage of the database already.
    if (!(error instanceof Failure) || damage.length === 0) throw error;
  }
  return { damage, outlooks, checkedFiles: hashes.size };
}

/**
 * Checks a lab or a backup where it lies, without opening it.
 * @param named name of a backup of the lab, path of a backup, or folder of a lab; the lab itself where it is left out
 * @throws Failure `missingFile` (exit code 2) where there is neither.
 */
export async function checkPlace(lab: string, named = lab): Promise<CopyCheck & { path: string }> {
  const ofLab = join(lab, BACKUP_FOLDER, basename(named));
  const path = basename(named) === named && existsSync(ofLab) ? ofLab : resolve(named);
  const isLab = existsSync(join(path, DATABASE_FILE));
  const database = isLab ? join(path, DATABASE_FILE) : path;
  if (!existsSync(database) || isFolder(database))
    throw new Failure(
      'missingFile',
      `There is no lab or backup at ${shownPath(path)}; name its folder or file.`,
      2,
    );
  const places = isLab ? [path] : [filesBeside(path), dirname(dirname(path))];
  return { path, ...(await checkCopy({ database, places, checkpoints: isLab ? 'all' : 'needed' })) };
}

/** A copy of a database, the folder beside it, and the lab that it was made of, null where that is elsewhere. */
export type BackupSource = { database: string; held: string; root: string | null };
export type Restored = BackupFacts & {
  folder: string;
  runFiles: number;
  outlooks: RunOutlook[];
  /** A sentence for each thing that a damaged lab or backup had and that could not be taken over. */
  lost: string[];
};

/**
 * Finds what a person names.
 * @param from a file of `backups` by name, the path of such a file, or the folder of a whole copy of a lab
 * @param isDamaged its log is read as well, since its program may have had no chance to close it
 * @throws Failure (exit code 2) where there is no backup, or a lab that was not closed.
 */
export function sourceOf(from: string, backups: string, isDamaged = false): BackupSource {
  const isName = from === basename(from) && existsSync(join(backups, from));
  const path = isName ? join(backups, from) : resolve(from);
  const isCopy = isFolder(path);
  const database = isCopy ? join(path, DATABASE_FILE) : path;
  if (!existsSync(database))
    throw new Failure(
      'missingFile',
      `There is no backup at ${shownPath(path)}; choose a .sqlite file of a backups folder, or the folder of a whole copy.`,
      2,
    );
  if (!isDamaged && isCopy && (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Failure(
      'labLocked',
      `${path} is a lab that is open or was not closed; open it and make a backup of it there.`,
      2,
    );
  const above = dirname(dirname(path));
  const isOfLab = basename(dirname(path)) === BACKUP_FOLDER && existsSync(join(above, DATABASE_FILE));
  return { database, held: filesBeside(database), root: isCopy ? path : isOfLab ? above : null };
}

/** What a restore into `target` is called until it is whole, for the note in the lab that is open. */
export const unfinishedOf = (target: string): string[] => [unfinishedFolder(target), ...salvagedOf(target)];

/** What is salvaged, and what SQLite keeps beside it. */
const salvagedOf = (target: string): [string, string] => [
  `${target}.salvaged.tmp`,
  `${target}.salvaged.tmp-journal`,
];

/** @throws Failure `notEmpty` (exit code 2) where something is already. */
export function requireNewPlace(root: string, target: string): void {
  if (target.includes('\0'))
    throw new Failure(
      'cannotWrite',
      `The path ${quotable(target)} holds a zero byte, which no path can; choose a new folder.`,
      2,
    );
  try {
    statSync(`${target}.tmp`, { throwIfNoEntry: false });
  } catch (error) {
    // A name too long, or a link to itself on the way.
    throw asFileFailure(error, 'The new lab');
  }
  const inside = relative(root, target);
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

/** Without files of steps that were taken after the copy of the database was made. */
function ofStoredSteps(database: string, files: readonly CopyEntry[]): CopyEntry[] {
  const runs = unfinishedRuns(database);
  return files.filter(({ name }) =>
    runs.every(({ folder, committedSteps }) => {
      const path = relative(folder, name);
      return path.startsWith('..') || stepOfFile(path) <= committedSteps;
    }),
  );
}

/**
 * Makes a lab folder of a copy of a database and the files that belong to it. The folder gets its name last.
 * @param belongings files under their names in the lab; a later one of a name has the last word
 * @throws what was wrong with the copy or the place; then nothing is left.
 */
export async function copyOut(
  database: string,
  belongings: readonly CopyEntry[],
  target: string,
  job: Pick<JobHandle, 'signal' | 'total' | 'at' | 'advance'>,
): Promise<Restored> {
  const files = new Map(ofStoredSteps(database, belongings).map((file) => [file.name, file]));
  files.set(DATABASE_FILE, { from: database, name: DATABASE_FILE });
  const bytes = [...files.values()].reduce((sum, { from }) => sum + statSync(from).size, 0);
  job.total(bytes);
  job.at(0);
  makeFolders(dirname(target));
  requireFreeSpace(dirname(target), bytes, 'The restored lab');
  if (existsSync(target)) rmSync(target, { recursive: true });
  const hashes = await copyInto(target, [...files.values()], { onBytes: job.advance, signal: job.signal });
  const copy = join(target, DATABASE_FILE);
  return {
    ...(await examineBackup(copy, { signal: job.signal })),
    folder: target,
    runFiles: files.size - 1,
    outlooks: await outlooksOf(copy, (name) => hashes.get(name) ?? null),
    lost: [],
  };
}

/**
 * Makes a lab folder of what can be read of a damaged lab or backup and of the files that belong to it. The damaged one is only read.
 * @param from folder of a lab, or path of a backup, or its name among the backups of `lab`
 * @throws what `requireNewPlace` and `copyOut` do, and Failure `corrupt` where nothing can be read; then nothing is left.
 */
export async function salvageInto(
  { from, to, lab }: { from: string; to: string; lab: string },
  job: Pick<JobHandle, 'signal' | 'total' | 'at' | 'advance'>,
): Promise<Restored> {
  const target = resolve(to);
  const { database, held, root } = sourceOf(from, join(lab, BACKUP_FOLDER), true);
  requireNewPlace(root ?? held, target);
  const bytes = statSync(database).size;
  job.total(bytes);
  const salvaged = salvagedOf(target);
  const [made] = salvaged;
  try {
    makeFolders(dirname(target));
    requireFreeSpace(dirname(target), 2 * bytes, 'The salvaged lab');
    rmSync(made, { force: true });
    const { lost } = await salvageDatabase(database, made, {
      signal: job.signal,
      onShare: (share) => job.at(share * bytes),
    });
    const files = [...(root === null ? [] : await filesOf(root)), ...(await filesOf(held, ['.']))];
    return { ...(await copyOut(made, files, target, job)), lost };
  } catch (error) {
    throw asFileFailure(error, 'The salvaged lab');
  } finally {
    for (const path of salvaged) removeQuietly(path);
  }
}
