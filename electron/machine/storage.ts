import { rmSync, existsSync, statSync, statfsSync, lstatSync, readdirSync } from 'node:fs';
import {
  Failure,
  withNeeded,
  type CheckpointRecord,
  type LiveEvent,
  type RunState,
} from '../contract/index.ts';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  asFileFailure,
  COPIED_DATASETS,
  COPIED_MODELS,
  SAMPLE_FOLDER,
  TEST_SETS,
  type LabFolder,
  type RunFolder,
} from '../library/index.ts';
import { BACKUP_FOLDER, DATABASE_FILE, type Lab } from '../store/index.ts';
import { ownBytes } from './backup-files.ts';

type StorageServices = {
  store: Lab;
  lab: LabFolder;
  /** Whether the run is at work or waits in the queue. */
  isActive: (runId: string) => boolean;
  emit: (event: LiveEvent) => void;
};

/**
 * Checkpoints that neither the run's continuation nor a person needs: all but the first, the newest of each weight set, those asked to be
 * kept, and those that one of these goes on from.
 */
export function droppableCheckpoints(
  { store }: Pick<StorageServices, 'store'>,
  runId: string,
): CheckpointRecord[] {
  const all = store.listCheckpoints(runId);
  const wished = keptSteps(store, runId);
  const newest = new Set([...Map.groupBy(all, ({ role }) => role).values()].map((own) => own.at(-1)));
  const staying = all.filter((one) => one.step === 0 || newest.has(one) || wished.has(one.step));
  const needed = withNeeded(all, staying, store.listStagedSteps(runId));
  return all.filter((one) => !needed.has(one));
}

/**
 * Lets a run's intermediate checkpoints go; records, metrics and evaluations stay. The database is told before files go.
 * @returns how many went. @throws Failure `runAtWork` (exit code 2).
 */
export function dropCheckpoints(services: StorageServices, runId: string): number {
  const run = services.store.requireRun(runId);
  if (services.isActive(runId))
    throw new Failure(
      'runAtWork',
      `Run "${run.config.name}" is at work or queued and needs its checkpoints; stop it first.`,
      2,
    );
  services.store.requireAllSteps(runId);
  const folder = services.lab.run(run.folder);
  const dropped = droppableCheckpoints(services, runId);
  try {
    for (const { step, role } of dropped) {
      services.store.markCheckpointPruned(runId, step, role);
      rmSync(folder.checkpoint(step), { recursive: true, force: true });
    }
    removeStrays(services.store, runId, folder);
  } catch (error) {
    throw asFileFailure(error, `The checkpoints of run "${run.config.name}"`);
  }
  for (const what of ['lab', 'runs']) services.emit({ kind: 'changed', what, runId });
  return dropped.length;
}

/** What a deletion that was cut off after the database was told left of checkpoints goes. @throws what the system says. */
export function removeStrays(store: Lab, runId: string, { checkpoints, checkpoint }: RunFolder): void {
  if (!existsSync(checkpoints)) return;
  const known = new Set(store.listCheckpoints(runId).map(({ step }) => basename(checkpoint(step))));
  for (const name of readdirSync(checkpoints)) {
    if (!known.has(name)) rmSync(join(checkpoints, name), { recursive: true, force: true });
  }
}

const KEPT = 'checkpoint.kept';

/**
 * Steps whose checkpoints a person asked to keep, or an earlier version's backup needs that is still in the lab's folder. The chain of
 * events holds the wish, so that it outlives the program.
 */
export function keptSteps(store: Lab, runId: string): ReadonlySet<number> {
  return new Set(
    store
      .eventsOfKind(runId, KEPT)
      .map(({ body }) => body as { step: number; backup?: string })
      .filter(({ backup }) => backup === undefined || existsSync(join(store.folder, BACKUP_FOLDER, backup)))
      .map(({ step }) => step),
  );
}

/**
 * Keeps the checkpoint of a run's newest committed step for good: it is never pruned. A step saves its weights at its end, so in
 * the middle of one there is nothing newer to keep.
 * @throws Failure `noCheckpoint` when no step is stored yet.
 */
export function keepNewest(store: Lab, runId: string): CheckpointRecord {
  const newest = store.listCheckpoints(runId).at(-1);
  if (newest === undefined || newest.step === 0) {
    throw new Failure(
      'noCheckpoint',
      `Run "${runId}" has no step stored yet, so there is no checkpoint to keep; its first one comes with the end of step 1.`,
      2,
    );
  }
  if (!keptSteps(store, runId).has(newest.step)) store.appendEvent(runId, KEPT, { step: newest.step });
  return newest;
}

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
  /** Folders of runs that the database does not know. */
  strangers: number;
  runs: RunStorage[];
};

/** What the lab takes on the disk, largest run first. */
export async function measureStorage(services: StorageServices): Promise<LabStorage> {
  const { root } = services.lab;
  const { bavail, blocks, bsize } = statfsSync(root);
  const database = [DATABASE_FILE, `${DATABASE_FILE}-wal`].reduce(
    (sum, name) => sum + (statSync(join(root, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
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
          bytes: (await Promise.all(droppable.map(({ step }) => folderBytes(paths.checkpoint(step))))).reduce(
            (sum, bytes) => sum + bytes,
            0,
          ),
        },
      };
    }),
  );
  return {
    root,
    free: bavail * bsize,
    total: blocks * bsize,
    database,
    backups: await ownBytes(join(root, BACKUP_FOLDER)),
    copies: (await folderBytes(join(root, COPIED_MODELS))) + (await folderBytes(join(root, COPIED_DATASETS))),
    testSets: await folderBytes(join(root, TEST_SETS)),
    sample: await folderBytes(join(root, SAMPLE_FOLDER)),
    strangers: (
      await Promise.all(
        services.store.opened.unknownRuns.map((name) => folderBytes(join(services.lab.runs, name))),
      )
    ).reduce((sum, bytes) => sum + bytes, 0),
    runs: runs.sort((a, b) => b.checkpoints.bytes + b.otherBytes - a.checkpoints.bytes - a.otherBytes),
  };
}

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
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
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
      ? readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
      : entry.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
