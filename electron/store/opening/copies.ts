import { BEING_DELETED } from '../catalogue.ts';
import { Failure, type CheckpointRecord, type RunState } from '../../contract/index.ts';
import { SCHEMA_VERSION } from '../migrations/index.ts';
import { asFailure } from '../sql.ts';
import { checkInThread, type Damage } from './check-thread.ts';
import { checkHeader, openReader } from './database-file.ts';

/** The files of a checkpoint. */
export type KeptFiles = Pick<CheckpointRecord, 'step' | 'files'>;

/** A run of a copy of a lab that has not come to its end, and the checkpoints that it goes on from: of each role the first and the newest. */
export type UnfinishedRun = {
  id: string;
  name: string;
  state: RunState;
  committedSteps: number;
  steps: number;
  /** Relative to the lab. */
  folder: string;
  checkpoints: KeptFiles[];
};

/** Oldest first. Copies with older tables tell of none: they are brought up to date when they are opened. */
export function unfinishedRuns(file: string): UnfinishedRun[] {
  if (checkHeader(file) !== SCHEMA_VERSION) return [];
  const copy = openReader(file);
  try {
    const checkpoints = copy.prepare<[string], { step: number; files: string }>(
      `SELECT step, files FROM checkpoints AS c WHERE run_id = ? AND removed_at IS NULL AND (step = 0 OR step =
         (SELECT max(step) FROM checkpoints AS n WHERE n.run_id = c.run_id AND n.role = c.role))
       ORDER BY step, role`,
    );
    return copy
      .prepare<[], Omit<UnfinishedRun, 'checkpoints'>>(
        `SELECT id, name, state, committed_steps AS committedSteps, json_extract(config, '$.steps') AS steps, folder
         FROM runs WHERE state <> 'done'
           AND id NOT IN (SELECT value FROM json_each((SELECT value FROM settings WHERE name = '${BEING_DELETED}'))) ORDER BY created_at, id`,
      )
      .all()
      .map((run) => ({
        ...run,
        checkpoints: checkpoints.all(run.id).map(({ step, files }) => ({
          step,
          files: JSON.parse(files) as CheckpointRecord['files'],
        })),
      }));
  } catch (error) {
    throw asFailure(error, file);
  } finally {
    copy.close();
  }
}

/** The files of every checkpoint that a copy of a lab has, by the folders of their runs relative to the lab's. */
export function keptCheckpoints(file: string): (KeptFiles & { runFolder: string })[] {
  const copy = openReader(file);
  try {
    return copy
      .prepare<[], { runFolder: string; step: number; files: string }>(
        `SELECT runs.folder AS runFolder, step, files FROM checkpoints JOIN runs ON runs.id = run_id
         WHERE removed_at IS NULL ORDER BY run_id, step`,
      )
      .all()
      .map(({ files, ...checkpoint }) => ({
        ...checkpoint,
        files: JSON.parse(files) as CheckpointRecord['files'],
      }));
  } catch (error) {
    throw asFailure(error, file);
  } finally {
    copy.close();
  }
}

/**
 * Looks at every page, event and record in the database of a lab or a backup without changing a byte, in a thread of its own. What is damaged
 * is told as far as it can be read; of a database with older tables, the first damage. @throws the signal's reason.
 */
export async function damageIn(file: string, signal?: AbortSignal): Promise<Damage[]> {
  try {
    if (checkHeader(file) === SCHEMA_VERSION)
      return (await checkInThread('records', file, { signal })).damage;
    await checkInThread('backup', file, { signal });
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ part: 'database', finding: error.message }];
  }
}
