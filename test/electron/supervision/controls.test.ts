import { describe, expect, it } from 'vitest';
import type { PhaseItem, ReviewRecord } from '../../../electron/contract/index.ts';
import {
  initialContext,
  ISSUES,
  NOTHING_TO_COMPARE,
  reviewId,
  reviewerMaker,
  scriptedReviewer,
  summarizeBatch,
  superviseStep,
  updateContext,
  type RecordedRun,
  type ReviewerTools,
  type SuperviseStep,
} from '../../../electron/supervision/index.ts';
import { runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import { compactPack, exec, handClock, solution, summaryOf, vocabulary } from './samples.ts';

const HALF = { task: 0.5, plan: 0.5, thought: 0.5, output: 0.5, exec: 0.5 };
const ALL = { task: 1, plan: 1, thought: 1, output: 1, exec: 1 };

/** `count` solutions with thought and output each, and the exec item of their batch. */
function itemsOf(count: number, changes: Partial<PhaseItem> = {}): PhaseItem[] {
  return [
    ...Array.from({ length: count }, (_, index) =>
      (['thought', 'output'] as const).map((phase) =>
        solution(phase, { index, rolloutId: `1/pred_code_o/${index}`, ...changes }),
      ),
    ).flat(),
    exec({}, { step: 1 }),
  ];
}

/** A name of an item in words, since the leak guard holds back what looks like code. */
const nameOf = (item: PhaseItem): string => `place ${reviewId(item).replace(/\W+|_/g, ' ')}`;

/** Says of each item which it is, so that a review can be told from every other. */
const nameReviewer = scriptedReviewer(compactPack, ({ item }) => ({
  decision: 'continue',
  issues: [],
  feedback: `This is about ${nameOf(item)}.`,
}));

const supervise = (
  items: readonly PhaseItem[],
  changes: Partial<Omit<SuperviseStep, 'items'>> = {},
): Promise<ReviewRecord[]> =>
  superviseStep({
    config: { phases: ALL, budgetSeconds: null },
    seed: 7,
    step: 1,
    items: items.map((item) => ({ item })),
    reviewer: nameReviewer,
    clock: handClock(),
    signal: new AbortController().signal,
    ...changes,
  });

describe('Shuffled reviews', () => {
  const shuffled = { config: { phases: ALL, budgetSeconds: null, placing: 'shuffled' as const } };

  it('are all there, one for each item, and each of the phase it was written in', async () => {
    const [own, placed] = [await supervise(itemsOf(20)), await supervise(itemsOf(20), shuffled)];
    expect(placed.map(({ id, phase, rolloutId, batch }) => [id, phase, rolloutId, batch])).toEqual(
      own.map(({ id, phase, rolloutId, batch }) => [id, phase, rolloutId, batch]),
    );
    const said = (records: readonly ReviewRecord[], phase: string): string[] =>
      records.filter((one) => one.phase === phase).map(({ feedback }) => feedback);
    for (const phase of ['thought', 'output', 'exec'])
      expect(said(placed, phase).toSorted()).toEqual(said(own, phase).toSorted());
    const still = placed.filter((one, index) => one.feedback === own[index]?.feedback);
    expect(still.length).toBeLessThan(8); // a random order leaves one in its place on average, and the only exec item has no choice
  });

  it('come out the same whatever order they were written in, and otherwise under another seed', async () => {
    const [once, again] = [
      await supervise(itemsOf(12), shuffled),
      await supervise(itemsOf(12).toReversed(), shuffled),
    ];
    expect(again.map(({ feedback }) => feedback)).toEqual(once.map(({ feedback }) => feedback));
    const other = await supervise(itemsOf(12), { ...shuffled, seed: 8 });
    expect(other.map(({ feedback }) => feedback)).not.toEqual(once.map(({ feedback }) => feedback));
  });

  it('are quarantined where they name the answer of the item they come to stand for', async () => {
    const items = itemsOf(6).filter(({ phase }) => phase === 'output');
    const records = await superviseStep({
      ...shuffled,
      seed: 7,
      step: 1,
      // Every review names 15, which is the hidden answer of item 3 alone.
      items: items.map((item) => ({
        item,
        golds: item.index === 3 ? [{ kind: 'literal', text: '15' }] : [],
      })),
      reviewer: scriptedReviewer(compactPack, () => ({
        decision: 'continue',
        issues: [],
        feedback: 'It should have been 15.',
      })),
      clock: handClock(),
      signal: new AbortController().signal,
    });
    expect(records.find(({ id }) => id === '1/pred_code_o/3#output')?.status).toBe('quarantined');
  });

  it('are told to followers as they stand in the end', async () => {
    const told: string[] = [];
    const records = await supervise(itemsOf(5), {
      ...shuffled,
      onReview: (record, item) => told.push(`${record.id} ${reviewId(item)} ${record.feedback}`),
    });
    expect(told).toEqual(records.map(({ id, feedback }) => `${id} ${id} ${feedback}`));
  });
});

describe('Yoked reviews', () => {
  const config = (changes: Partial<RunConfig['supervision']> = {}): RunConfig =>
    runConfigSchema.parse({
      seed: 7,
      steps: 1,
      supervision: { phases: HALF, reviewer: 'yoked', reviewerSettings: { run: 'run-a' }, ...changes },
    });
  const make = (source: Partial<RecordedRun> | null, wanted = config()) =>
    reviewerMaker('yoked').make(wanted, {
      recordedRun: (id: string) =>
        source === null
          ? null
          : {
              id,
              seed: 11,
              phases: HALF,
              committedSteps: 1,
              reviewOf: () => null,
              stepHash: (step: number) => `hash of ${step}`,
              ...source,
            },
    } as unknown as ReviewerTools);

  it('are those of the same places of the other run, which its coins choose', async () => {
    const there = await supervise(itemsOf(40), {
      seed: 11,
      config: { phases: HALF, budgetSeconds: null },
    });
    const { reviewer, sha256 } = await make({
      reviewOf: (_, id) => there.find((one) => one.id === id) ?? null,
    });
    const own = await supervise(itemsOf(40, { answer: '16' }), {
      config: { phases: HALF, budgetSeconds: null },
      reviewer,
    });
    expect(sha256).toBe('hash of 1');
    expect(own.length).toBeGreaterThan(20);
    expect(own.map(({ id, feedback, decision, issues }) => [id, feedback, decision, issues])).toEqual(
      there.map(({ id, feedback, decision, issues }) => [id, feedback, decision, issues]),
    );
    expect(own[0]).toMatchObject({
      reviewer: 'yoked',
      model: 'run-a',
      prompt: `The review ${own[0]?.id} of run run-a.`,
    });
  });

  it('are passed over where the other run has none that counts', async () => {
    const { reviewer } = await make({ reviewOf: () => null });
    const records = await supervise(itemsOf(4), { reviewer });
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['skipped-by-budget']));
    expect(records[0]?.feedback).toBe('Run run-a has no review of this place that counts.');
  });

  it.each([
    [null, {}, /not in this lab/],
    [{ committedSteps: 0 }, {}, /0 of the 1 steps/],
    [{ seed: 7 }, {}, /same seed 7/],
    [{ phases: ALL }, {}, /supervision\.phases\.task to 1/],
  ])('are refused in one sentence: %s', async (source, changes, sentence) => {
    await expect(make(source, config(changes))).rejects.toThrow(sentence);
  });
});

describe('Plans that nothing can be compared with', () => {
  const plans = [
    solution('plan', { plan: 'answer it', index: 0, rolloutId: '1/pred_code_o/0' }),
    solution('plan', { plan: '5 steps on int', index: 1, rolloutId: '1/pred_code_o/1' }),
  ];

  it('are recorded as such without asking anybody or approving of anything, where a run is set so', async () => {
    const say = { config: { phases: ALL, budgetSeconds: null, nothingToCompare: 'say' as const } };
    const [nothing, asked] = await supervise(plans, say);
    expect(nothing).toMatchObject({
      status: 'done',
      decision: null,
      issues: [],
      feedback: NOTHING_TO_COMPARE,
      prompt: '',
    });
    expect(asked?.feedback).toBe('This is about place 1 pred code o 1 plan.');
  });

  it('are asked like all others otherwise', async () => {
    const records = await supervise(plans);
    expect(records.map(({ feedback }) => feedback)).toEqual(
      plans.map((item) => `This is about ${nameOf(item)}.`),
    );
  });
});

describe('Guidance of every issue', () => {
  const context = (guidance?: 'trained' | 'every') =>
    updateContext({
      context: initialContext(),
      summaries: [
        summaryOf('plan_mismatch', ISSUES.plan_mismatch.feedback, ['a', 'b']),
        summaryOf('no_trace', ISSUES.no_trace.feedback, ['c', 'd']),
      ],
      config: {
        merge: 'guidance',
        contextTokens: 96,
        contextLines: 5,
        minimumSupport: 2,
        expirySteps: 8,
        contextText: 'reviews',
        fixedContext: [],
        ...(guidance === undefined ? {} : { guidance }),
      },
      vocabulary,
      pack: compactPack,
      countTokens: (text) => text.split(' ').length,
    });

  it('brings a line for findings of plans, which trained guidance has none for', async () => {
    const lines = async (guidance?: 'trained' | 'every'): Promise<string[]> =>
      (await context(guidance)).lines.map(({ text }) => text);
    expect(await lines()).toEqual(['Trace each step.']);
    expect(await lines('trained')).toEqual(['Trace each step.']);
    expect(await lines('every')).toEqual(['Trace each step.', 'Match the plan to the program.']);
  });
});

it('A review that says there is nothing to compare brings no point into a summary', async () => {
  const [nothing] = await supervise([solution('plan', { plan: 'answer it' })], {
    config: { phases: ALL, budgetSeconds: null, nothingToCompare: 'say' },
  });
  const summary = summarizeBatch({
    step: 1,
    batch: 'pred_code_o',
    scope: 'all',
    reviews: [nothing as ReviewRecord],
    passed: () => true,
  });
  expect([summary.reviewed, summary.points]).toEqual([1, []]);
});
