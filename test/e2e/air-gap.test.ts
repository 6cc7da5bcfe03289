import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { labsOfThisFile, SMALL_RUN } from './anchor-cli.ts';

vi.setConfig({ testTimeout: 900_000 });

const makeLab = labsOfThisFile();

/** Address families that reach the machine itself only; AF_NETLINK asks the kernel, AF_UNIX is a file. */
const ADDRESSED = /^.*(?:connect|sendto|sendmsg|sendmmsg|bind)\(.*sa_family=(?:AF_INET6?|AF_PACKET).*$/gm;
const LOOPBACK = /inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/;

/** Runs a command under strace, children included, and returns the calls that name an address outside of this machine. */
function callsOutside(
  folder: string,
  command: readonly string[],
): { code: number | null; outside: string[]; traced: number } {
  const trace = join(folder, 'network.trace');
  const { status, error } = spawnSync(
    'strace',
    [
      '-f',
      '--seccomp-bpf',
      '-qq',
      '-e',
      'trace=connect,sendto,sendmsg,sendmmsg,bind,execve',
      '-o',
      trace,
      ...command,
    ],
    { encoding: 'utf8', timeout: 840_000 },
  );
  if (error !== undefined)
    throw new Error(`strace could not be started (${error.message}); run: apt-get install strace`);
  const text = readFileSync(trace, 'utf8');
  return {
    code: status,
    outside: (text.match(ADDRESSED) ?? []).filter((call) => !LOOPBACK.test(call)),
    traced: (text.match(/execve\(/g) ?? []).length,
  };
}

const program = join(import.meta.dirname, '../../electron/cli/anchor.ts');

describe.runIf(process.platform === 'linux')('a run (traced with strace, which only Linux has)', () => {
  it('makes no call to an address outside of this machine, in any of its processes', () => {
    const lab = makeLab();
    const { code, outside, traced } = callsOutside(lab, [
      process.execPath,
      program,
      '--lab',
      lab,
      ...SMALL_RUN,
      '--set',
      'steps=1',
    ]);
    expect(code).toBe(0);
    expect(outside).toEqual([]);
    expect(traced).toBeGreaterThan(5); // engine, trainer, supervisor, runner and its zygotes
  });

  it('would be caught if it did: the same trace sees a single connect to an outside address', () => {
    const lab = makeLab();
    const { outside } = callsOutside(lab, [
      process.execPath,
      '-e',
      'require("node:net").connect(9, "192.0.2.1").on("error", () => {}); setTimeout(() => process.exit(), 200)',
    ]);
    expect(outside.some((call) => call.includes('192.0.2.1'))).toBe(true);
  });
});
