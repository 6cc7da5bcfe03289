import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Failure, type FailureKind } from '../../contract/index.ts';
import type { Watch } from './pages.ts';

/** One finding of a check: which part, and what is wrong in one sentence. */
export type Damage = { part: 'database' | 'search' | 'events' | 'records'; finding: string };

/** What a copy of a lab holds, after every page and every event of it was checked. */
export type BackupFacts = {
  schema: number;
  bytes: number;
  runs: number;
  steps: number;
  events: number;
  head: string;
};

/** What a salvaged lab holds of the damaged one. */
export type Salvaged = {
  /** In full, and up to a step. */
  runs: { whole: number; cut: number };
  /** A sentence for each thing that could not be taken over as it was stored; none where nothing is missing. */
  lost: string[];
};

/** What each check comes to. */
export type CheckResults = {
  /** Pages and events, after a program ended without closing the lab: what is damaged, or null. */
  afterCrash: string | null;
  /** Everything that can be checked without the files of the runs. */
  records: { damage: Damage[]; events: number };
  /** Pages and events of a copy of a lab. */
  backup: BackupFacts;
  /** What can be read of a damaged lab, taken over into the new file `to`. */
  salvage: Salvaged;
};

/** What the thread is asked, and what it says. */
export type CheckOrder = { check: keyof CheckResults; file: string; to: string };
export type CheckNews =
  | { kind: 'share'; share: number }
  | { kind: 'result'; result: unknown }
  | { kind: 'failure'; failure: { kind: FailureKind; message: string; exitCode: 1 | 2 } }
  | { kind: 'surprise'; error: unknown };

export type CheckOptions = {
  signal?: AbortSignal | undefined;
  onShare?: Watch | undefined;
  /** The file to make, for what makes one. */
  to?: string | undefined;
};

/** The thread's module: beside this one in a checkout, beside the program in what is built for the desktop. */
const PLACES = ['./checker.ts', './checker.js', '../checker.js'];

/** Native code is not interrupted, so a thread may end a little later than it was told to; nobody waits longer than this. */
const END_MS = 900;

/**
 * Reads a whole database in a thread and with a connection of its own, so that whoever asks goes on meanwhile. What the check refuses is
 * thrown here, as is the signal's reason within a second; a thread that dies costs this check alone.
 */
export async function checkInThread<K extends keyof CheckResults>(
  check: K,
  file: string,
  { signal, onShare, to = '' }: CheckOptions = {},
): Promise<CheckResults[K]> {
  signal?.throwIfAborted();
  const place = PLACES.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url));
  if (place === undefined)
    throw new Failure('missingFile', 'A part of the program, checker.js, is missing; reinstall it.');
  const worker = new Worker(place, { workerData: { check, file, to } satisfies CheckOrder });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  worker.on('message', (news: CheckNews) => {
    if (news.kind === 'share') onShare?.(news.share);
    if (news.kind === 'result') resolve(news.result);
    if (news.kind === 'failure')
      reject(new Failure(news.failure.kind, news.failure.message, news.failure.exitCode));
    if (news.kind === 'surprise') reject(news.error);
  });
  worker.once('error', (error) => reject(died(file, error)));
  worker.once('exit', () => reject(died(file)));
  try {
    return (await promise) as CheckResults[K];
  } finally {
    signal?.removeEventListener('abort', abort);
    const ended = worker.terminate();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, END_MS);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
  }
}

function died(file: string, cause?: Error): Failure {
  const why = cause === undefined ? '' : ` (${cause.message})`;
  return new Failure(
    'checkFailed',
    `The check of ${file} ended before it was through${why}; nothing was found out. Try again.`,
    1,
    { cause },
  );
}
