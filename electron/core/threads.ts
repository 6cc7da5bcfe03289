import { existsSync } from 'node:fs';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Failure, type FailureKind } from '../contract/index.ts';

/** What a thread says: what it found so far, and what it came to. */
type Said<T, N> =
  | { kind: 'news'; news: N }
  | { kind: 'result'; result: T }
  | { kind: 'failure'; failure: { kind: FailureKind; message: string; exitCode: 1 | 2 } }
  /** A message takes no more of an error along than its words. */
  | { kind: 'system'; message: string; about: SystemError }
  | { kind: 'surprise'; error: unknown };

/** What the system says of a file beside the words. */
type SystemError = Pick<NodeJS.ErrnoException, 'code' | 'path' | 'syscall' | 'errno'> & { dest?: string };

export type ThreadOptions<N> = {
  signal?: AbortSignal | undefined;
  onNews?: ((news: N) => void) | undefined;
  /** What is thrown where the thread ends without an answer. */
  died: (cause?: Error) => Error;
  /** Milliseconds for which an end is waited for; whoever cleans up after the thread waits until it is there. */
  endMs?: number;
};

/**
 * The module of a thread: beside the one that starts it in a checkout, beside the program in what is built for the desktop.
 * @param from `import.meta.url` of the module that starts it
 */
export function threadModule(name: string, from: string): URL {
  const places = [`./${name}.ts`, `./${name}.js`, `../${name}.js`].map((path) => new URL(path, from));
  const place = places.find((url) => existsSync(url));
  if (place === undefined)
    throw new Failure('missingFile', `A part of the program, ${name}.js, is missing; reinstall it.`);
  return place;
}

/**
 * Has an order done in a thread, so that whoever asks goes on meanwhile. What the thread refuses is thrown here, as is the signal's reason;
 * a thread that dies costs this order alone.
 */
export async function inThread<T, N = never>(
  module: URL,
  order: unknown,
  { signal, onNews, died, endMs = Number.POSITIVE_INFINITY }: ThreadOptions<N>,
): Promise<T> {
  signal?.throwIfAborted();
  const worker = new Worker(module, { workerData: order });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  worker.on('message', (said: Said<T, N>) => {
    if (said.kind === 'news') onNews?.(said.news);
    else if (said.kind === 'result') resolve(said.result);
    else reject(errorOf(said));
  });
  worker.once('error', (error) => reject(died(error)));
  worker.once('exit', () => reject(died()));
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
    await endOf(worker, endMs);
  }
}

function errorOf(said: Exclude<Said<never, never>, { kind: 'news' | 'result' }>): unknown {
  if (said.kind === 'failure')
    return new Failure(said.failure.kind, said.failure.message, said.failure.exitCode);
  return said.kind === 'system' ? Object.assign(new Error(said.message), said.about) : said.error;
}

/** Native code is not interrupted, so a thread may end a little later than it was told to. */
export async function endOf(worker: Worker, mostMs: number): Promise<void> {
  const ended = worker.terminate();
  if (!Number.isFinite(mostMs)) return void (await ended);
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, mostMs);
  await Promise.race([ended, late.promise]);
  clearTimeout(timer);
}

/** Does the order that this thread was started with; `say` tells of news on the way. */
export async function doOrder<O, T, N = never>(
  work: (order: O, say: (news: N) => void) => T | Promise<T>,
): Promise<void> {
  const port = parentPort;
  const say = (said: Said<T, N>): void => port?.postMessage(said, []);
  try {
    say({ kind: 'result', result: await work(workerData as O, (news) => say({ kind: 'news', news })) });
  } catch (error) {
    say(saidOf(error));
  }
}

function saidOf(error: unknown): Exclude<Said<never, never>, { kind: 'news' | 'result' }> {
  if (error instanceof Failure)
    return {
      kind: 'failure',
      failure: { kind: error.kind, message: error.message, exitCode: error.exitCode },
    };
  const { code, path, dest, syscall, errno } = error as SystemError;
  return error instanceof Error && typeof code === 'string'
    ? { kind: 'system', message: error.message, about: { code, path, dest, syscall, errno } as SystemError }
    : { kind: 'surprise', error };
}
