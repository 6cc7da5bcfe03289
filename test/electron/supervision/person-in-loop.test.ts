import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  personConfigSchema,
  hashView,
  runConfigSchema,
  type PersonConfig,
  type Phase,
  type ReviewRecord,
} from '../../../electron/contract/index.ts';
import { canonicalJson, drawPerson, sha256Hex } from '../../../electron/core/index.ts';
import { initialHash } from '../../../electron/evolution/index.ts';
import {
  humanReviewer,
  itemKey,
  personInLoop,
  rubricReviewer,
  superviseStep,
  type SupervisedItem,
  type SuperviseStep,
} from '../../../electron/supervision/index.ts';
import { compactPack, fullPack, handClock, solution } from './samples.ts';

const PHASES: Phase[] = ['plan', 'thought', 'output'];
const items: SupervisedItem[] = Array.from({ length: 40 }, (_, index) =>
  PHASES.map((phase) => solution(phase, { index, rolloutId: `1/pred_code_o/${index}` })),
)
  .flat()
  .map((item) => ({ item }));
const never = new AbortController().signal;

/** A step with a person, whose time-outs run out when the test says so. */
function step(wanted: Partial<PersonConfig>, changes: Partial<SuperviseStep> = {}) {
  const clock = handClock();
  const timers: (() => void)[] = [];
  const config = personConfigSchema.parse({ share: 0.3, timeoutSeconds: 60, ...wanted });
  const queue = humanReviewer(fullPack, clock, {
    timeoutSeconds: config.timeoutSeconds,
    after: (_milliseconds, action) => {
      timers.push(action);
      return () => {};
    },
  });
  const records: Promise<ReviewRecord[]> = superviseStep({
    config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: null },
    seed: 7,
    step: 1,
    items,
    clock,
    signal: never,
    reviewer: rubricReviewer(compactPack),
    person: personInLoop(config, 7, queue),
    ...changes,
  });
  records.catch(() => {});
  const asked = async (): Promise<void> => {
    while (queue.pending().length === 0) await pause(1);
  };
  return { queue, records, clock, asked, runOut: () => timers.splice(0).forEach((run) => run()) };
}

describe('The coin of a person', () => {
  it('picks the same items every time, more of them with a larger share, and about the share of all', () => {
    const picked = (share: number, seed = 7): string[] =>
      items
        .filter(({ item }) => drawPerson(seed, item.step, itemKey(item), item.phase, share))
        .map(({ item }) => `${itemKey(item)}#${item.phase}`);
    expect(picked(0.3)).toEqual(picked(0.3));
    expect(picked(0.3)).not.toEqual(picked(0.3, 8));
    expect(picked(0.6)).toEqual(expect.arrayContaining(picked(0.3)));
    expect([picked(0), picked(1)].map(({ length }) => length)).toEqual([0, items.length]);
    expect(Math.abs(picked(0.3).length / items.length - 0.3)).toBeLessThan(
      5 * Math.sqrt(0.25 / items.length),
    );
  });
});

describe('A person who takes a share', () => {
  it('answers those items while the reviewer answers the others, and each record says who it was', async () => {
    const { queue, records, asked, clock } = step({});
    await asked();
    const mine = queue.pending().map(({ id }) => id);
    clock.advance(4000);
    for (const id of mine)
      queue.answer(id, { decision: 'retry', issues: [], feedback: 'This is not how I would do it.' });
    const all = await records;
    expect(all).toHaveLength(items.length);
    expect(
      all
        .filter(({ reviewer }) => reviewer === 'human')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(mine.sort());
    expect(all.filter(({ reviewer }) => reviewer === 'rubric')).toHaveLength(items.length - mine.length);
    expect(all.find(({ id }) => id === mine[0])).toMatchObject({
      status: 'done',
      decision: 'retry',
      model: null,
      milliseconds: 4000,
      gateProbability: 1,
    });
  });

  it('is asked for the same items in a replay', async () => {
    const first = step({});
    const second = step({});
    await Promise.all([first.asked(), second.asked()]);
    expect(second.queue.pending().map(({ id }) => id)).toEqual(first.queue.pending().map(({ id }) => id));
    for (const { queue } of [first, second]) queue.skipAll();
    await Promise.all([first.records, second.records]);
  });

  it('goes through the same leak guard', async () => {
    const gold = [{ kind: 'literal' as const, text: '4711' }];
    const { queue, records, asked } = step(
      { share: 1 },
      { items: [{ item: solution('thought'), golds: gold }] },
    );
    await asked();
    queue.answer(queue.pending()[0]!.id, {
      decision: 'retry',
      issues: ['trace_error'],
      feedback: 'It should have been 4711.',
    });
    expect((await records)[0]).toMatchObject({ status: 'quarantined', reviewer: 'human' });
  });

  it('reads exactly what the prompt in the record holds', async () => {
    const { queue, records, asked } = step({ share: 1 }, { items: items.slice(0, 3) });
    await asked();
    for (const { prompt, fields, facts } of queue.pending()) {
      for (const { text } of fields) expect(prompt).toContain(text);
      expect(prompt).toContain(facts);
    }
    queue.skipAll();
    await records;
  });
});

describe('When nobody answers in time', () => {
  it('the reviewer takes over with fallback model', async () => {
    const { queue, records, asked, runOut } = step({ fallback: 'model' });
    await asked();
    runOut();
    expect(queue.pending()).toEqual([]);
    expect(new Set((await records).map(({ reviewer, status }) => `${reviewer} ${status}`))).toEqual(
      new Set(['rubric done']),
    );
  });

  it('the item is recorded as skipped with fallback skip, and says why', async () => {
    const { queue, records, asked, runOut } = step({ fallback: 'skip', timeoutSeconds: 1 });
    await asked();
    const mine = queue.pending().length;
    runOut();
    const skipped = (await records).filter(({ status }) => status === 'skipped-by-budget');
    expect(skipped).toHaveLength(mine);
    expect(skipped[0]).toMatchObject({
      reviewer: 'human',
      decision: null,
      feedback: 'Nobody answered within 1 second.',
    });
  });

  it('handing over goes the same way at once, but skipping asks nobody else', async () => {
    const { queue, records, asked } = step({ share: 1, fallback: 'model' }, { items: items.slice(0, 2) });
    await asked();
    const [first, second] = queue.pending();
    queue.handOver(first!.id);
    queue.skip(second!.id);
    expect((await records).map(({ reviewer, status }) => `${reviewer} ${status}`).sort()).toEqual([
      'human skipped-by-budget',
      'rubric done',
    ]);
  });

  it("waiting for a person uses up nothing of the reviewer's budget", async () => {
    const { queue, records, asked, clock } = step(
      {},
      { config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: 5 } },
    );
    await asked();
    clock.advance(60_000);
    queue.skipAll();
    expect(
      (await records).filter(({ reviewer, status }) => reviewer === 'rubric' && status !== 'done'),
    ).toEqual([]);
  });

  it('an abort withdraws the questions and ends the step', async () => {
    const stop = new AbortController();
    const { queue, records, asked } = step({}, { signal: stop.signal });
    await asked();
    stop.abort(new Error('stopped'));
    await expect(records).rejects.toThrow('stopped');
    expect(queue.pending()).toEqual([]);
  });
});

describe('A run that asks nobody', () => {
  it('has the configuration and the hash it had before people could take part', () => {
    const config = runConfigSchema.parse({});
    expect(canonicalJson(config)).not.toContain('"human"');
    const hash = (supervision: object): string =>
      initialHash(runConfigSchema.parse({ supervision }), 'c', {
        weightsSha256: 'w',
        supervisorSha256: null,
        tasks: [],
      });
    const {
      name: _,
      preset: __,
      supervision: { contextText: ___, fixedContext: ____, ...supervision },
      ...rest
    } = config;
    expect(hash({})).toBe(
      sha256Hex(canonicalJson(['anchor-run-v1', hashView({ ...rest, supervision }), 'w', 'c'])),
    );
    expect(hash({ human: { share: 0.5 } })).not.toBe(hash({}));
  });
});
