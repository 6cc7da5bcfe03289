import { existsSync, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { RunState } from '../contract/index.ts';
import {
  COPIED_DATASETS,
  COPIED_MODELS,
  SAMPLE_FOLDER,
  TEST_SETS,
  unfinishedPaths,
  type RunFolder,
} from '../library/index.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from '../store/index.ts';
import { EVIDENCE_FOLDER } from './air-gap/watch.ts';
import { ownBytes } from './backup-files.ts';
import { droppableCheckpoints, type StorageServices } from './storage.ts';

export type RunStorage = {
  id: string;
  name: string;
  state: RunState;
  atWork: boolean;
  checkpoints: { count: number; bytes: number };
  otherBytes: number;
  /** What keeping only the first, the newest and those a person asked to keep would free. */
  droppable: { count: number; bytes: number };
};
export type LabStorage = {
  root: string;
  free: number;
  total: number;
  database: number;
  /** What goes when all of them are removed. */
  backups: number;
  copies: number;
  /** Test sets that were imported for evaluations. */
  testSets: number;
  /** The recorded sample, whose database is its own. */
  sample: number;
  /** What went into the lab's own folder of exports. */
  exports: number;
  /** Evidence about connections, and audits of reviews. */
  evidence: number;
  logs: number;
  /** What is just being written, in the lab and to places outside of it, or was left by a program that was killed; deleted runs. */
  unfinished: number;
  /** Folders of runs that the database does not know. */
  strangers: number;
  /** Whatever else lies in the lab's folder: a Python of its own, expected answers. */
  other: number;
  runs: RunStorage[];
};

const [RUNS, EXPORTS, LOGS] = ['runs', 'exports', 'logs'];
const EVIDENCE = [EVIDENCE_FOLDER, 'audits'];
const DATABASE_PARTS = [DATABASE_FILE, `${DATABASE_FILE}-wal`];
/** What of the top of a lab is named by itself. */
const PARTS: readonly string[] = [
  ...DATABASE_PARTS,
  ...EVIDENCE,
  BACKUP_FOLDER,
  COPIED_MODELS,
  COPIED_DATASETS,
  TEST_SETS,
  SAMPLE_FOLDER,
  EXPORTS,
  LOGS,
  RUNS,
];

/** What the lab takes on the disk, largest run first. */
export async function measureStorage(services: StorageServices): Promise<LabStorage> {
  const { root } = services.lab;
  const { bavail, blocks, bsize } = statfsSync(root);
  const runs = await Promise.all(
    services.store.allRuns().map(async ({ id, config, state, folder }): Promise<RunStorage> => {
      const paths = services.lab.run(folder);
      const kept = services.store.listCheckpoints(id);
      const droppable = droppableCheckpoints(services, id);
      const checkpointBytes = await folderBytes(paths.checkpoints);
      return {
        id,
        name: config.name,
        state,
        atWork: services.isActive(id),
        checkpoints: { count: kept.length, bytes: checkpointBytes },
        otherBytes: (await folderBytes(paths.root)) - checkpointBytes,
        droppable: {
          count: droppable.length,
          bytes: sum(await Promise.all(droppable.map(({ step }) => folderBytes(paths.checkpoint(step))))),
        },
      };
    }),
  );
  const unfinished = [
    ...unfinishedPaths(root),
    ...services.store.runsBeingDeleted().map(({ folder }) => services.lab.run(folder).root),
  ];
  const bytesOf = async (...names: string[]): Promise<number> => {
    const parts = names.map((name) => join(root, name));
    const counted = unfinished.filter((path) =>
      parts.some((part) => `${path}${sep}`.startsWith(`${part}${sep}`)),
    );
    return (await bytesAt(parts)) - (await bytesAt(counted));
  };
  const knownRuns = sum(runs.map(({ checkpoints, otherBytes }) => checkpoints.bytes + otherBytes));
  const strangers = await bytesAt(
    services.store.opened.unknownRuns.map((name) => join(services.lab.runs, name)),
  );
  const others = (await readdir(root)).filter((name) => !PARTS.includes(name));
  return {
    root,
    free: bavail * bsize,
    total: blocks * bsize,
    database: await bytesOf(...DATABASE_PARTS),
    backups: await ownBytes(join(root, BACKUP_FOLDER)),
    copies: await bytesOf(COPIED_MODELS, COPIED_DATASETS),
    testSets: await bytesOf(TEST_SETS),
    sample: await bytesOf(SAMPLE_FOLDER),
    exports: await bytesOf(EXPORTS),
    evidence: await bytesOf(...EVIDENCE),
    logs: await bytesOf(LOGS),
    unfinished: await bytesAt(unfinished),
    strangers,
    other: Math.max(0, (await bytesOf(RUNS, ...others)) - knownRuns - strangers),
    runs: runs.sort((a, b) => b.checkpoints.bytes + b.otherBytes - a.checkpoints.bytes - a.otherBytes),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Sum of the files below a folder; files that go meanwhile count as nothing. */
export async function folderBytes(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        try {
          return (await stat(join(entry.parentPath, entry.name))).size;
        } catch {
          return 0;
        }
      }),
  );
  return sum(sizes);
}

/** Of files, and of the files below folders. */
export async function bytesAt(paths: readonly string[]): Promise<number> {
  const sizes = paths.map((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() === true ? folderBytes(path) : found?.isFile() === true ? found.size : 0;
  });
  return sum(await Promise.all(sizes));
}

/** Bytes of the files of a run, by what deleting it would take away. Its records in the database are not among them. */
export type DiskUse = { checkpoints: number; records: number; other: number; total: number };

export function diskUse(folder: RunFolder): DiskUse {
  const total = bytesBelow(folder.root);
  const checkpoints = bytesBelow(folder.checkpoints);
  const records = bytesBelow(folder.records);
  return { checkpoints, records, other: total - checkpoints - records, total };
}

/** Links count as themselves; what disappears while it is counted counts as nothing, since a run may be at work. */
function bytesBelow(path: string): number {
  try {
    const entry = lstatSync(path);
    return entry.isDirectory()
      ? sum(readdirSync(path).map((name) => bytesBelow(join(path, name))))
      : entry.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
