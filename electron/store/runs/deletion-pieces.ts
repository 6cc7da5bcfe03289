import type { Database } from 'better-sqlite3';
import { immediately, settle } from '../sql.ts';
import { removePiece, type Piece } from './queries.ts';

/** A piece of a deletion takes about so long; whoever wants to write meanwhile does not notice. */
const PIECE_MS = 15;
const LEAST_ROWS = 16;
const MOST_ROWS = 512;
/** Pieces after which the log is written into the database, so that this never takes long at once. */
const SETTLE_EVERY = 8;

/**
 * Takes out records of deleted runs, some milliseconds of work in one transaction at each call.
 * @param keepsLog what is committed stays in the log, since the file is still to be read as it was found
 */
export function deletionPieces(db: Database, keepsLog: boolean): () => Piece {
  let most = LEAST_ROWS;
  let pieces = 0;
  return () => {
    const began = performance.now();
    const piece = immediately(db, () => removePiece(db, most));
    const tookMs = performance.now() - began;
    if (tookMs > PIECE_MS) most = Math.max(LEAST_ROWS, Math.floor(most / 2));
    else if (tookMs < PIECE_MS / 3) most = Math.min(MOST_ROWS, most * 2);
    if (!keepsLog && ((pieces += 1) % SETTLE_EVERY === 0 || !piece.isMore)) settle(db);
    return piece;
  };
}
