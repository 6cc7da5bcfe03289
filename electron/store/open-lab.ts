import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { makeFolders } from '../core/index.ts';
import { Failure } from '../contract/index.ts';
import { brokenAtEnd, eventRepository, type Clock } from './audit-log/events.ts';
import { integrityRepository } from './audit-log/integrity.ts';
import { askedRepository } from './asked.ts';
import { auditRepository } from './audits/repository.ts';
import { judgeProbeRepository } from './judge-probes/repository.ts';
import {
  catalogueRepository,
  DAMAGED,
  markCleanExit,
  wasClosedCleanly,
  wasFoundDamaged,
} from './catalogue.ts';
import { evaluationRecordRepository } from './evaluations/first-form.ts';
import { evaluationListRepository } from './evaluations/list.ts';
import { evaluationRepository } from './evaluations/repository.ts';
import { newestBackup } from './opening/backup-folder.ts';
import { backupTo, type BackupOptions } from './opening/backups.ts';
import { checkInThread, type CheckOptions, type CheckResults } from './opening/check-thread.ts';
import { applyPragmas, checkHeader, makeDatabaseFile, openReader } from './opening/database-file.ts';
import { forgetSums, isChangedBeside, isChangedSinceNoted, isNoted, noteSums } from './opening/file-sums.ts';
import { labHolder, lockLab, lockUnnamed, type Lock } from './opening/lock.ts';
import { ownDatabase, requireNoOtherWriter } from './opening/ownership.ts';
import { migrate, requireNewestSchema } from './opening/migrate.ts';
import { firstDamage } from './opening/pages.ts';
import {
  lostStepsIn,
  requireNoRunsWithout,
  saidOfLost,
  saidOfStrangers,
  strangersIn,
  type LostSteps,
} from './opening/run-folders.ts';
import { setStrangeLogAside } from './opening/strange-log.ts';
import { SCHEMA_VERSION } from './migrations/index.ts';
import { recordListRepository, recordRepository } from './records/repository.ts';
import { markCutOffRuns, showCutOffRuns } from './runs/cut-off.ts';
import { runRepository } from './runs/repository.ts';
import { runTableRepository } from './runs/table.ts';
import { checkBeforeWriting, fileOf, guarded, holdLog, letLogGo, settle } from './sql.ts';
import { asFailure } from './sqlite-failure.ts';
import { stepRepository } from './steps/repository.ts';
import { seedRepository } from './steps/seed-attempts.ts';
import { timelineRepository } from './timeline.ts';

export const DATABASE_FILE = 'lab.sqlite';

export type OpenOptions = {
  /** Time of day for records and events. */
  now: Clock;
  /** Opens an existing lab for reading beside a program that may be writing to it. */
  readonly?: boolean;
  /** Its runs are recorded ones, whose files are there before their steps. */
  isReplay?: boolean;
  /** The lab is held although it can only be read, and every write is refused with this. */
  refusal?: Failure;
};

/** An open lab. All methods are synchronous except `backup`; every objection is a Failure. */
export type Lab = ReturnType<typeof assemble>;

/** The last program did not close the lab, or the file is not the one that it closed. */
export type CheckDue = 'unclosed' | 'changed';

type Held = {
  lock: Lock;
  /** Null where nothing may be written. */
  owner: Lock | null;
  /** Why a check is still to be made. */
  due: CheckDue | null;
  /** Whether the file is still to be compared with what was noted of it, and nothing written to it until then. */
  isUnread: boolean;
  /** What that check found, or the look at the lab as it was opened, or the full disk, for which nothing more is written. */
  damage: Failure | null;
  /** What that check found of records, which keeps from nothing. */
  damagedRecords: Failure | null;
};

type Opened = {
  uncleanExit: boolean;
  interruptedRuns: string[];
  unknownRuns: string[];
  lostSteps: LostSteps[];
  strangeLog: string | null;
};

function assemble(folder: string, db: Database, held: Held | null, now: Clock, opened: Opened) {
  return {
    /** Absolute path of the lab folder. */
    folder,
    /**
     * What opening found: whether the last program ended without closing the lab, the runs it was working on, folders of runs that the
     * database does not know, runs that it knows fewer steps of than their folders, and where the log of another database was put.
     */
    opened,
    /** What a person should know of the log and the folders of runs, a sentence each, as far as it still stands. */
    notices(): string[] {
      const lost = lostStepsIn(db, folder).filter(({ runId }) =>
        opened.lostSteps.some((before) => before.runId === runId),
      );
      const strangers = strangersIn(db, folder).filter((name) => opened.unknownRuns.includes(name));
      return [
        ...(opened.strangeLog === null ? [] : [saidOfStrangeLog(db.name, opened.strangeLog)]),
        ...lost.map(saidOfLost),
        ...(strangers.length === 0 ? [] : [saidOfStrangers(folder, strangers)]),
      ];
    },
    /** @throws Failure `labReplaced` where the folder of a run has files of steps that the database does not know. */
    requireAllSteps(runId: string): void {
      const [lost] = lostStepsIn(db, folder, runId);
      if (lost !== undefined) throw new Failure('labReplaced', saidOfLost(lost));
    },
    ...runRepository(db, now),
    ...runTableRepository(db, now),
    ...seedRepository(db, now),
    ...stepRepository(db, now),
    ...timelineRepository(db),
    ...recordRepository(db),
    ...recordListRepository(db),
    ...eventRepository(db, now),
    ...catalogueRepository(db, now),
    ...auditRepository(db, now),
    ...judgeProbeRepository(db, now),
    ...askedRepository(db, now),
    ...evaluationRecordRepository(db, now),
    ...evaluationRepository(db, now),
    ...evaluationListRepository(db),
    ...integrityRepository(db),
    /** The same check in a thread of its own, while the lab stays at work, and how many events the chain has. */
    async examine(options?: CheckOptions): Promise<CheckResults['records']> {
      const found = await checkInThread('records', fileOf(db), options);
      if (held !== null && found.damage.length === 0) held.due = null;
      return found;
    },
    /** Why the lab is to be checked: it was not closed, or is another file than was closed. Null once it was. */
    checkDue: (): CheckDue | null => held?.due ?? null,
    /**
     * Compares a large file with what was noted of it when it was closed, beside other work; what is stored meanwhile stays in the log.
     * @returns whether a check came to be due
     */
    async compareWithNote(): Promise<boolean> {
      if (held?.isUnread !== true) return false;
      const isChanged = await isChangedBeside(db.name, () => !held.isUnread);
      if (isChanged === null) return false;
      held.isUnread = false;
      if (isChanged) held.due = 'changed';
      letLogGo(db);
      return isChanged;
    },
    /** The damage or the full disk for which nothing more is written, or null. */
    damage: (): Failure | null => held?.damage ?? null,
    /** That, or damaged records that the check found: what to tell whoever works with the lab. */
    finding: (): Failure | null => held?.damage ?? held?.damagedRecords ?? null,
    /**
     * The check that is due, in a thread of its own: pages and events after an unclean exit, everything where the file is another one. Until
     * it is through the lab counts as not closed, so that the next program checks again.
     * @throws Failure `corrupt` where something is damaged. From then on every write is refused with it, where it is pages or events.
     */
    async makeDueCheck(options?: CheckOptions): Promise<void> {
      const isChanged = held?.due === 'changed';
      const found = isChanged
        ? (await checkInThread('records', db.name, options)).damage
        : [await checkInThread('afterCrash', db.name, options)].flatMap((finding) =>
            finding === null ? [] : [{ part: 'database', finding }],
          );
      if (held === null || !db.open) return;
      held.due = null;
      forgetSums(db.name);
      const isOfFile = ({ part }: { part: string }): boolean => part === 'database' || part === 'events';
      const first = found.find(isOfFile) ?? found[0];
      if (first === undefined) return;
      const finding = first.finding.replace(/\.$/, '');
      if (!isOfFile(first)) throw (held.damagedRecords = damagedRecords(db, finding));
      const damage = damagedLab(db, folder, finding, isChanged);
      held.damage = damage;
      writeNothingMore(db, damage);
      try {
        markCleanExit(db, DAMAGED);
      } catch (error) {
        // What cannot be marked is checked again by the next program.
        if (!(error instanceof Failure)) throw error;
      }
      throw damage;
    },
    /** Online and verified copy as one file; the lab stays usable meanwhile. Fails with kind `fileExists` rather than overwrite. */
    backup(toFile: string, options?: BackupOptions): Promise<void> {
      return backupTo(db, resolve(toFile), options);
    },
    /** Closes the lab and marks it clean. Closing twice is harmless. */
    close(): void {
      if (!db.open) return;
      try {
        // A damaged lab is left as it is.
        if (held !== null && held.damage === null) {
          if (held.isUnread && isChangedSinceNoted(db.name)) held.due = 'changed';
          held.isUnread = false;
          guarded(db, () => db.pragma('optimize'));
          held.owner?.release();
          markCleanExit(db, held.due === null);
          guarded(db, () => db.pragma('wal_checkpoint(TRUNCATE)'));
        }
      } finally {
        db.close();
        if (held !== null && held.damage === null && held.due !== 'changed') noteSums(db.name);
        held?.lock.release();
      }
    },
  };
}

function requireFolder(folder: string, readonly: boolean): void {
  if (readonly) {
    if (!existsSync(join(folder, DATABASE_FILE)))
      throw new Failure(
        'noLab',
        `There is no lab in ${folder}; name the folder that holds ${DATABASE_FILE}.`,
        2,
      );
    return;
  }
  try {
    makeFolders(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const kind =
      code === 'ENOSPC' ? 'diskFull' : code === 'EEXIST' || code === 'ENOTDIR' ? 'cannotOpen' : 'readOnly';
    const why =
      kind === 'diskFull'
        ? 'the disk is full; free some space'
        : kind === 'cannotOpen'
          ? 'something of that name is not a folder; choose another one'
          : 'it cannot be written; make it writable or choose another one';
    throw new Failure(kind, `The lab folder ${folder} cannot be used: ${why}.`, 1, { cause: error });
  }
}

function damagedLab(db: Database, folder: string, damage: string, isChanged: boolean): Failure {
  const backup = newestBackup(folder);
  const salvage = `make a new lab of what can be read in Settings, or with "anchor restore ${folder} --to <new folder> --salvage"`;
  const remedy = backup === null ? salvage : `restore ${backup}, or ${salvage}`;
  return new Failure(
    'corrupt',
    `The lab ${db.name} was damaged ${isChanged ? 'while it was closed' : 'when its program ended unexpectedly'} (${damage}), so it can be read at most; ${remedy}.`,
  );
}

/** Records that are not as their events say; the lab takes more all the same. */
const damagedRecords = (db: Database, finding: string): Failure =>
  new Failure(
    'corrupt',
    `The lab ${db.name} was damaged while it was closed (${finding}); in a terminal "anchor check" names everything that was, and a salvage leaves it out, in Settings or with "anchor restore --salvage".`,
  );

const saidOfStrangeLog = (file: string, aside: string): string =>
  `${file} is a copy that was put in the place of another database, whose log lay there still; that log is now ${aside} and can be deleted once nothing is missing here.`;

/** From now on every transaction is refused with `damage`. */
const writeNothingMore = (db: Database, damage: Failure): void =>
  checkBeforeWriting(db, () => {
    throw damage;
  });

/** Up to this size the check is through in the blink of an eye, and nothing is written before it. */
const CHECKED_AT_ONCE_BYTES = 16 * 1024 * 1024;

/**
 * After a crash SQLite repairs itself from its log; this looks whether anything else was hurt. A large lab is looked at where its program
 * wrote last, and the rest is left to `makeDueCheck`. One that was found damaged before, or is about to get other tables, is checked
 * whatever that takes. @returns whether everything was checked, and what is damaged.
 */
function lookAfterCrash(db: Database, schema: number): { isWhole: boolean; damage: string | null } {
  const isWhole =
    schema < SCHEMA_VERSION || wasFoundDamaged(db) || statSync(db.name).size <= CHECKED_AT_ONCE_BYTES;
  if (isWhole) return { isWhole, damage: firstDamage(db, () => {}) };
  const broken = brokenAtEnd(db);
  return { isWhole, damage: broken === null ? null : `event ${broken.seq}: ${broken.reason}` };
}

const sayingsOf = (lostSteps: readonly LostSteps[]): ReadonlyMap<string, string> =>
  new Map(lostSteps.map((lost) => [lost.runId, saidOfLost(lost)]));

/** Whether no program has the lab open for writing, as far as that can be found out. */
function isNobodys(folder: string): boolean {
  try {
    return labHolder(folder) === null;
  } catch {
    return false; // whoever cannot look at the lock cannot tell
  }
}

async function openForWriting(folder: string, file: string, now: Clock, isReplay: boolean): Promise<Lab> {
  const lock = lockLab(folder, now);
  let db: Database | undefined;
  try {
    const strangeLog = setStrangeLogAside(folder, file, now);
    const found = checkHeader(file);
    // Of a large lab that is; one of older tables is about to be rewritten.
    const isReadLater =
      found === SCHEMA_VERSION && statSync(file).size > CHECKED_AT_ONCE_BYTES && isNoted(file);
    let hadOther = !isReadLater && isChangedSinceNoted(file);
    if (found === 'new') requireNoRunsWithout(folder);
    makeDatabaseFile(file);
    db = new SqliteDatabase(file);
    applyPragmas(db, false);
    const hasSettings = found !== 'new' && found > 0;
    if (hasSettings) requireNoOtherWriter(db, folder);
    const uncleanExit = hasSettings && !wasClosedCleanly(db);
    const isUnread = isReadLater && !uncleanExit;
    if (isUnread) holdLog(db);
    else if (isReadLater) hadOther = isChangedSinceNoted(file);
    const isChanged = hasSettings && !uncleanExit && hadOther;
    const look = uncleanExit || isChanged ? lookAfterCrash(db, found) : { isWhole: true, damage: null };
    if (look.damage !== null) {
      const damage = damagedLab(db, folder, look.damage, isChanged);
      // Older tables than this program's cannot be read by it, and a damaged file is not rebuilt.
      if (found === 'new' || found < SCHEMA_VERSION) throw damage;
      writeNothingMore(db, damage);
      return assemble(
        folder,
        db,
        { lock, owner: null, due: null, isUnread: false, damage, damagedRecords: null },
        now,
        {
          uncleanExit,
          interruptedRuns: [],
          unknownRuns: strangersIn(db, folder),
          lostSteps: [],
          strangeLog,
        },
      );
    }
    await migrate(db, folder, now);
    const owner = ownDatabase(db, folder, now);
    markCleanExit(db, false);
    const lostSteps = isReplay ? [] : lostStepsIn(db, folder);
    const interruptedRuns = markCutOffRuns(db, now, sayingsOf(lostSteps));
    settle(db);
    const due = hasSettings && hadOther ? 'changed' : look.isWhole ? null : 'unclosed';
    return assemble(folder, db, { lock, owner, due, isUnread, damage: null, damagedRecords: null }, now, {
      uncleanExit,
      interruptedRuns,
      unknownRuns: strangersIn(db, folder),
      lostSteps,
      strangeLog,
    });
  } catch (error) {
    db?.close();
    lock.release();
    throw asFailure(error, file);
  }
}

function openForReading(folder: string, file: string, now: Clock, isReplay: boolean, refusal?: Failure): Lab {
  const lock = refusal === undefined ? null : lockUnnamed(folder);
  let db: Database | undefined;
  try {
    const found = checkHeader(file);
    db = openReader(file);
    requireNewestSchema(db, found === 'new' ? 0 : found);
    if (refusal !== undefined) writeNothingMore(db, refusal);
    const lostSteps = isReplay ? [] : lostStepsIn(db, folder);
    if (lock !== null || (!isReplay && isNobodys(folder))) showCutOffRuns(db, sayingsOf(lostSteps));
    const held =
      lock === null || refusal === undefined
        ? null
        : { lock, owner: null, due: null, isUnread: false, damage: refusal, damagedRecords: null };
    return assemble(folder, db, held, now, {
      uncleanExit: false,
      interruptedRuns: [],
      unknownRuns: strangersIn(db, folder),
      lostSteps,
      strangeLog: null,
    });
  } catch (error) {
    db?.close();
    lock?.release();
    throw asFailure(error, file);
  }
}

/**
 * Opens the lab in `folder`, making it when there is none: lock, header and schema version, a check after an unclean exit,
 * backup and migrations, then runs that were cut off become `interrupted`.
 * Failure kinds: labLocked, notALab, newerSchema, alteredSchema, corrupt, readOnly, diskFull, cannotOpen, ioError, noLab,
 * unsafeStorage, migration; for readers also olderSchema.
 */
export async function openLab(
  folder: string,
  { now, readonly = false, isReplay = false, refusal }: OpenOptions,
): Promise<Lab> {
  const absolute = resolve(folder);
  requireFolder(absolute, readonly);
  const file = join(absolute, DATABASE_FILE);
  return readonly
    ? openForReading(absolute, file, now, isReplay, refusal)
    : openForWriting(absolute, file, now, isReplay);
}
