import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RzeroConfig, TaskRecord } from '../../../../electron/contract/index.ts';
import { parseQuestion, parseSolution } from '../../../../electron/evolution/frameworks/rzero/parsing.ts';
import { challengePrompt } from '../../../../electron/evolution/frameworks/rzero/prompts.ts';
import { challengeReward, solveReward } from '../../../../electron/evolution/frameworks/rzero/rewards.ts';
import { solveStage } from '../../../../electron/evolution/frameworks/rzero/stages/solve.ts';
import { beginRun, foldStep, keptOf } from '../../../../electron/evolution/frameworks/rzero/state.ts';
import { loadPromptPack } from '../../../../electron/library/index.ts';
import { incomparable } from '../../../../electron/evolution/frameworks/rzero/voting.ts';
import { asksSums, SMALL, takeSteps, type Script } from './scripted-run.ts';

const settings = SMALL.framework as RzeroConfig;
const stepOne = async (script: Script, more: Partial<RzeroConfig> = {}) =>
  (await takeSteps({ framework: { ...settings, ...more } }, 1, { script })).commits[0]!;
const questionOr =
  (answer: (index: number) => string): Script =>
  (asked) =>
    asked.question === null ? asksSums(asked) : answer(asked.index);

describe('each fault of the original that changes numbers is right by default and can be had back', () => {
  it('a missing box is no question; rzero-compat reads the last character of "None"', () => {
    const text = '<question>What is 7?</question>';
    expect(parseQuestion(text, false, 'strict')).toEqual({ ok: false, cause: 'missing-box' });
    expect(parseQuestion(text, false, 'rzero-compat')).toMatchObject({ ok: true, claimed: 'e' });
    const named =
      'I write it between <question> and </question>: <question>What is <question>8?</question>\\boxed{8}';
    expect(parseQuestion(named, false, 'strict')).toEqual({ ok: true, question: '8?', claimed: '8' });
    expect(parseQuestion(named, false, 'rzero-compat')).toMatchObject({ question: 'What is <question>8?' });
    const boxed = `${text} \\boxed{\\frac{1}{27}}`;
    expect(parseQuestion(boxed, false, 'strict')).toMatchObject({ claimed: '\\frac{1}{27}' });
    expect(parseQuestion(boxed, false, 'rzero-compat')).toMatchObject({ claimed: '}' });
  });

  it('samples without an answer do not vote; under rzero-compat half of them earn the most there is', async () => {
    const half = questionOr((index) => (index % 2 === 0 ? 'no end in sight' : '\\boxed{5}'));
    const sound = await stepOne(half);
    expect(sound.tasks.map(({ solveRate }) => solveRate)).toEqual(Array(8).fill(1));
    expect(sound.step.metrics['challenge/abstained']).toBe(0.5);
    expect(sound.rollouts[0]?.reward).toBeLessThan(0);
    const compat = await stepOne(half, { abstentions: 'rzero-compat' });
    expect(compat.tasks.map(({ solveRate }) => solveRate)).toEqual(Array(8).fill(0.5));
  });

  it('answers with "no " in them are not the same but under rzero-compat', async () => {
    const none = questionOr((index) => (index % 2 === 0 ? '\\boxed{no root}' : '\\boxed{no such n}'));
    expect((await stepOne(none)).tasks[0]?.solveRate).toBe(0.5);
    expect((await stepOne(none, { equality: 'rzero-compat' })).tasks[0]?.solveRate).toBe(1);
  });

  it('a group that hardly differs stays near 0; without the floor its noise has full size', async () => {
    const alike = questionOr(() => '\\boxed{4}');
    const most = async (more: Partial<RzeroConfig>): Promise<number> => {
      const { rollouts } = await stepOne(alike, { ...more, repetition: { cut: 0.9, weight: 0.01 } });
      return Math.max(...rollouts.map(({ advantage }) => Math.abs(advantage ?? 0)));
    };
    expect(await most({})).toBeLessThan(0.2);
    expect(await most({ advantages: 'rzero-compat' })).toBeGreaterThan(0.4);
  });

  it('pays the table of the repository, and that of the paper by name', () => {
    const of = (agreement: number | null, more: object = {}, rules: object = {}): number =>
      challengeReward(
        { isQuestion: true, agreement, abstained: 0, clusterShare: 0.1, ...more },
        {
          challengeReward: 'repository',
          abstentions: 'outside',
          abstentionPenalty: 0.5,
          repetition: { cut: 0.5, weight: 1 },
          ...rules,
        },
      );
    expect([0.1, 0.5, 0.9, 1].map((p) => of(p))).toEqual([0, 0.4, expect.closeTo(0, 12), -0.1]);
    expect(of(null, { abstained: 1 })).toBeCloseTo(-0.6, 12);
    expect(of(null, { isQuestion: false })).toBeCloseTo(-1.1, 12);
    const paper = { challengeReward: 'paper' };
    expect([of(0.5, {}, paper), of(1, {}, paper), of(0.5, { isQuestion: false }, paper)]).toEqual([
      0.9, 0, 0,
    ]);
    expect(solveReward({ agrees: true, text: '\\boxed{1}' }, { solveReward: 'rzero-compat' })).toBe(0.9);
    expect(solveReward({ agrees: true, text: '\\boxed{1}' }, { solveReward: 'agreement' })).toBe(1);
  });
});

describe('a text of several boxes', () => {
  it('answers with its last, and a question with the last behind it', () => {
    expect(parseSolution('It is \\boxed{3}. No, \\boxed{4}.').answer).toBe('4');
    const asks = '<question>What is 7?</question>';
    expect(parseQuestion(`\\boxed{9} ${asks}`, false, 'strict')).toEqual({ ok: false, cause: 'missing-box' });
    expect(parseQuestion(`\\boxed{9} ${asks} \\boxed{6} \\boxed{7}`, false, 'strict')).toMatchObject({
      claimed: '7',
    });
  });
});

describe('answers of which none has a box', () => {
  const unboxed = questionOr(() => 'no end in sight');
  it('are one class of the original, which is no answer to be right', async () => {
    const { tasks } = await stepOne(unboxed, { abstentions: 'rzero-compat' });
    expect(tasks).toHaveLength(8);
    for (const { solveRate, outputs } of tasks) expect([solveRate, outputs]).toEqual([1, []]);
  });
  it('label nothing', async () => {
    const label = (await takeSteps({}, 5, { script: unboxed })).commits[4]!;
    expect([label.step.stage, label.tasks, label.step.metrics['label/without_label']]).toEqual([
      'label',
      [],
      16,
    ]);
  });
});

describe('a question that others of its batch repeat', () => {
  it('costs its author the share of the batch that asks it', async () => {
    const repeated = 'What is the largest prime number below one hundred?';
    const alone = (seed: number): string => `Add ${[1, 2, 3, 4].map((at) => `${seed}x${at}`).join(' ')}?`;
    const { rollouts } = await stepOne(({ question, seed }) =>
      question === null
        ? `<question>${seed % 3 === 0 ? repeated : alone(seed)}</question> \\boxed{5}`
        : '\\boxed{5}',
    );
    const own = rollouts.filter(({ purpose }) => purpose === 'propose');
    const copies = own.filter(({ text }) => text.includes(repeated)).length;
    expect([own.length, copies > 1, copies < 8]).toEqual([8, true, true]);
    // All answers agree, so that nothing is earned beside.
    for (const { text, reward } of own)
      expect(reward).toBeCloseTo(-(text.includes(repeated) ? copies : 1) / 8, 12);
  });
});

describe('the floor of a deviation', () => {
  it('holds for a solver as well, where a run has one', () => {
    const of = (changes: object): number[] =>
      solveStage('solver').advantages(
        { framework: { ...settings, advantages: 'floored', deviationFloor: 2, ...changes } } as never,
        'answer',
      )([0, 1].map((reward) => ({ reward, tokens: 1, group: 'g' })));
    // The deviation of 0 and 1 is √½, below the floor.
    for (const [found, expected] of [
      [of({}), 0.5 / 2],
      [of({ advantages: 'rzero-compat' }), 0.5 / Math.SQRT1_2],
    ] as const) {
      expect(found[0]).toBeCloseTo(-expected, 5);
      expect(found[1]).toBeCloseTo(expected, 5);
    }
  });
});

describe('the questions and labels of an iteration', () => {
  it('are gone when the next one begins to ask', () => {
    const task = (message: string): TaskRecord => ({ message }) as TaskRecord;
    const state = beginRun(settings);
    foldStep(state, { step: 3, tasks: [task('first')] });
    foldStep(state, { step: 5, tasks: [task('first')] });
    expect([state.posed.length, state.labelled.length]).toEqual([1, 1]);
    foldStep(state, { step: 11, tasks: [task('second')] });
    expect([state.posed, state.labelled]).toEqual([[task('second')], []]);
    expect(state.seen.size).toBe(2);
  });
});

describe('the window', () => {
  const labelled = [0.2, 0.3, 0.5, 0.8, 0.85].map((solveRate) => ({ solveRate })) as never[];
  const label = { ...settings.label, window: [0.3, 0.8] as [number, number], widenBy: 0.05 };
  it('includes both its ends, and grows as often as it may where too few are kept', () => {
    const rates = (needed: number, widenTimes: number) => {
      const { tasks, widened } = keptOf(
        { labelled },
        { ...label, widenTimes } as RzeroConfig['label'],
        needed,
      );
      return [tasks.map(({ solveRate }) => solveRate), widened];
    };
    expect(rates(3, 2)).toEqual([[0.3, 0.5, 0.8], 0]);
    expect(rates(4, 2)).toEqual([[0.3, 0.5, 0.8, 0.85], 1]);
    expect(rates(5, 2)).toEqual([[0.2, 0.3, 0.5, 0.8, 0.85], 2]);
    expect(rates(5, 1)[1]).toBe(1);
  });
  it('that keeps nothing stops the run with what to change', async () => {
    const sure = questionOr(() => '\\boxed{5}');
    await expect(takeSteps({}, 8, { script: sure })).rejects.toMatchObject({
      kind: 'nothingToLearn',
      message: expect.stringMatching(/^Only 0 of the 24 questions .* widen framework\.label\.window/),
    });
  });
});

describe('a challenger that never writes a question', () => {
  const mute: Script = (asked) => (asked.question === null ? 'Sums are dull.' : asksSums(asked));
  it('stops the run before anything is labelled, in one sentence', async () => {
    await expect(takeSteps({}, 5, { script: mute })).rejects.toMatchObject({
      kind: 'nothingToLearn',
      message: expect.stringMatching(/^None of the 24 texts .* nothing to label/),
    });
  });
});

it('splits a solver’s text at its working and its last box', () => {
  const text =
    'First find the sum. Then halve it.\nx = 3 + 4\nso x is 7, twice over, which leaves us with what was asked.\n\\boxed{\\frac{7}{2}} as claimed.';
  expect(parseSolution(text)).toEqual({
    plan: 'First find the sum.',
    thought: expect.stringContaining('x = 3 + 4'),
    answer: '\\frac{7}{2}',
    output: '\\boxed{\\frac{7}{2}} as claimed.',
  });
  expect(parseSolution('\\boxed{}').answer).toBeNull();
  expect(parseSolution('\\boxed{1} and \\boxed{2').answer).toBe('1');
});

describe('the example that a challenger is shown', () => {
  const pack = loadPromptPack(
    join(import.meta.dirname, '../../../../resources/prompts/instruct'),
    'instruct',
  );
  const shown = pack.render('answer-propose-question', {});
  it('is itself a question with a boxed answer, after which the answer is begun for it', () => {
    expect(parseQuestion(shown, false, 'strict')).toMatchObject({ ok: true, claimed: '10' });
    const { example, opening, stops } = challengePrompt(pack, '');
    expect(example?.answered).toBe(shown);
    expect([opening, stops]).toEqual(['<question>', ['<question>']]);
  });

  it('is no question when it is copied, whatever its spacing', async () => {
    const copies: Script = (asked) =>
      asked.question !== null || asked.seed % 2 === 0
        ? asksSums(asked)
        : shown.replace('How many', 'how  many');
    const [commit] = (await takeSteps({}, 1, { script: copies })).commits;
    const own = commit!.rollouts.filter(({ purpose }) => purpose === 'propose');
    const copied = own.filter(({ text }) => text.includes('multiples of 4'));
    expect(copied.length).toBeGreaterThan(0);
    for (const { verdict, taskId } of copied)
      expect([verdict.reason, taskId]).toEqual(['copied-example', null]);
    expect(own.filter(({ verdict }) => verdict.reason === 'copied-example')).toHaveLength(copied.length);
  });

  it('stands in a plain text as an exchange of its own', () => {
    const base = loadPromptPack(join(import.meta.dirname, '../../../../resources/prompts/base'), 'base');
    const { plain } = challengePrompt(base, '');
    expect(plain?.split('=== Request ===')).toHaveLength(3);
    expect(plain?.split('=== Reply ===')).toHaveLength(3);
    expect(plain?.endsWith('=== Reply ===\n<question>')).toBe(true);
  });
});

it('says of pairs that nobody could compare how many there were', () => {
  const setAside = { timeouts: 2, lost: 1 };
  const since = incomparable({ answers: { setAside, same: async () => false } });
  Object.assign(setAside, { timeouts: 3, lost: 4 });
  expect(since()).toEqual({ timeouts: 1, incomparable: 4 });
});
