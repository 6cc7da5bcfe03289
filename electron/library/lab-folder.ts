import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statfsSync,
  statSync,
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolders, shownPath } from '../core/index.ts';
import { Failure, type FailureKind } from '../contract/index.ts';

/** Where a lab keeps its files. Everything is below one folder, so that it can be copied and removed as one. */
export type LabFolder = {
  root: string;
  run: (folder: string) => RunFolder;
  runs: string;
  logs: string;
  access: LabAccess;
};
export type RunFolder = {
  root: string;
  checkpoint: (step: number) => string;
  checkpoints: string;
  records: string;
  spool: string;
  /** What of the run's weights is put aside while others work; of no use to another trainer. */
  parked: string;
  trainerLog: string;
};

/** Folders of a lab that copies of imported models and data sets go to, each in a folder of its own. */
export const COPIED_MODELS = 'models';
export const COPIED_DATASETS = 'datasets';
/** Folder of a lab that test sets lie in, each in a folder of its own. */
export const TEST_SETS = 'test-sets';
/** Folder of the recorded sample's own database. */
export const SAMPLE_FOLDER = 'sample';

/** Names the files of a run below its folder. */
export function filesOfRun(root: string): RunFolder {
  const checkpoints = join(root, 'checkpoints');
  return {
    root,
    checkpoints,
    checkpoint: (step) => join(checkpoints, `step-${String(step).padStart(5, '0')}`),
    records: join(root, 'anchor'),
    spool: join(root, 'spool'),
    parked: join(root, 'parked'),
    trainerLog: join(root, 'trainer.log'),
  };
}

/** `--lab`, else $ANCHOR_LAB, else the platform's data folder. */
export function defaultLabFolder(environment: NodeJS.ProcessEnv): string {
  if (environment['ANCHOR_LAB'] !== undefined && environment['ANCHOR_LAB'] !== '')
    return resolve(environment['ANCHOR_LAB']);
  if (process.platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData/Local'), 'Anchor Lab');
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/Anchor Lab');
  return join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'anchor-lab');
}

/** Who can read a lab's files, and what was found and done about it when it was opened. */
export type LabAccess = {
  readers: 'owner' | 'group' | 'asMade';
  /** One sentence where something had to be narrowed or could not be; else null. */
  told: string | null;
  /** How many files and folders are readable by more than they should be, all the same. */
  stillOpen: number;
};

/** What Anchor Lab makes at the top of a lab. What else lies there is somebody's, and nothing is done to it. */
const OF_A_LAB =
  /^(anchor\.lock|audits|backups|datasets|evidence|expected|exports|lab\.sqlite|logs|models|python|runs|sample|serving\.json|tabs\.json|test-sets|unfinished)(-journal|-wal|-shm|\.sums|\.partial|\.tmp)?$/;
const DATABASE = 'lab.sqlite';
const [OTHERS, GROUP_AND_OTHERS] = [0o007, 0o077];
const [SETGID, GROUP_WRITES, STICKY] = [0o2000, 0o020, 0o1000];

/**
 * Keeps a lab to its owner: what this process and its children make from here on nobody else can read, whatever the umask was, and what
 * lies there wider is narrowed. A folder with the setgid bit that its group may write is shared with that group on purpose. One of another
 * user is theirs to arrange, and the umask stays. @param everything looks at every file, also where the database tells that it was done.
 */
export function keepToOwner(root: string, everything = false): LabAccess {
  const found = statSync(root, { throwIfNoEntry: false });
  if (process.platform === 'win32') return { readers: 'owner', told: null, stillOpen: 0 };
  if (found !== undefined && found.uid !== process.geteuid?.())
    return { readers: 'asMade', told: null, stillOpen: 0 };
  const isShared = found !== undefined && [SETGID, GROUP_WRITES].every((bit) => (found.mode & bit) !== 0);
  const kept = isShared ? OTHERS : GROUP_AND_OTHERS;
  process.umask(kept);
  const access = { readers: isShared ? 'group' : 'owner', told: null, stillOpen: 0 } as const;
  if (found === undefined) return access;
  const { narrowed, left } = narrowLab(realpathSync(root), found, kept, everything);
  if (left.length > 0)
    return {
      ...access,
      stillOpen: left.length,
      told: `${countOf(left.length)} of the lab ${root} can be read by other users and could not be changed (the first: ${left[0]}); as their owner, run "chmod -R ${isShared ? 'o' : 'go'}-rwx" on it, or move the lab to a disk that keeps permissions.`,
    };
  if (narrowed === 0) return access;
  const whose = isShared ? "are its group's" : "are its owner's";
  return {
    ...access,
    told: `Other users of this machine could read the lab ${root}: ${countOf(narrowed)} ${whose} alone now.`,
  };
}

const countOf = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'file or folder' : 'files and folders'}`;

/** The database tells whether it was done before, so it comes last: a walk that is cut off is made again. */
function narrowLab(
  root: string,
  { mode }: Stats,
  kept: number,
  everything: boolean,
): { narrowed: number; left: string[] } {
  const names = readdirSync(root);
  const paths = names.filter((name) => OF_A_LAB.test(name) && name !== DATABASE);
  const isOnlyOurs = names.every((name) => OF_A_LAB.test(name)) && (mode & STICKY) === 0;
  const database = join(root, DATABASE);
  const isWide = everything || ((lstatSync(database, { throwIfNoEntry: false })?.mode ?? 0) & kept) !== 0;
  let narrowed = 0;
  const left: string[] = [];
  const narrow = (path: string): void => {
    const done = narrowOne(path, kept);
    if (done === 'left') left.push(path);
    else if (done === 'narrowed') narrowed += 1;
  };
  if (isOnlyOurs) narrow(root);
  if (isWide) for (const name of paths) for (const path of downFrom(join(root, name))) narrow(path);
  if (isWide) narrow(database);
  return { narrowed, left };
}

/** A folder before what is in it, which is looked at only when the next path is asked for. */
function* downFrom(path: string): Generator<string> {
  yield path;
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  let names: string[] = [];
  try {
    names = readdirSync(path);
  } catch {
    // What its owner cannot look into, nobody else can.
  }
  for (const name of names) yield* downFrom(join(path, name));
}

/** By its descriptor, so that no link is followed to a file of elsewhere. */
function narrowOne(path: string, kept: number): 'fine' | 'narrowed' | 'left' {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink() || (found.mode & kept) === 0) return 'fine';
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      fchmodSync(descriptor, fstatSync(descriptor).mode & ~kept);
      return (fstatSync(descriptor).mode & kept) === 0 ? 'narrowed' : 'left';
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'fine' : 'left';
  }
}

/** Names the files of a lab and makes its folder. @throws Failure `labFolder` when it cannot be written. */
export function useLabFolder(root: string): LabFolder {
  const logs = join(root, 'logs');
  let access: LabAccess;
  try {
    access = keepToOwner(root);
    makeFolders(join(root, 'runs'));
    makeFolders(logs);
    accessSync(root, constants.W_OK);
  } catch (cause) {
    throw new Failure(
      'labFolder',
      `The lab folder ${root} cannot be written (${(cause as NodeJS.ErrnoException).code}); choose another with --lab or change its permissions.`,
      1,
      { cause },
    );
  }
  const runs = join(root, 'runs');
  return {
    root,
    logs,
    runs,
    access,
    run: (folder) => filesOfRun(join(root, folder)),
  };
}

/** @throws Failure `diskFull` when fewer than `bytes` are free where the lab lies. */
export function requireFreeSpace(root: string, bytes: number, what: string): void {
  if (!existsSync(root)) return;
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  if (free < bytes) {
    const mega = (value: number): string => `${Math.ceil(value / 1e6)} MB`;
    throw new Failure(
      'diskFull',
      `${what} needs about ${mega(bytes)} in ${root}, but only ${mega(free)} are free; free some space or choose another folder with --lab.`,
    );
  }
}

type Trouble = { kind: FailureKind; why: (code: string) => string; remedy: string };
const readOnly: Trouble = {
  kind: 'readOnly',
  why: (code) => code,
  remedy: 'Make the place writable and try again.',
};
const full: Trouble = {
  kind: 'diskFull',
  why: () => 'the disk is full',
  remedy: 'Free some space and try again.',
};
const noPlace: Trouble = {
  kind: 'cannotWrite',
  why: (code) => `nothing can be made there (${code})`,
  remedy: 'Name another place.',
};
const TROUBLES: Readonly<Record<string, Trouble>> = {
  ENOSPC: full,
  EDQUOT: full,
  EROFS: readOnly,
  EACCES: readOnly,
  EPERM: readOnly,
  EIO: {
    kind: 'ioError',
    why: () => 'the disk failed',
    remedy: 'Check the disk and try again.',
  },
  // A file or a device where a folder should be, a name too long, a link to itself, a file system that is only shown, as /proc.
  ENOENT: noPlace,
  ENOTDIR: noPlace,
  EEXIST: noPlace,
  EISDIR: noPlace,
  ELOOP: noPlace,
  ENAMETOOLONG: noPlace,
  EINVAL: noPlace,
  // Node refuses such a path before the system sees it.
  ERR_INVALID_ARG_VALUE: { ...noPlace, why: () => 'its path holds a zero byte' },
};

/** What the system said about writing a file, as something a person can act on; other errors pass unchanged. */
export function asFileFailure(error: unknown, what: string): unknown {
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const trouble = TROUBLES[code];
  if (trouble === undefined) return error;
  const file = dest ?? path;
  const where = file === undefined ? '' : ` (${shownPath(file)})`;
  const sentence = `${what} could not be written${where}: ${trouble.why(code)}. ${trouble.remedy}`;
  return new Failure(trouble.kind, sentence, 1, { cause: error });
}

const OF_THE_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** The same where the trouble is the disk's, wherever it wrote: what a path that somebody named does is told where it is used. */
export function asDiskFailure(error: unknown, what: string): unknown {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return OF_THE_DISK.has(code) ? asFileFailure(error, what) : error;
}
