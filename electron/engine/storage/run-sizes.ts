import { existsSync, statSync, statfsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState } from '../../contract/index.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from '../../store/index.ts';
import type { Services } from '../services.ts';
import { COPIED_DATASETS, COPIED_MODELS } from '../library/import-files.ts';
import { allRuns } from '../library/listing.ts';
import { droppableCheckpoints } from './retention.ts';

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
  backups: number;
  copies: number;
  runs: RunStorage[];
};

/** What the lab takes on the disk, largest run first. */
export async function measureStorage(services: Services): Promise<LabStorage> {
  const { root } = services.lab;
  const { bavail, blocks, bsize } = statfsSync(root);
  const database = [DATABASE_FILE, `${DATABASE_FILE}-wal`].reduce(
    (sum, name) => sum + (statSync(join(root, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const runs = await Promise.all(
    allRuns(services).map(async ({ id, config, state, folder }): Promise<RunStorage> => {
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
    backups: await folderBytes(join(root, BACKUP_FOLDER)),
    copies: (await folderBytes(join(root, COPIED_MODELS))) + (await folderBytes(join(root, COPIED_DATASETS))),
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
