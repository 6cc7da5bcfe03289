import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure, type LiveEvent } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Clock, JobHandle } from '../../core/index.ts';

const SETTING = 'app.airgap.selfTest';
const TRACED = 'trace=connect,sendto,sendmsg,sendmmsg,bind,execve';
const LIMIT_MS = 15 * 60_000; // tracing slows a run several times, and the machine may be busy

/** A run small enough for a test with everything in it: trainer, supervisor and sandboxed programs. */
const SMALL_RUN = [
  'run',
  '--preset',
  'demo',
  '--set',
  'steps=1',
  '--set',
  'framework.batchSize=2',
  '--set',
  'framework.estimateSamples=2',
  '--set',
  'rewardedPrompts.samplesPerPrompt=2',
  '--set',
  'generation.maxNewTokens=96',
];

const selfTestSchema = z.strictObject({
  at: z.iso.datetime(),
  passed: z.boolean(),
  seconds: z.number(),
  /** Programs that were started and traced, children of children included. */
  programs: z.int(),
  outsideCount: z.int(),
  outside: z.array(z.string()),
  /** Whether a connection that was made on purpose (to this machine) showed in the trace: the instrument works. */
  controlSeen: z.boolean(),
  strace: z.string(),
});
export type SelfTest = z.infer<typeof selfTestSchema>;

export function lastSelfTest(store: Lab): SelfTest | null {
  const stored = store.getSetting(SETTING);
  return stored === null ? null : selfTestSchema.parse(stored);
}

/** Why the test cannot be made here, as one sentence; null when it can. */
export async function selfTestObstacle(program: string): Promise<string | null> {
  if (process.platform !== 'linux')
    return 'The self-test traces system calls with strace, which only Linux has.';
  if (!existsSync(program))
    return 'The self-test runs the command line of the source checkout, which a packed application does not have; run it there.';
  if ((await straceVersion()) === null)
    return 'The self-test needs strace; on Debian or Ubuntu run: sudo apt-get install strace';
  return null;
}

/**
 * Runs one small step of everything under strace and counts the calls that name an address outside of this machine; before
 * that, a connection to this machine itself has to show in a trace. The result is kept as a setting, which the event log attests.
 * @throws Failure `selfTest` when it cannot be made here, or when the run itself fails.
 */
export async function runSelfTest(
  { store, clock, emit }: { store: Lab; clock: Clock; emit: (event: LiveEvent) => void },
  program: string,
  job: JobHandle,
): Promise<SelfTest> {
  const obstacle = await selfTestObstacle(program);
  if (obstacle !== null) throw new Failure('selfTest', obstacle, 2);
  const began = clock.monotonicMs();
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-self-test-'));
  try {
    job.total(2);
    const control = await traced(
      scratch,
      'control',
      ['-e', `require('node:net').connect(9, '127.0.0.2').on('error', () => {});`],
      job.signal,
    );
    const controlSeen = control.text.includes('127.0.0.2');
    job.advance(1);
    const { code, text } = await traced(
      scratch,
      'run',
      [program, '--lab', join(scratch, 'lab'), ...SMALL_RUN],
      job.signal,
    );
    if (code !== 0)
      throw new Failure(
        'selfTest',
        `The traced run ended with exit code ${code}, so nothing is proven; check every part in Settings, or with "anchor doctor", for the cause.`,
      );
    const { programs, outside, outsideCount } = readTrace(text);
    const result: SelfTest = {
      at: clock.now().toISOString(),
      passed: controlSeen && outsideCount === 0,
      seconds: (clock.monotonicMs() - began) / 1000,
      programs,
      outside,
      outsideCount,
      controlSeen,
      strace: (await straceVersion()) ?? '',
    };
    store.setSetting(SETTING, result);
    emit({ kind: 'changed', what: 'airgap', runId: null });
    return result;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs Node with these arguments under strace, children included. */
async function traced(
  scratch: string,
  name: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ code: number | null; text: string }> {
  const file = join(scratch, `${name}.trace`);
  const child = spawn('strace', ['-f', '-qq', '-e', TRACED, '-o', file, process.execPath, ...args], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const end = (): void => {
    // The whole group: strace alone would leave the traced program running.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  };
  const timer = setTimeout(end, LIMIT_MS);
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(new Failure('selfTest', `strace could not be started (${cause.message}).`, 1, { cause })),
      );
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    return { code, text: existsSync(file) ? readFileSync(file, 'utf8') : '' };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function straceVersion(): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const child = spawn('strace', ['-V'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString('utf8');
    });
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code === 0 ? (said.split('\n')[0] ?? '') : null));
  });
}

/** Calls that name an address of another machine; AF_NETLINK asks the kernel and AF_UNIX is a file. */
const ADDRESSED = /^.*(?:connect|sendto|sendmsg|sendmmsg|bind)\(.*sa_family=(?:AF_INET6?|AF_PACKET).*$/gm;
const LOOPBACK = /inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/;

export type TraceReading = {
  /** Calls as strace wrote them, at most 100. */ outside: string[];
  outsideCount: number;
  loopback: number;
  programs: number;
};

/** What a trace of connect, sendto, sendmsg, sendmmsg, bind and execve says about addresses. */
export function readTrace(text: string): TraceReading {
  const calls = text.match(ADDRESSED) ?? [];
  const outside = calls.filter((call) => !LOOPBACK.test(call));
  return {
    outside: outside.slice(0, 100),
    outsideCount: outside.length,
    loopback: calls.length - outside.length,
    programs: (text.match(/execve\(.*= 0$/gm) ?? []).length,
  };
}
