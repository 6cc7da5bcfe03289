import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PHASES, type Phase, type PhaseItem, type ReviewRecord } from '../../../electron/contract/index.ts';
import { uniformIndex } from '../../../electron/core/index.ts';
import {
  humanReviewer,
  itemKey,
  itemsOfRollout,
  rubricReviewer,
  scriptedReviewer,
  superviseStep,
  type QueueOfReviewer,
  type ReviewableRollout,
  type Reviewer,
  type SupervisedItem,
  type SuperviseStep,
} from '../../../electron/supervision/index.ts';
import { compactPack, exec, handClock, proposal, solution, TRIPLE } from './samples.ts';

const all = (p: number): SuperviseStep['config']['phases'] => ({
  task: p,
  plan: p,
  thought: p,
  output: p,
  exec: p,
});
const never = new AbortController().signal;

/** `count` solutions with plan, thought and output, and one exec item. */
function itemsOfStep(count: number, step = 1): SupervisedItem[] {
  const phases: Phase[] = ['plan', 'thought', 'output'];
  const items = Array.from({ length: count }, (_, index) =>
    phases.map((phase) => solution(phase, { step, index, rolloutId: `${step}/pred_code_o/${index}` })),
  ).flat();
  return [...items, exec({}, { step })].map((item) => ({ item }));
}

const supervise = (changes: Partial<SuperviseStep> = {}): Promise<ReviewRecord[]> =>
  superviseStep({
    config: { phases: all(1), budgetSeconds: null },
    seed: 7,
    step: 1,
    items: itemsOfStep(4),
    reviewer: rubricReviewer(compactPack),
    clock: handClock(),
    signal: never,
    ...changes,
  });
const gated = (
  phases: SuperviseStep['config']['phases'],
  items = itemsOfStep(4),
  seed = 7,
): Promise<ReviewRecord[]> => supervise({ config: { phases, budgetSeconds: null }, items, seed });

describe('Which items a rollout brings', () => {
  const rollout: ReviewableRollout = {
    id: '1/pred_code_o/0',
    step: 1,
    batch: 'pred_code_o',
    index: 0,
    role: 'solver',
    taskType: 'deduction',
    purpose: 'solve',
    plan: '1 steps',
    thought: 'direct',
    answer: '15',
    formatOk: true,
  };
  const phasesOf = (changes: Partial<ReviewableRollout>): Phase[] =>
    itemsOfRollout({ ...rollout, ...changes }, solution('plan').task, null).map(({ phase }) => phase);

  it('solutions bring plan, thought and output; proposals task, plan and thought', () => {
    expect(phasesOf({})).toEqual(['plan', 'thought', 'output']);
    expect(phasesOf({ purpose: 'propose', batch: 'gen_code_o', role: 'proposer' })).toEqual([
      'task',
      'plan',
      'thought',
    ]);
  });

  it('an absent part yields no item, but a missing answer is reviewed as such', () => {
    expect(phasesOf({ plan: null, thought: '  \n' })).toEqual(['output']);
    expect(phasesOf({ plan: '', thought: null, answer: null, formatOk: false })).toEqual(['output']);
    expect(phasesOf({ purpose: 'propose', plan: null, thought: '' })).toEqual(['task']);
  });

  it('estimates bring none', () => {
    expect(phasesOf({ purpose: 'estimate' })).toEqual([]);
  });
});

describe('The gate of a step', () => {
  it('reviews nothing at p = 0 and everything at p = 1', async () => {
    expect(await gated(all(0))).toEqual([]);
    expect(await gated(all(1))).toHaveLength(13);
  });

  it('reviews each phase about as often as its probability says', async () => {
    const phases = { task: 0, plan: 0.1, thought: 0.3, output: 0.8, exec: 0 };
    const records = await gated(phases, itemsOfStep(3000));
    for (const phase of ['plan', 'thought', 'output'] as const) {
      const share = records.filter((record) => record.phase === phase).length / 3000;
      // Five standard errors of 3,000 coins at p = 0.5.
      expect(Math.abs(share - phases[phase]), phase).toBeLessThan(5 * Math.sqrt(0.25 / 3000));
    }
  });

  it('tosses the coin of a phase without regard to the other phases', async () => {
    const thoughts = (records: ReviewRecord[]): string[] =>
      records.filter(({ phase }) => phase === 'thought').map(({ id }) => id);
    const alone = thoughts(await gated({ ...all(0), thought: 0.4 }, itemsOfStep(200)));
    expect(alone.length).toBeGreaterThan(40);
    for (const other of [0.2, 0.7, 1])
      expect(thoughts(await gated({ ...all(other), thought: 0.4 }, itemsOfStep(200)))).toEqual(alone);
  });

  it('adds reviews when p grows and never swaps them', async () => {
    const ids = async (p: number): Promise<Set<string>> =>
      new Set((await gated(all(p), itemsOfStep(200))).map(({ id }) => id));
    const [few, more] = [await ids(0.2), await ids(0.5)];
    expect([...few].filter((id) => !more.has(id))).toEqual([]);
  });

  it('tosses other coins for another seed or step', async () => {
    const ids = (records: ReviewRecord[]): string => records.map(({ id }) => id).join();
    expect(ids(await gated(all(0.5), itemsOfStep(60), 8))).not.toBe(
      ids(await gated(all(0.5), itemsOfStep(60), 9)),
    );
    expect(new Set(PHASES.map((phase) => itemKey(solution(phase)))).size).toBe(2);
  });
});

describe('The records of a step', () => {
  it('come in the same order whatever order items and reviews came in', async () => {
    const items = itemsOfStep(20);
    const shuffled = items
      .map((item, index) => ({ item, at: uniformIndex(1e6, 3, 'shuffle', index) }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
    const records = await gated(all(1), items);
    expect(await gated(all(1), shuffled)).toEqual(records);
    expect(records.at(-1)?.id).toBe('1/pred_code_o#exec');
    expect(records.slice(0, 3).map(({ id }) => id)).toEqual([
      '1/pred_code_o/0#plan',
      '1/pred_code_o/0#thought',
      '1/pred_code_o/0#output',
    ]);
  });

  it('tell what was decided, at which probability, and what the reviewer saw', async () => {
    const [record] = await supervise({ items: [{ item: solution('thought', { thought: 'direct' }) }] });
    expect(record).toMatchObject({
      status: 'done',
      decision: 'continue',
      issues: ['no_trace'],
      gateProbability: 1,
      reviewer: 'rubric',
      model: null,
      leaks: [],
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(record?.prompt).toContain('thought: direct');
  });

  it('take items without waiting for reviews, so that a generator is never held up', async () => {
    const taken: number[] = [];
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const slow: Reviewer = {
      ...rubricReviewer(compactPack),
      async review(subject, signal) {
        await gate;
        return rubricReviewer(compactPack).review(subject, signal);
      },
    };
    async function* stream(): AsyncGenerator<SupervisedItem> {
      for (const [index, item] of itemsOfStep(5).entries()) {
        taken.push(index);
        yield item;
        await pause(0);
      }
    }
    const records = supervise({ reviewer: slow, items: stream() });
    while (taken.length < 16) await pause(1);
    letGo();
    expect(await records).toHaveLength(16);
  });

  it('ask one model one thing at a time', async () => {
    let open = 0;
    let most = 0;
    const counted: Reviewer = {
      ...rubricReviewer(compactPack),
      async review(subject, signal) {
        most = Math.max(most, ++open);
        await pause(0);
        open--;
        return rubricReviewer(compactPack).review(subject, signal);
      },
    };
    await supervise({ reviewer: counted, items: itemsOfStep(10) });
    expect(most).toBe(1);
  });
});

describe('When reviewing goes wrong', () => {
  it('reviewing time that is used up leaves "skipped" records and no verdict', async () => {
    const clock = handClock();
    const slow: Reviewer = {
      ...rubricReviewer(compactPack),
      async review(subject, signal) {
        clock.advance(400);
        return rubricReviewer(compactPack).review(subject, signal);
      },
    };
    const records = await supervise({ clock, reviewer: slow, config: { phases: all(1), budgetSeconds: 1 } });
    expect(records.map(({ status }) => status).filter((status) => status === 'done')).toHaveLength(3);
    for (const record of records.filter(({ status }) => status !== 'done')) {
      expect(record).toMatchObject({
        status: 'skipped-by-budget',
        decision: null,
        issues: [],
        feedback: 'The reviewing time of this step was used up.',
      });
    }
    expect(records).toHaveLength(13);
  });

  it('the queue says what waits, what is asked, what came of the rest, how long answers took and what time is left', async () => {
    const clock = handClock();
    const told: QueueOfReviewer[] = [];
    let asked = 0;
    const reviewer: Reviewer = {
      ...rubricReviewer(compactPack),
      concurrency: 1,
      countsUsefulTime: true,
      review: async (subject, signal) => {
        const isSecond = (asked += 1) === 2;
        const answer = await rubricReviewer(compactPack).review(subject, signal);
        await pause(1);
        return isSecond
          ? { ...answer, answer: null, problem: 'No answer.', milliseconds: 100 }
          : { ...answer, milliseconds: 400 };
      },
    };
    await supervise({
      clock,
      reviewer,
      config: { phases: all(1), budgetSeconds: 1 },
      onQueue: (queue) => told.push(queue),
    });
    expect(told[0]).toEqual({
      waiting: 0,
      answering: 1,
      answered: 0,
      failed: 0,
      skipped: 0,
      answerSeconds: 0,
      budgetLeftSeconds: 1,
    });
    for (const { waiting, answering, answered, failed, skipped } of told) {
      expect(answering).toBeLessThanOrEqual(1);
      expect(waiting + answering + answered + failed + skipped).toBeLessThanOrEqual(13);
    }
    expect(Math.max(...told.map(({ waiting }) => waiting))).toBe(12);
    expect(told.at(-1)).toMatchObject({ waiting: 0, answering: 0, answered: 3, failed: 1, skipped: 9 });
    expect(told.at(-1)?.answerSeconds).toBeCloseTo(1.2, 9);
    expect(told.at(-1)?.budgetLeftSeconds).toBe(0);
  });

  it.each([
    ['time passes', false],
    ['a model computes', true],
  ])(
    'a review that never ends is cut off by the budget, once, where it counts while %s',
    async (_while, counts) => {
      const alarms: (() => void)[] = [];
      const stuck: Reviewer = {
        ...rubricReviewer(compactPack),
        countsUsefulTime: counts,
        review: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      };
      const clock = handClock();
      const step = supervise({
        clock,
        reviewer: stuck,
        config: { phases: all(1), budgetSeconds: 5 },
        items: itemsOfStep(1),
        after: (_, action) => {
          alarms.push(() => {
            clock.advance(5000);
            action();
          });
          return () => {};
        },
      });
      while (alarms.length === 0) await pause(1);
      alarms[0]!();
      expect((await step).map(({ status }) => status)).toEqual([
        'skipped-by-budget',
        'skipped-by-budget',
        'skipped-by-budget',
        'skipped-by-budget',
      ]);
    },
  );

  it('an unusable answer is a failed record that says why', async () => {
    const records = await supervise({
      reviewer: scriptedReviewer(compactPack, () => null),
      items: itemsOfStep(1),
    });
    expect(records.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(records[0]?.feedback).toBe('The script has no answer for this item.');
  });

  it('a leak is quarantined with its finding, whoever wrote it', async () => {
    const reviewer = scriptedReviewer(compactPack, () => ({
      decision: 'retry',
      issues: ['wrong_format'],
      feedback: 'It should be one hundred and twelve.',
    }));
    const items = [
      { item: solution('output'), golds: [{ kind: 'literal' as const, text: '112' }] },
      {
        item: solution('output', { index: 1, rolloutId: '1/pred_code_o/1' }),
        golds: [{ kind: 'literal' as const, text: '321' }],
      },
    ];
    expect((await supervise({ reviewer, items })).map(({ status, leaks }) => [status, leaks])).toEqual([
      ['quarantined', ['answer stated (plain)']],
      ['done', []],
    ]);
  });

  it('code that nobody showed is quarantined, and what the agent wrote may be named', async () => {
    const says = (feedback: string): Promise<ReviewRecord[]> =>
      supervise({
        reviewer: scriptedReviewer(compactPack, () => ({ decision: 'continue', issues: [], feedback })),
        items: [{ item: solution('thought') }],
      });
    expect((await says('Write `total += 17` there.'))[0]).toMatchObject({
      status: 'quarantined',
      leaks: ['code that is not in the material'],
    });
    expect((await says('Look at `y=x*3` again.'))[0]).toMatchObject({ status: 'done', leaks: [] });
  });

  it('shuffled reviews come to stand elsewhere in each step, and none is lost', async () => {
    const reviewer = scriptedReviewer(compactPack, ({ item: { index } }) => ({
      decision: 'continue',
      issues: [],
      feedback: `Said of ${'abcdefghijkl'[index]}.`,
    }));
    const placed = async (step: number): Promise<string[]> =>
      (
        await supervise({
          step,
          reviewer,
          config: { phases: all(1), budgetSeconds: null, placing: 'shuffled' },
          items: Array.from({ length: 12 }, (_, index) => ({
            item: solution('output', { step, index, rolloutId: `${step}/pred_code_o/${index}` }),
          })),
        })
      ).map(({ feedback }) => feedback);
    const [first, second] = [await placed(1), await placed(2)];
    expect(new Set(first).size).toBe(12);
    expect(first.toSorted()).toEqual(second.toSorted());
    expect(second).not.toEqual(first);
    expect(await placed(1)).toEqual(first);
  });

  it('quoting a proposed input leaks it, for solvers of the next step are asked for just that', async () => {
    const reviewer = scriptedReviewer(compactPack, () => ({
      decision: 'continue',
      issues: ['trivial'],
      feedback: 'The input [417, 923, 58] is too simple.',
    }));
    const task = { ...proposal('task').task!, inputs: ['[417,923,58]'] };
    const [record] = await supervise({
      reviewer,
      items: [
        {
          item: { ...proposal('task'), taskType: 'abduction', task },
          golds: [{ kind: 'literal', text: '[417,923,58]' }],
        },
      ],
    });
    expect(record?.status).toBe('quarantined');
  });

  it('a reviewer that cannot work at all stops the step', async () => {
    const broken: Reviewer = {
      ...rubricReviewer(compactPack),
      review: () => Promise.reject(new Error('no model')),
    };
    await expect(supervise({ reviewer: broken })).rejects.toThrow('no model');
  });

  it('of many open reviews the one that broke names the reason', async () => {
    const one: Reviewer = {
      ...rubricReviewer(compactPack),
      concurrency: Infinity,
      review: ({ item }, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          if (item.phase === 'exec') reject(new Error('the disk is gone'));
        }),
    };
    await expect(supervise({ reviewer: one })).rejects.toThrow('the disk is gone');
  });

  it('an abort ends open reviews and the step', async () => {
    const stop = new AbortController();
    const human = humanReviewer(compactPack, handClock());
    const step = supervise({ reviewer: human, signal: stop.signal });
    while (human.pending().length < 13) await pause(1);
    stop.abort(new Error('stopped'));
    await expect(step).rejects.toThrow('stopped');
    expect(human.pending()).toEqual([]);
  });
});

describe('What a reviewer is shown', () => {
  it('is the same to the byte whatever the gold is, in all four phases, over 1,000 golds', async () => {
    const items: PhaseItem[] = [proposal(TRIPLE), solution('plan'), solution('thought'), solution('output')];
    const prompts = new Map<string, Set<string>>();
    for (let index = 0; index < 250; index++) {
      const golds = [
        { kind: 'literal' as const, text: String(1000 + uniformIndex(1e6, 5, 'gold', index)) },
        { kind: 'program' as const, source: `def f(x):\n return x*${index}+777` },
      ];
      for (const { id, prompt } of await supervise({ items: items.map((item) => ({ item, golds })) }))
        prompts.set(id, (prompts.get(id) ?? new Set()).add(prompt));
    }
    expect([...prompts.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
  });
});

describe('A person as supervisor', () => {
  it('answers in any order, skips, and the step waits for it', async () => {
    const clock = handClock();
    const human = humanReviewer(compactPack, clock);
    const step = supervise({ reviewer: human, clock, items: itemsOfStep(2) });
    while (human.pending().length < 7) await pause(1);
    const thought = human.pending().find(({ item }) => item.phase === 'thought')!;
    expect(thought.prompt).toContain('y=x*3=8*3=24');
    clock.advance(2500);
    human.answer(thought.id, {
      decision: 'continue',
      issues: ['no_trace'],
      feedback: ' Say more\nabout the steps. ',
    });
    human.skip(human.pending()[0]!.id);
    human.skipAll();
    const records = await step;
    expect(records.find(({ id }) => id === thought.id)).toMatchObject({
      status: 'done',
      reviewer: 'human',
      feedback: 'Say more about the steps.',
      milliseconds: 2500,
    });
    expect(records.filter(({ status }) => status === 'skipped-by-budget')).toHaveLength(6);
  });

  it('is told what is wrong with an answer, and the item stays open', async () => {
    const human = humanReviewer(compactPack, handClock());
    const step = supervise({ reviewer: human, items: [{ item: solution('plan') }] });
    while (human.pending().length < 1) await pause(1);
    const { id } = human.pending()[0]!;
    const answer = (changes: object) => () => {
      human.answer(id, { decision: 'continue', issues: [], feedback: 'Fine.', ...changes });
    };
    expect(answer({ issues: ['no_trace'] })).toThrow(
      '"no_trace" is no issue of the plan phase; choose among plan_mismatch.',
    );
    expect(answer({ feedback: '  ' })).toThrow(/between 1 and 300/);
    expect(answer({ issues: ['plan_mismatch', 'plan_mismatch'] })).toThrow(/at most 2 different/);
    expect(() => human.skip('elsewhere')).toThrow(/No review "elsewhere" is waiting/);
    answer({})();
    expect((await step)[0]?.feedback).toBe('Fine.');
  });
});
