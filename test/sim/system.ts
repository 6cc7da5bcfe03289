import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import filesPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import workerThreads from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { SimulatedThread } from './programs/thread.ts';
import type { Draws, World } from './world.ts';

/** What stands in for the operating system under the engine. */
export type System = {
  world: World;
  draws: Draws;
  spawn: (command: string, args: readonly string[]) => object;
  /** False for a process that is none of the simulated ones. */
  kill: (pid: number, signal: string) => boolean;
  /** Asked before the engine changes a file, and told after it; may throw what a disk would say. */
  beforeWrite: (operation: string, path: string) => void;
  afterWrite: (operation: string, path: string) => void;
  /** Asked before a statement changes rows of a database. */
  beforeStatement: (path: string) => void;
};

let system: System | null = null;

/** Above 0 while files are touched that the simulated disk knows nothing of, or by a call that it was told of already. */
let untold = 0;
const plain = { ...fs };

/** The file system as it is, for simulated children and for the simulation itself. */
export const realFiles = new Proxy(plain, {
  get(_, name: keyof typeof plain) {
    const real = plain[name] as unknown;
    return typeof real === 'function'
      ? (...args: unknown[]) => untoldly(() => Reflect.apply(real, fs, args))
      : real;
  },
});

function untoldly<T>(action: () => T): T {
  untold += 1;
  try {
    return action();
  } finally {
    untold -= 1;
  }
}

/** Databases that were opened since the last call, so that those of a killed engine can be closed. */
const databases = new Set<InstanceType<typeof SqliteDatabase>>();
export function closeDatabases(): void {
  for (const database of databases) database.close();
  databases.clear();
}

/**
 * Puts the simulated system under everything that this process does from now on: time, children, chance, writes of files and commits of
 * databases. There is no way back, so a process that simulates does nothing else.
 */
export function takeOver(): void {
  // No program of the machine is found by name: the meter would ask for graphics cards.
  process.env['PATH'] = '/nowhere';
  takeTime();
  takeChildren();
  takeFiles();
  takeDatabases();
  takeThreads();
  crypto.randomBytes = ((size: number) =>
    Buffer.from(Array.from({ length: size }, () => now().draws.below(256)))) as typeof crypto.randomBytes;
  syncBuiltinESMExports();
}

/** Which world the process is in. */
export function enter(next: System): void {
  system = next;
}

function now(): System {
  if (system === null) throw new Error('No simulation has begun.');
  return system;
}

function takeTime(): void {
  const handle = (cancel: () => void): object => {
    const timer = {
      unref: () => timer,
      ref: () => timer,
      hasRef: () => true,
      [Symbol.toPrimitive]: () => 0,
      cancel,
    };
    return timer;
  };
  const once =
    (what: string) =>
    (action: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]): object =>
      handle(now().world.after(Number(milliseconds), what, () => action(...args)));
  const clear = (timer: { cancel?: () => void } | undefined | null): void => timer?.cancel?.();
  const every = (action: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]): object => {
    let cancel = (): void => {};
    const next = (): void => {
      cancel = now().world.after(Number(milliseconds), 'interval', () => {
        next();
        action(...args);
      });
    };
    next();
    return handle(() => cancel());
  };
  Object.assign(globalThis, {
    setTimeout: once('timer'),
    clearTimeout: clear,
    setInterval: every,
    clearInterval: clear,
    setImmediate: (action: (...args: unknown[]) => void, ...args: unknown[]) =>
      once('turn')(action, 0, ...args),
    clearImmediate: clear,
  });
  timersPromises.setImmediate = (() =>
    new Promise<void>(
      (resolve) => void now().world.after(0, 'turn', resolve),
    )) as typeof timersPromises.setImmediate;
  performance.now = () => now().world.nowMs;
}

function takeChildren(): void {
  childProcess.spawn = ((command: string, args: readonly string[]) =>
    now().spawn(command, args)) as unknown as typeof childProcess.spawn;
  process.kill = (pid: number, signal: string | number = 'SIGTERM') => {
    if (!now().kill(Math.abs(pid), String(signal)))
      throw Object.assign(new Error(`kill ESRCH ${pid}`), { code: 'ESRCH' });
    return true;
  };
}

/** Descriptors of files that were opened for writing, by which writes find their path. */
const writable = new Map<number, string>();

function takeFiles(): void {
  const changes = <
    K extends
      | 'renameSync'
      | 'rmSync'
      | 'mkdirSync'
      | 'writeFileSync'
      | 'cpSync'
      | 'truncateSync'
      | 'copyFileSync',
  >(
    name: K,
    pathAt = 0,
  ): void => {
    const real = plain[name] as (...args: unknown[]) => unknown;
    (fs as Record<string, unknown>)[name] = (...args: unknown[]) => {
      if (untold > 0) return real(...args);
      const path = String(args[pathAt]);
      now().beforeWrite(name, path);
      const result = untoldly(() => real(...args));
      now().afterWrite(name, path);
      return result;
    };
  };
  for (const name of ['rmSync', 'mkdirSync', 'writeFileSync', 'truncateSync'] as const) changes(name);
  for (const name of ['renameSync', 'cpSync', 'copyFileSync'] as const) changes(name, 1);
  for (const name of ['rm', 'rmdir', 'unlink'] as const) {
    const real = filesPromises[name] as (path: fs.PathLike, options?: fs.RmOptions) => Promise<void>;
    filesPromises[name] = async (path: fs.PathLike, options?: fs.RmOptions) => {
      now().beforeWrite('rmSync', String(path));
      await real(path, options);
      now().afterWrite('rmSync', String(path));
    };
  }
  fs.openSync = ((path: fs.PathLike, flags: string | number = 'r', mode?: fs.Mode) => {
    const writes = untold === 0 && typeof flags === 'string' && flags !== 'r';
    if (writes) now().beforeWrite('openSync', String(path));
    const descriptor = plain.openSync(path, flags, mode);
    if (writes) writable.set(descriptor, String(path));
    else writable.delete(descriptor);
    return descriptor;
  }) as typeof fs.openSync;
  for (const name of ['writeSync', 'fsyncSync'] as const) {
    const real = plain[name] as (descriptor: number, ...args: unknown[]) => number;
    (fs as Record<string, unknown>)[name] = (descriptor: number, ...args: unknown[]) => {
      const path = writable.get(descriptor);
      if (path !== undefined && untold === 0) now().beforeWrite(name, path);
      return real(descriptor, ...args);
    };
  }
}

const CHANGES_ROWS = /^\s*(?:INSERT|UPDATE|DELETE)\b/i;

/** A commit is where a step begins to count; before and after it a program can die, and the disk can be full. */
function takeDatabases(): void {
  const probe = new SqliteDatabase(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('COMMIT')) as {
    run: (
      this: { source: string; database: InstanceType<typeof SqliteDatabase> },
      ...args: unknown[]
    ) => unknown;
  };
  probe.close();
  const { run } = prototype;
  prototype.run = function (...args) {
    const { name } = this.database;
    if (this.source !== 'COMMIT') {
      if (CHANGES_ROWS.test(this.source)) now().beforeStatement(name);
      return run.apply(this, args);
    }
    now().beforeWrite('commit', name);
    const result = run.apply(this, args);
    now().afterWrite('commit', name);
    return result;
  };
  const { pragma } = SqliteDatabase.prototype;
  SqliteDatabase.prototype.pragma = function (...args: Parameters<typeof pragma>) {
    databases.add(this);
    return pragma.apply(this, args);
  };
}

function takeThreads(): void {
  workerThreads.Worker = class extends SimulatedThread {
    constructor(module: URL, { workerData }: { workerData: unknown }) {
      super(module, workerData, now());
    }
  } as unknown as typeof workerThreads.Worker;
}

/** What SQLite says when a write fails. */
export const sqliteError = (code: 'SQLITE_FULL' | 'SQLITE_IOERR_WRITE'): Error =>
  new SqliteDatabase.SqliteError(
    code === 'SQLITE_FULL' ? 'database or disk is full' : 'disk I/O error',
    code,
  );
