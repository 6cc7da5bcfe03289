import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolders } from '../core/index.ts';
import { Failure, type FailureKind } from '../contract/index.ts';

/** Where a lab keeps its files. Everything is below one folder, so that it can be copied and removed as one. */
export type LabFolder = { root: string; run: (folder: string) => RunFolder; runs: string; logs: string };
export type RunFolder = {
  root: string;
  checkpoint: (step: number) => string;
  checkpoints: string;
  records: string;
  spool: string;
  trainerLog: string;
};

/** Folders of a lab that copies of imported models and data sets go to, each in a folder of its own. */
export const COPIED_MODELS = 'models';
export const COPIED_DATASETS = 'datasets';
/** Folder of a lab that test sets lie in, each in a folder of its own. */
export const TEST_SETS = 'test-sets';

/** `--lab`, else $ANCHOR_LAB, else the platform's data folder. */
export function defaultLabFolder(environment: NodeJS.ProcessEnv): string {
  if (environment['ANCHOR_LAB'] !== undefined && environment['ANCHOR_LAB'] !== '')
    return resolve(environment['ANCHOR_LAB']);
  if (process.platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData/Local'), 'Anchor Lab');
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/Anchor Lab');
  return join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'anchor-lab');
}

/** Names the files of a lab and makes its folder. @throws Failure `labFolder` when it cannot be written. */
export function useLabFolder(root: string): LabFolder {
  const logs = join(root, 'logs');
  try {
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
    run: (folder) => {
      const base = join(root, folder);
      const checkpoints = join(base, 'checkpoints');
      return {
        root: base,
        checkpoints,
        checkpoint: (step) => join(checkpoints, `step-${String(step).padStart(5, '0')}`),
        records: join(base, 'anchor'),
        spool: join(base, 'spool'),
        trainerLog: join(base, 'trainer.log'),
      };
    },
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
};

/** What the system said about writing a file, as something a person can act on; other errors pass unchanged. */
export function asFileFailure(error: unknown, what: string): unknown {
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const trouble = TROUBLES[code];
  if (trouble === undefined) return error;
  const file = dest ?? path;
  const where = file === undefined ? '' : ` (${file})`;
  const sentence = `${what} could not be written${where}: ${trouble.why(code)}. ${trouble.remedy}`;
  return new Failure(trouble.kind, sentence, 1, { cause: error });
}
