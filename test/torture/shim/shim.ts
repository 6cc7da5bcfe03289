import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Settings of the shim; see disk-shim.c, which explains each. */
export type ShimSettings = {
  under: string;
  match?: readonly string[];
  kinds?: string;
  trace?: string;
  ack?: string;
  killAt?: number;
  mark?: string;
  fail?: { at: number; count: number; error: keyof typeof constants.errno };
  jump?: { at: number; seconds: number };
};

/** Compiles the shim into `folder` and returns its path. @throws an Error with the command that installs what is missing. */
export function buildShim(folder: string): string {
  const library = join(folder, 'disk-shim.so');
  const source = join(import.meta.dirname, 'disk-shim.c');
  const done = spawnSync(
    'cc',
    ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread'],
    { encoding: 'utf8' },
  );
  if (done.error !== undefined)
    throw new Error(
      'No C compiler was found, and the disk tests need one; run: apt-get install -y gcc libc6-dev',
    );
  if (done.status !== 0)
    throw new Error(
      `The shim ${source} does not compile (if header files are missing, run: apt-get install -y gcc libc6-dev):\n${done.stderr}`,
    );
  return library;
}

/** Environment variables that put the shim under a program. */
export function shimEnvironment(library: string, settings: ShimSettings): Record<string, string> {
  const { under, match, kinds, trace, ack, killAt, mark, fail, jump } = settings;
  const given: Record<string, string | number | undefined> = {
    UNDER: under,
    MATCH: match?.join('|'),
    KINDS: kinds,
    TRACE: trace,
    ACK: ack,
    KILL_AT: killAt,
    MARK: mark,
    FAIL_AT: fail?.at,
    FAIL_COUNT: fail?.count,
    ERRNO: fail && constants.errno[fail.error],
    JUMP_AT: jump?.at,
    JUMP_SECONDS: jump?.seconds,
  };
  const entries = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[`ANCHOR_SHIM_${name}`, String(value)]],
  );
  return { LD_PRELOAD: library, ...Object.fromEntries(entries) };
}
