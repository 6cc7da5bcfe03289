/** The thread that takes out records of deleted runs, a piece each time it is asked to; see delete-beside.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { applyPragmas } from '../opening/database-file.ts';
import { guarded, holdLog } from '../sql.ts';
import type { DeleterOrder, DeleterSaid } from './delete-beside.ts';
import { deletionPieces } from './deletion-pieces.ts';
import { countBeingDeleted } from './queries.ts';

const port = parentPort;
const say = (said: DeleterSaid): void => port?.postMessage(said, []);
const saying = (work: () => DeleterSaid): void => {
  try {
    say(work());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, message, exitCode } = error;
    say({ kind: 'failure', failure: { kind, message, exitCode } });
  }
};

const { file, keepsLog } = workerData as DeleterOrder;
saying(() => {
  const db = new SqliteDatabase(file, { fileMustExist: true });
  guarded(db, () => applyPragmas(db, false));
  if (keepsLog) holdLog(db);
  const next = deletionPieces(db, keepsLog);
  port?.on('message', () => saying(() => ({ kind: 'piece', ...next() })));
  return { kind: 'ready', rows: countBeingDeleted(db) };
});
