import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Job, LiveEvent } from '../../../electron/contract/index.ts';
import { Failure } from '../../../electron/contract/index.ts';
import { Jobs } from '../../../electron/engine/jobs.ts';

function makeJobs() {
  const told: Job[] = [];
  let nowMs = 0;
  const jobs = new Jobs(
    (event: LiveEvent) => {
      if (event.kind === 'job') told.push(event.job);
    },
    { now: () => new Date(0), monotonicMs: () => nowMs },
  );
  return {
    jobs,
    told,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
afterEach(() => {
  vi.useRealTimers();
});

const request = { kind: 'hash', title: 'Hash x', unit: 'byte' as const };

describe('a job', () => {
  it('is told when it begins, as it moves, at most four times a second, and when it ends', async () => {
    const { jobs, told, pass } = makeJobs();
    const { id } = jobs.start({ ...request, total: 1000 }, async (job) => {
      for (let piece = 0; piece < 1000; piece += 1) {
        pass(10);
        job.advance(1);
      }
      return 'the result';
    });
    expect(await jobs.ended(id)).toMatchObject({
      state: 'done',
      done: 1000,
      problem: null,
      ratePerSecond: null,
    });
    expect(jobs.resultOf<string>(id)).toBe('the result');
    expect(told[0]).toMatchObject({ state: 'running', done: 0 });
    expect(told.length).toBeLessThanOrEqual(2 + 10_000 / 250);
    const late = told.at(-2) as Job;
    expect(late.ratePerSecond).toBeCloseTo(100, 6);
    expect(late.etaSeconds).toBeCloseTo((1000 - late.done) / 100, 6);
  });

  it('that stands still at its last unit says how far it is, and no longer that it is nearly done', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { jobs, told, pass } = makeJobs();
    const last = Promise.withResolvers<void>();
    const { id } = jobs.start({ ...request, total: 33 }, async (job) => {
      for (let rollout = 0; rollout < 31; rollout += 1) {
        pass(330);
        job.advance(1);
      }
      // So soon after the one before that it is not told at once.
      pass(100);
      job.advance(1);
      await last.promise;
    });
    expect(told.at(-1)).toMatchObject({ done: 31 });
    expect(told.at(-1)?.etaSeconds).toBeLessThan(1);
    const before = told.length;
    for (let second = 1; second <= 30; second += 1) {
      pass(1000);
      vi.advanceTimersByTime(1000);
      if (second < 2) continue;
      // What is listed is what was told, to a tenth.
      for (const job of [told.at(-1), ...jobs.list()]) {
        expect(job).toMatchObject({ done: 32, ratePerSecond: null });
        expect(job?.etaSeconds).toBeGreaterThan(0.9 * second);
      }
    }
    // Rarer, the longer it takes.
    expect(told.length - before).toBeLessThan(22);
    last.resolve();
    await jobs.ended(id);
    const atEnd = told.length;
    pass(60_000);
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveLength(atEnd);
  });

  it('that goes on from an earlier attempt is as fast as this one', async () => {
    const { jobs, told, pass } = makeJobs();
    const { id } = jobs.start(request, async (job) => {
      job.total(1000);
      pass(1000);
      job.found({ done: 600 });
      for (let piece = 0; piece < 3; piece += 1) {
        pass(1000);
        job.advance(1);
      }
    });
    await jobs.ended(id);
    expect(told.at(-2)).toMatchObject({ done: 603, ratePerSecond: 1, etaSeconds: 397 });
  });

  it('of two halves tells how many answers are generated, judged and graded', async () => {
    const { jobs, told, pass } = makeJobs();
    const { id } = jobs.start({ kind: 'evaluate', title: 'x', unit: 'answer', total: 100 }, async (job) => {
      for (let minute = 0; minute < 20; minute += 1) {
        pass(60_000);
        job.generated(1);
      }
      expect(told.at(-1)).toMatchObject({ done: 0, generated: 20 });
      // An answer a minute: nothing is graded yet, and the end of the answers is known all the same.
      expect(told.at(-1)?.ratePerSecond).toBeCloseTo(1 / 60, 6);
      expect(told.at(-1)?.etaSeconds).toBeCloseTo(80 * 60, 3);
      pass(1000);
      job.judged(3);
      job.advance(20);
    });
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', generated: 20, judged: 3 });
    expect(told.at(-2)).toMatchObject({ done: 20, generated: 20, judged: 3 });
  });

  it('of two halves that goes on is as fast as this attempt, in the middle of it too', async () => {
    const { jobs, told, pass } = makeJobs();
    const { id } = jobs.start({ kind: 'evaluate', title: 'x', unit: 'answer', total: 1000 }, async (job) => {
      pass(5000);
      job.found({ generated: 600, done: 500, judged: 40 });
      for (let second = 0; second < 5; second += 1) {
        pass(1000);
        job.generated(1);
      }
      expect(told.at(-1)).toMatchObject({ done: 500, generated: 605, ratePerSecond: 1, etaSeconds: 395 });
      // The next model's evaluation was interrupted too.
      job.found({ generated: 100, done: 50, judged: 10 });
      pass(1000);
      job.generated(1);
      pass(1000);
      job.advance(1);
    });
    expect(await jobs.ended(id)).toMatchObject({ generated: 706, judged: 50 });
    expect(told.at(-2)).toMatchObject({ done: 551, generated: 706 });
    expect(told.at(-2)?.ratePerSecond).toBeCloseTo(6 / 7, 6);
  });

  it('that is cancelled says that nothing was kept; one that fails says why', async () => {
    const { jobs } = makeJobs();
    const waits = jobs.start(
      request,
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    jobs.cancel(waits.id);
    expect(await jobs.ended(waits.id)).toMatchObject({
      state: 'cancelled',
      problem: expect.stringContaining('nothing was kept') as string,
    });
    const fails = jobs.start(request, async () => {
      throw new Failure('badModel', 'The file is broken; copy it again.');
    });
    expect(await jobs.ended(fails.id)).toMatchObject({
      state: 'failed',
      problem: 'The file is broken; copy it again.',
    });
    expect(jobs.resultOf(fails.id)).toBeNull();
    expect(() => jobs.cancel('job-99')).toThrow(/no job "job-99"/);
  });

  it('waits for no more than three others, and all are cancelled when the engine closes', async () => {
    const { jobs } = makeJobs();
    let cleaned = 0;
    for (let count = 0; count < 4; count += 1) {
      jobs.start(
        request,
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              cleaned += 1;
              reject(signal.reason as Error);
            });
          }),
      );
    }
    expect(() => jobs.start(request, async () => 1)).toThrow(/4 jobs are running already/);
    await jobs.close();
    expect(cleaned).toBe(4);
    expect(jobs.list().map(({ state }) => state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  it('that the disk ends says so in a sentence', async () => {
    const { jobs } = makeJobs();
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', path: '/lab/file' });
    const { id } = jobs.start(request, () => Promise.reject(full));
    expect(await jobs.ended(id)).toMatchObject({
      state: 'failed',
      problem: `A file of "${request.title}" could not be written (/lab/file): the disk is full. Free some space and try again.`,
    });
  });

  it('is forgotten when forty newer ones have ended', async () => {
    const { jobs } = makeJobs();
    for (let count = 0; count < 45; count += 1) await jobs.ended(jobs.start(request, async () => count).id);
    expect(jobs.list()).toHaveLength(40);
    expect(jobs.resultOf('job-1')).toBeNull();
    expect(jobs.resultOf('job-45')).toBe(44);
  });
});
