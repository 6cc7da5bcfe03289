import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSupervisor, type SupervisorClient } from '../../../../electron/processes/index.ts';
import { REVIEWING_PRIORITY, sessionOf } from '../../../../electron/processes/supervisor/cores.ts';
import { scratch, supervisorModel } from '../support.ts';

const folder = scratch();
const schema = { type: 'object', properties: { feedback: { type: 'string', maxLength: 40 } } };
let supervisor: SupervisorClient;

beforeAll(async () => {
  supervisor = await startSupervisor({ logFile: join(folder, 'supervisor.log') });
  await supervisor.load({ path: supervisorModel(folder), contextSize: 512, threads: 1 });
}, 300_000);
afterAll(() => supervisor.close());

/** Clock ticks used so far by threads at the lowered priority, and by all (proc(5)). */
function ticks(pid: number): { lowered: number; all: number } {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    return { ticks: fields[11]! + fields[12]!, priority: fields[16]! };
  });
  const sum = (rows: typeof threads): number => rows.reduce((total, one) => total + one.ticks, 0);
  return {
    lowered: sum(threads.filter(({ priority }) => priority >= REVIEWING_PRIORITY)),
    all: sum(threads),
  };
}

describe('the supervisor', () => {
  it('lets training and verification go first, with every thread that computes reviews', async () => {
    expect(getPriority(supervisor.pid!)).toBeGreaterThanOrEqual(REVIEWING_PRIORITY);
    if (process.platform !== 'linux') return;
    const before = ticks(supervisor.pid!);
    await Promise.all(
      Array.from({ length: 40 }, (_, seed) =>
        supervisor.review({
          system: 'Review.',
          user: `answer ${seed}`,
          schema,
          maxTokens: 60,
          seed,
          temperature: 1,
          timeoutMs: 30_000,
        }),
      ),
    );
    const after = ticks(supervisor.pid!);
    expect((after.lowered - before.lowered) / (after.all - before.all)).toBeGreaterThan(0.95);
  });

  it.runIf(existsSync('/proc/self/autogroup'))(
    'does so across sessions too, and leaves the session of its parent alone',
    () => {
      expect(readFileSync(`/proc/${supervisor.pid}/autogroup`, 'utf8')).toMatch(
        new RegExp(` nice ${REVIEWING_PRIORITY}\n$`),
      );
      expect(readFileSync('/proc/self/autogroup', 'utf8')).not.toMatch(
        new RegExp(` nice ${REVIEWING_PRIORITY}\n$`),
      );
    },
  );
});

describe('the session in a stat line', () => {
  it('is found behind a name of any shape', () => {
    expect(sessionOf('71 (a) b) R 1 71 70 0 -1 4194304 1 2')).toBe(70);
  });
});
