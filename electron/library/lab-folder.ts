import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Failure } from '../contract/index.ts';

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
    mkdirSync(join(root, 'runs'), { recursive: true });
    mkdirSync(logs, { recursive: true });
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

/** What the system said about writing a file, as something a person can act on; other errors pass unchanged. */
export function asFileFailure(error: unknown, what: string): unknown {
  const { code, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const file = dest ?? path;
  const where = file === undefined ? '' : ` (${file})`;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Failure(
      'diskFull',
      `The disk is full: ${what} could not be written${where}. Free some space and try again.`,
      1,
      { cause: error },
    );
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new Failure(
      'readOnly',
      `${what} could not be written${where}: ${code}. Make the place writable and try again.`,
      1,
      { cause: error },
    );
  if (code === 'EIO')
    return new Failure(
      'ioError',
      `${what} could not be written${where}: the disk failed. Check the disk and try again.`,
      1,
      { cause: error },
    );
  return error;
}
