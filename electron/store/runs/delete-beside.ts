import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { Failure, type FailureKind } from '../../contract/index.ts';
import { endOf, threadModule } from '../../core/index.ts';
import { noBackup } from '../opening/copying.ts';
import { isHoldingLog, requireWritable } from '../sql.ts';
import { lookAtSearchAnew, type Piece } from './queries.ts';

/** Which database the thread opens, and whether what it commits stays in the log. */
export type DeleterOrder = { file: string; keepsLog: boolean };
export type DeleterSaid =
  | { kind: 'ready'; rows: number }
  | ({ kind: 'piece' } & Piece)
  | { kind: 'failure'; failure: { kind: FailureKind; message: string; exitCode: 1 | 2 } };

export type DeletionWatch = {
  signal?: AbortSignal | undefined;
  /** Told after each piece. */
  onProgress?: (progress: { done: number; total: number }) => void;
};

/**
 * Takes out all records of deleted runs in a thread and with a connection of its own, so that whoever asks is answered meanwhile. Each piece
 * is asked for by itself: none is begun once this connection may not write any more (the file was replaced, damage was found), nor while
 * `db` is backed up, which SQLite begins anew when another connection writes. What a piece took out is stored, whatever comes then.
 * @throws the signal's reason, between two pieces.
 */
export async function deleteBeside(db: Database, { signal, onProgress }: DeletionWatch = {}): Promise<void> {
  requireWritable(db);
  const order: DeleterOrder = { file: db.name, keepsLog: isHoldingLog(db) };
  const worker = new Worker(threadModule('deleter', import.meta.url), { workerData: order });
  let answer = Promise.withResolvers<DeleterSaid>();
  // Where it dies between two answers, nobody is waiting just then.
  answer.promise.catch(() => {});
  worker.on('message', (said: DeleterSaid) => answer.resolve(said));
  worker.once('error', (error) => answer.reject(died(db.name, error)));
  worker.once('exit', () => answer.reject(died(db.name)));
  const said = async (): Promise<Exclude<DeleterSaid, { kind: 'failure' }>> => {
    const heard = await answer.promise;
    if (heard.kind === 'failure')
      throw new Failure(heard.failure.kind, heard.failure.message, heard.failure.exitCode);
    return heard;
  };
  try {
    const ready = await said();
    let [done, total] = [0, ready.kind === 'ready' ? ready.rows : 0];
    for (let isMore = true; isMore;) {
      onProgress?.({ done, total });
      await noBackup(db, signal);
      signal?.throwIfAborted();
      requireWritable(db);
      answer = Promise.withResolvers<DeleterSaid>();
      worker.postMessage('piece', []);
      const piece = await said();
      if (piece.kind !== 'piece') continue;
      ({ isMore } = piece);
      done += piece.rows;
      // Another run may have been deleted meanwhile.
      if (piece.left !== null) total = done + piece.left;
    }
  } finally {
    await endOf(worker, Number.POSITIVE_INFINITY);
    if (db.open) lookAtSearchAnew(db);
  }
}

const died = (file: string, cause?: Error): Failure =>
  new Failure(
    'checkFailed',
    `Taking records out of ${file} ended before it was through${cause === undefined ? '' : ` (${cause.message})`}; what is left is taken out when the lab is opened again.`,
    1,
    { cause },
  );
