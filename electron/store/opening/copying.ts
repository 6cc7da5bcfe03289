import type { Database } from 'better-sqlite3';

const underWay = new WeakMap<Database, Set<Promise<unknown>>>();

/** Notes that a backup reads the database's pages until `copy` is settled. */
export async function copying(db: Database, copy: Promise<unknown>): Promise<void> {
  const all = underWay.get(db) ?? new Set();
  underWay.set(db, all.add(copy));
  try {
    await copy;
  } finally {
    all.delete(copy);
  }
}

/** Resolves once no backup reads the database's pages, or the signal is aborted. */
export async function noBackup(db: Database, signal?: AbortSignal): Promise<void> {
  for (let copies = underWay.get(db); copies !== undefined && copies.size > 0; copies = underWay.get(db)) {
    if (signal?.aborted === true) return;
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const stop = (): void => resolve();
    signal?.addEventListener('abort', stop, { once: true });
    await Promise.race([aborted, Promise.allSettled(copies)]);
    signal?.removeEventListener('abort', stop);
  }
}
