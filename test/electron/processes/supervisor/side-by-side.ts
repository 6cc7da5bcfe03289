import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startSupervisor,
  type SupervisorClient,
  type SupervisorReview,
} from '../../../../electron/processes/index.ts';
import { AT_ONCE, scratch } from '../support.ts';

const folder = scratch();
const logFile = `${folder}/supervisor.log`;
const SCHEMA = {
  type: 'object',
  properties: { quote: { type: 'string', maxLength: 30 }, feedback: { type: 'string', maxLength: 40 } },
};
const SYSTEM = 'You supervise a language model. Say what is weak in its work.';

export const request = (index: number, more: Partial<SupervisorReview> = {}): SupervisorReview => ({
  system: SYSTEM,
  user: `Item ${index}: ${'def f(x): return x + 1\n'.repeat((index % 4) + 1)}`,
  schema: SCHEMA,
  maxTokens: 40,
  seed: index,
  temperature: index % 2 === 0 ? 0 : 1,
  timeoutMs: 300_000,
  side: 'together',
  ...more,
});

/** A program that runs Node on the first processor that this one may use, so that it knows of no other. */
function onOneProcessor(scratchFolder: string): string {
  const [, first] = /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const program = join(scratchFolder, 'node-on-one');
  writeFileSync(program, `#!/bin/sh\nexec taskset -c ${first} '${process.execPath}' "$@"\n`, { mode: 0o755 });
  return program;
}

/** Whatever the model: company, order, process and threads change no answer. */
export function answersSideBySide(name: string, path: () => string): void {
  describe(`Reviews that ${name} writes side by side`, () => {
    let supervisor: SupervisorClient;
    const load = async (
      threads: number,
      { contextSize = 512, node, rows }: { contextSize?: number; node?: string; rows?: number } = {},
    ): Promise<SupervisorClient> => {
      const client = await startSupervisor({ logFile, backoff: AT_ONCE, ...(node && { node }) });
      await client.load({ path: path(), contextSize, threads, ...(rows !== undefined && { rows }) });
      return client;
    };
    beforeAll(async () => {
      supervisor = await load(2);
    }, 300_000);
    afterAll(() => supervisor.close());

    const textOf = async (
      client: SupervisorClient,
      index: number,
      side: 'together' | 'alone',
    ): Promise<string> => (await client.review(request(index, { side }))).text;

    it('are the same texts in whatever company, order, process and number of threads', async () => {
      const indices = Array.from({ length: 12 }, (__, index) => index);
      const together = await Promise.all(indices.map((index) => textOf(supervisor, index, 'together')));
      expect(new Set(together).size).toBeGreaterThan(3);
      const other = await load(1);
      try {
        expect(await textOf(other, 4, 'alone')).toBe(together[4]);
        const few = await Promise.all([9, 2, 5].map((index) => textOf(other, index, 'together')));
        expect(few).toEqual([together[9], together[2], together[5]]);
        const mixed = await Promise.all(
          indices.toReversed().map((index) => textOf(other, index, index === 3 ? 'alone' : 'together')),
        );
        expect(mixed.toReversed()).toEqual(together);
      } finally {
        await other.close();
      }
    }, 600_000);

    it('are the same texts over a long text on one processor and on all there are', async () => {
      const long = (index: number): SupervisorReview =>
        request(index, { user: `Item ${index}: ${'def f(x): return x + 1\n'.repeat(70)}` });
      const clients = await Promise.all([
        load(2, { contextSize: 4096 }),
        load(1, { contextSize: 4096, node: onOneProcessor(folder) }),
      ]);
      try {
        const [several, one] = await Promise.all(
          clients.map((client) => Promise.all([0, 1, 2, 3].map((index) => client.review(long(index))))),
        );
        expect(several?.[0]?.tokensIn).toBeGreaterThan(512); // from there on a single token's attention is taken apart
        expect(one?.map(({ text }) => text)).toEqual(several?.map(({ text }) => text));
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    }, 600_000);

    it('begin as soon as one of the others ends, and wait for no longer one', async () => {
      const few = await load(1, { rows: 2 });
      const listOf = (count: number): Record<string, unknown> => ({
        type: 'array',
        minItems: count,
        maxItems: count,
        items: { const: 1 },
      });
      const ended: number[] = [];
      try {
        await Promise.all(
          [60, 1, 2, 3].map(async (count) => {
            await few.review(request(count, { schema: listOf(count), maxTokens: 300 }));
            ended.push(count);
          }),
        );
      } finally {
        await few.close();
      }
      expect(ended).toEqual([1, 2, 3, 60]);
    }, 300_000);

    it('report the time they took themselves, and one that is cancelled leaves the others alone', async () => {
      const started = performance.now();
      const stop = new AbortController();
      const open = Array.from({ length: 8 }, (__, index) =>
        supervisor.review(request(index + 20), index === 3 ? stop.signal : undefined),
      );
      stop.abort();
      const ended = await Promise.allSettled(open);
      expect(ended[3]).toMatchObject({ status: 'rejected', reason: { kind: 'cancelled' } });
      const done = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(done).toHaveLength(7);
      const useful = done.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      expect(useful).toBeLessThan(performance.now() - started);
    }, 300_000);

    it('refuse a time limit of their own without harm to the next', async () => {
      await expect(supervisor.review(request(60, { timeoutMs: 0.001 }))).rejects.toMatchObject({
        kind: 'timeout',
      });
      expect((await supervisor.review(request(61))).text).not.toBe('');
    }, 300_000);

    it('take as long as their measured speed lets expect, where that is more than the limit', async () => {
      const patient = await supervisor.review(request(60, { timeoutMs: 0.001, patience: 1000 }));
      expect(patient.text).toBe((await supervisor.review(request(60))).text);
      const hasty = request(62, { timeoutMs: 0.001, patience: 1e-9 });
      await expect(supervisor.review(hasty)).rejects.toMatchObject({ kind: 'timeout' });
    }, 300_000);

    it('weigh yes against no, question by question, whatever else is asked', async () => {
      const questions = ['Is it a loop? Yes or No:', 'Is it short? Yes or No:', 'Does it add? Yes or No:'];
      const asked = { system: SYSTEM, user: request(2).user, timeoutMs: 300_000 };
      const [{ logOdds, decided }] = await Promise.all([
        supervisor.weigh({ ...asked, questions }),
        ...[1, 2, 3].map((index) => supervisor.review(request(index + 40))),
      ]);
      expect(logOdds).toHaveLength(3);
      for (const share of decided) expect(share).toBeLessThanOrEqual(1.001);
      const turned = await supervisor.weigh({ ...asked, questions: questions.toReversed() });
      expect(turned.logOdds.toReversed()).toEqual(logOdds);
      expect((await supervisor.weigh({ ...asked, questions: questions.slice(1, 2) })).logOdds).toEqual([
        logOdds[1],
      ]);
    }, 300_000);

    it('weigh within a time that waiting for others is no part of', async () => {
      const asked = (index: number, more: object = {}) =>
        supervisor.weigh({
          system: SYSTEM,
          user: request(index).user,
          questions: ['Is it a loop? Yes or No:'],
          timeoutMs: 300_000,
          ...more,
        });
      const started = performance.now();
      const weighed = await Promise.all(Array.from({ length: 8 }, (__, index) => asked(index)));
      const useful = weighed.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      expect(useful).toBeLessThan(performance.now() - started);
      await expect(asked(1, { timeoutMs: 0.001 })).rejects.toMatchObject({ kind: 'timeout' });
      expect((await asked(1, { timeoutMs: 0.001, patience: 1000 })).logOdds).toEqual(weighed[1]?.logOdds);
    }, 300_000);
  });
}
