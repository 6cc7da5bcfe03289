import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isFolder, namesIn, type Clock, type JobHandle, type JobRunner } from '../core/index.ts';
import {
  backupScheduleSchema,
  DEFAULT_BACKUP_SCHEDULE,
  Failure,
  type BackupSchedule,
  type Job,
  type LiveEvent,
} from '../contract/index.ts';
import {
  asFileFailure,
  noteUnfinished,
  removeInTurn,
  removeQuietly,
  requireFreeSpace,
  type Removals,
} from '../library/index.ts';
import {
  BACKUP_FOLDER,
  backupTakenAway,
  DATABASE_FILE,
  examineBackup,
  requireBackupFolder,
  type BackupFacts,
  type Lab,
} from '../store/index.ts';
import {
  checkCopy,
  copyOut,
  filesBeside,
  filesOf,
  holdFiles,
  neededFiles,
  ownBytes,
  requireNewPlace,
  salvageInto,
  sourceOf,
  unfinishedOf,
  type Restored,
  type CopyCheck,
} from './backup-files.ts';

/** How a backup came about: asked for, due by the schedule, saved when the database was taken away, or made before the tables changed. */
const ENDINGS = {
  asked: '-by-hand.sqlite',
  scheduled: '-scheduled.sqlite',
  rescued: '-rescued.sqlite',
  migration: '.sqlite',
} as const;
type Why = keyof typeof ENDINGS;

/** A copy of the database in the lab's backups folder; `bytes` are what its removal frees. */
export type BackupFile = { name: string; bytes: number; at: string; why: Why };
/** What a check found: all pages and events sound, or a failure; and which unfinished runs could go on from it. */
export type BackupReport = BackupFacts & CopyCheck & { name: string };
export type RestoreRequest = {
  /** A backup by its name or path, or the folder of a whole copy. */ from: string;
  /** A folder that is not there yet, or is empty. */ to: string;
  /** Bring all files of runs and copied models along, not only what unfinished runs need. */ withRuns: boolean;
  /** It is damaged: take what can still be read, with all files. */ salvage?: boolean | undefined;
};

/** Pages of 4 KiB copied before the lab works on: a few milliseconds' worth. */
const PAGES_AT_ONCE = 500;
const SETTING = 'app.backups';
const LOOK_EVERY_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
/** Of a target, as a part of a name of ours. */
const LONGEST_NAME = 60;
const DATABASE = /\.sqlite$/;
/** What a backup that was cut off leaves in the folder. */
const UNFINISHED = /\.tmp(-journal|-wal|-shm)?$/;

type Tools = {
  store: Lab;
  lab: { root: string };
  clock: Clock;
  jobs: JobRunner;
  emit: (event: LiveEvent) => void;
  removals: Removals;
};

/**
 * Copies of the lab: a checked copy of the database with the checkpoints that unfinished runs go on from, made when asked for and by a
 * schedule, restored into new folders.
 */
export class Backups {
  readonly #tools: Tools;
  readonly #folder: string;
  #timer: NodeJS.Timeout | null = null;
  #notBeforeMs = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#folder = join(tools.lab.root, BACKUP_FOLDER);
  }

  /** Clears away what an earlier program left unfinished, and begins to keep the schedule. It never keeps the program alive. */
  start(): this {
    this.#sweep();
    this.#timer ??= setInterval(() => this.#keepSchedule(), LOOK_EVERY_MS).unref();
    return this;
  }

  /** What cannot be taken away stays: the lab is opened all the same, and making a backup says what is wrong with the folder. */
  #sweep(): void {
    if (!isFolder(this.#folder)) return;
    try {
      for (const name of readdirSync(this.#folder)) {
        const isOrphan =
          name.endsWith('.files') && !existsSync(join(this.#folder, name.replace(/files$/, 'sqlite')));
        if (isOrphan || UNFINISHED.test(name)) this.#tools.removals.remove(join(this.#folder, name));
      }
    } catch {
      // A folder that may not be read.
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Newest first; what goes meanwhile is left out. @throws Failure `missingFile` where the folder is a link that leads nowhere now. */
  async list(): Promise<BackupFile[]> {
    const found = this.#names().map(async (name) => {
      const path = join(this.#folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return [];
      const at = timeOf(path);
      return [{ name, bytes: stat.size + (await ownBytes(filesBeside(path))), at, why: whyOf(name) }];
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * Copies the database while the lab stays at work, checks the copy, and only then names it. What its unfinished runs go on from is held
   * beside it.
   */
  make(why: 'asked' | 'scheduled' = 'asked'): Job {
    this.#requireSpace(this.#tools.lab.root, 'A backup');
    const path = join(this.#folder, this.#newName(why));
    const title = why === 'asked' ? 'Back up the lab' : 'Back up the lab, by schedule';
    return this.#tools.jobs.start(
      { kind: 'backup', title, unit: 'page' },
      async (job): Promise<BackupFile> => {
        const held = filesBeside(path);
        try {
          // At once when all is copied: a run lets go of older checkpoints with each step that it takes while the copy is checked.
          await this.#copyDatabase(path, job, (copy) =>
            holdFiles(held, neededFiles(copy, this.#tools.lab.root)),
          );
        } catch (error) {
          removeQuietly(held);
          throw asFileFailure(error, 'The backup');
        }
        if (why === 'scheduled') await this.#dropOldest();
        this.#changed();
        const made = (await this.list()).find(({ name }) => name === basename(path));
        if (made === undefined) throw backupTakenAway(this.#folder);
        return made;
      },
    );
  }

  /**
   * A whole copy of the lab, with all files of its runs, models and test sets, in a new folder: it opens as a lab, on another machine too.
   * @throws Failure (exit code 2) for a target that is no empty place.
   */
  makeWhole(to: string): Job {
    const target = resolve(to);
    requireNewPlace(this.#tools.lab.root, target);
    this.#requireSpace(this.#tools.lab.root, 'A backup');
    const path = join(this.#folder, `${this.#newName('asked')}.tmp`);
    const title = `Copy the lab to ${basename(target)}`;
    return this.#tools.jobs.start({ kind: 'backup', title, unit: 'byte' }, async (job): Promise<Restored> => {
      const stage = this.#stage(target);
      const forget = noteUnfinished(this.#tools.lab.root, ...unfinishedOf(target));
      try {
        await this.#copyDatabase(path, job, async () =>
          holdFiles(stage, await filesOf(this.#tools.lab.root)),
        );
        return await copyOut(path, await filesOf(stage, ['.']), target, job);
      } catch (error) {
        throw asFileFailure(error, 'The copy of the lab');
      } finally {
        for (const left of [path, stage]) await removeInTurn(left);
        forget();
      }
    });
  }

  /** Reads every page and event of a backup, and every file that its unfinished runs go on from. */
  check(name: string): Job {
    const database = this.#pathOf(name);
    const bytes = statSync(database).size;
    return this.#tools.jobs.start(
      { kind: 'backup-check', title: `Check ${name}`, unit: 'byte', total: bytes },
      async (job): Promise<BackupReport> => {
        const facts = await examineBackup(database, {
          signal: job.signal,
          onShare: (share) => job.at(share * bytes),
        });
        const places = [filesBeside(database), this.#tools.lab.root];
        return {
          name,
          ...facts,
          ...(await checkCopy({ database, places, checkpoints: 'needed' }, job.signal)),
        };
      },
    );
  }

  /** @throws Failure `missingFile` (exit code 2). */
  remove(name: string): void {
    const path = this.#pathOf(name);
    // The files first: without the copy of the database they would be nobody's.
    rmSync(filesBeside(path), { recursive: true, force: true });
    rmSync(path, { force: true });
    this.#changed();
  }

  /**
   * Makes a new lab folder from a backup. The lab that is open stays as it is, and nothing that is there is written over: the
   * backup is checked first, copied, checked again, and the folder gets its name last.
   * @throws Failure (exit code 2) at once for a target that is no empty place, later with what was wrong with the backup.
   */
  restore({ from, to, withRuns, salvage = false }: RestoreRequest): Job {
    if (salvage) return this.#salvage(from, to);
    const source = sourceOf(from, this.#folder);
    const target = resolve(to);
    requireNewPlace(this.#tools.lab.root, target);
    return this.#tools.jobs.start(
      { kind: 'restore', title: `Restore into ${basename(target)}`, unit: 'byte' },
      async (job): Promise<Restored> => {
        const { database, held, root } = source;
        const stage = this.#stage(target);
        const forget = noteUnfinished(this.#tools.lab.root, ...unfinishedOf(target));
        try {
          await examineBackup(database, { signal: job.signal });
          // A lab at work lets go of files while others are copied, so all get a second name first.
          if (root !== null)
            await holdFiles(stage, withRuns ? await filesOf(root) : neededFiles(database, root));
          return await copyOut(
            database,
            [...(await filesOf(stage, ['.'])), ...(await filesOf(held, ['.']))],
            target,
            job,
          );
        } catch (error) {
          throw asFileFailure(error, 'The restored lab');
        } finally {
          await removeInTurn(stage);
          forget();
        }
      },
    );
  }

  /** @throws Failure (exit code 2) at once for a target that is no empty place. */
  #salvage(from: string, to: string): Job {
    const target = resolve(to);
    requireNewPlace(this.#tools.lab.root, target);
    const title = `Salvage into ${basename(target)}`;
    const lab = this.#tools.lab.root;
    return this.#tools.jobs.start({ kind: 'restore', title, unit: 'byte' }, async (job) => {
      const forget = noteUnfinished(lab, ...unfinishedOf(target));
      try {
        return await salvageInto({ from, to: target, lab }, job);
      } finally {
        forget();
      }
    });
  }

  schedule(): BackupSchedule {
    const stored = this.#tools.store.getSetting(SETTING) as Partial<BackupSchedule> | null;
    return backupScheduleSchema.parse({ ...DEFAULT_BACKUP_SCHEDULE, ...stored });
  }

  /** Only what is named changes, so that two changes of one moment both count. */
  setSchedule(change: Partial<BackupSchedule>): void {
    this.#tools.store.setSetting(SETTING, { ...this.schedule(), ...change });
    this.#changed();
  }

  /** Makes the backup that is due, if one is; one that failed is tried again after an hour. */
  #keepSchedule(): void {
    const nowMs = this.#tools.clock.now().getTime();
    // A copy of what is damaged would take the place of a sound one.
    if (this.#tools.store.finding() !== null) return;
    try {
      const { everyHours } = this.schedule();
      if (everyHours === null || nowMs < this.#notBeforeMs || !this.#isDue(everyHours)) return;
      this.#notBeforeMs = nowMs + HOUR_MS;
      this.make('scheduled');
    } catch {
      // No room for it, four jobs at work, a lab that cannot be read: whatever it is, no run may end for it, and the list shows how old the
      // newest backup is.
    }
  }

  /** Whether the newest backup is older than it may be, and something was stored since. */
  #isDue(everyHours: number): boolean {
    const { store, clock } = this.#tools;
    const [first] = store.listEvents(null, { limit: 1 });
    const [last] = store.listEvents(null, { afterSeq: store.exportCheckpointOfChain().seq - 1, limit: 1 });
    if (first === undefined || last === undefined) return false;
    const newest = this.#newest();
    const since = newest === null ? first.at : timeOf(join(this.#folder, newest));
    return (
      clock.now().getTime() - Date.parse(since) >= everyHours * HOUR_MS &&
      (newest === null || last.at >= since)
    );
  }

  async #dropOldest(): Promise<void> {
    const scheduled = (await this.list()).filter(({ why }) => why === 'scheduled');
    for (const { name } of scheduled.slice(this.schedule().keep)) this.remove(name);
  }

  /** Null too where the folder cannot be read, so that a backup becomes due and says why it cannot be made. */
  #newest(): string | null {
    try {
      return this.#names()[0] ?? null;
    } catch {
      return null;
    }
  }

  /** Newest first. */
  #names(): string[] {
    requireBackupFolder(this.#folder);
    if (!existsSync(this.#folder)) return [];
    return namesIn(this.#folder)
      .filter((name) => DATABASE.test(name))
      .sort()
      .toReversed();
  }

  #newName(why: 'asked' | 'scheduled'): string {
    return `${this.#tools.clock.now().toISOString().replaceAll(':', '-')}${ENDINGS[why]}`;
  }

  #pathOf(name: string): string {
    const path = join(this.#folder, basename(name));
    if (!this.#names().includes(name) || isFolder(path))
      throw new Failure('missingFile', `There is no backup "${name}" in ${this.#folder}.`, 2);
    return path;
  }

  #copyDatabase(
    path: string,
    { signal, total, at }: JobHandle,
    onCopied: (copy: string) => Promise<void>,
  ): Promise<void> {
    return this.#tools.store.backup(path, {
      onPages: (done, pages) => {
        signal.throwIfAborted();
        total(pages);
        at(done);
        return PAGES_AT_ONCE;
      },
      onCopied,
      signal,
    });
  }

  /** Where files get second names while they are copied to a target. */
  #stage(target: string): string {
    return join(this.#folder, `${basename(target).slice(0, LONGEST_NAME)}.${this.#newName('asked')}.tmp`);
  }

  #requireSpace(place: string, what: string): void {
    // A database that was deleted under the program is copied from the open file all the same.
    const found = statSync(join(this.#tools.lab.root, DATABASE_FILE), { throwIfNoEntry: false });
    requireFreeSpace(place, 2 * (found?.size ?? 0), what);
  }

  #changed(): void {
    this.#tools.emit({ kind: 'changed', what: 'lab', runId: null });
  }
}

const whyOf = (name: string): Why =>
  (['asked', 'scheduled', 'rescued'] as const).find((why) => name.endsWith(ENDINGS[why])) ?? 'migration';

/** When a backup was made: as its name tells, which a copy of it keeps, else as the file system does. */
function timeOf(path: string): string {
  const [, day, hour, minute, second] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z/.exec(basename(path)) ?? [];
  return day === undefined ? statSync(path).mtime.toISOString() : `${day}T${hour}:${minute}:${second}Z`;
}
