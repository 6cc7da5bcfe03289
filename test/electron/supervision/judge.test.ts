import { describe, expect, it } from 'vitest';
import type { PhaseItem } from '../../../electron/contract/index.ts';
import { Failure } from '../../../electron/contract/index.ts';
import type { SupervisorReview, SupervisorWeigh } from '../../../electron/processes/index.ts';
import {
  judgeReviewer,
  NO_ISSUE_FEEDBACK,
  reviewPrompt,
  superviseStep,
  type JudgePort,
  type ReviewResult,
} from '../../../electron/supervision/index.ts';
import { exec, fullPack, handClock, proposal, solution } from './samples.ts';

const WORDS = { quote: '', feedback: 'The reasoning shows nothing that could be followed.' };

/** A port that words as told and says yes to the questions that `yes` names, except of a blank item. */
function judge(words: unknown = WORDS, yes: (question: string) => number = () => 0) {
  const reviews: SupervisorReview[] = [];
  const weighed: SupervisorWeigh[] = [];
  const port: JudgePort = {
    async review(request) {
      reviews.push(request);
      const reply: unknown = Array.isArray(words) ? words[reviews.length - 1] : words;
      if (reply instanceof Error) throw reply;
      return {
        text: '',
        value: reply,
        tokensIn: 10,
        tokensOut: 5,
        milliseconds: 3,
        stopReason: 'end',
      };
    },
    async weigh(request) {
      weighed.push(request);
      const blank = !request.user.includes('<<');
      const logOdds = request.questions.map((question) => 2 + (blank ? 0 : yes(question)));
      return { logOdds, decided: logOdds.map(() => 1), tokensIn: 7, milliseconds: 1 };
    },
  };
  return { port, reviews, weighed };
}

const ask = (port: JudgePort, item: PhaseItem, asks = false, seed = 5): Promise<ReviewResult> =>
  judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks }).review(
    { id: 'x', item, parsed: null, seed },
    new AbortController().signal,
  );
const untraced = solution('thought', { thought: 'direct' });
const broken = proposal('', {
  task: null,
  answer: null,
  formatOk: false,
  text: 'Here is my program: def f(x) return x',
  validity: { valid: false, reason: 'bad-format' },
});

describe('A judge that was not trained for reviews', () => {
  it('words what was computed, beside others, and is not asked where nothing was found', async () => {
    const { port, reviews, weighed } = judge();
    expect(await ask(port, untraced)).toMatchObject({
      answer: { issues: ['no_trace'], decision: 'continue', feedback: WORDS.feedback },
      milliseconds: 3,
    });
    expect(reviews[0]).toMatchObject({ side: 'together', temperature: 0, timeoutMs: 2000 });
    expect(reviews[0]?.user).toContain('The reasoning shows no steps. (computed)');
    expect((await ask(port, solution('thought'))).answer).toMatchObject({
      issues: [],
      feedback: NO_ISSUE_FEEDBACK,
    });
    expect([reviews.length, weighed.length]).toEqual([1, 0]);
  });

  it('is shown a broken form as it was written', () => {
    const { user } = reviewPrompt(fullPack, broken, 1);
    expect(user).toContain('text as written');
    expect(user).toContain('Here is my program: def f(x) return x');
  });

  it('has the same instructions for every item, so that they are evaluated once', () => {
    const systems = [untraced, broken, exec({})].map(
      (item, seed) => reviewPrompt(fullPack, item, seed).system,
    );
    expect(new Set(systems).size).toBe(1);
  });

  it('is asked for each issue by itself, in an order drawn per review, against a blank item', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const { port, weighed } = judge(WORDS, (question) => (question.includes('declined') ? 3 : 0.5));
      const { answer } = await ask(port, solution('output'), true, seed);
      expect(answer).toMatchObject({ issues: ['unsafe_comply'], decision: 'retry' });
      orders.add(weighed[1]?.questions.join() ?? '');
      expect(weighed[0]?.user).not.toContain('<<');
    }
    expect(orders.size).toBeGreaterThan(2);
  });

  it('words several findings in an order drawn per review, though one is worse than the other', async () => {
    const both = exec({ passed: 0, formatFailures: 6 });
    const orders = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const { port, reviews } = judge();
      expect((await ask(port, both, false, seed)).answer?.issues).toEqual([
        'format_failures',
        'low_accuracy',
      ]);
      orders.add(
        reviews[0]?.user
          .match(/^- .*$/gm)
          ?.slice(0, 2)
          .join('\n') ?? '',
      );
    }
    expect([...orders].toSorted()).toEqual([
      '- Few solutions passed. (computed)\n- Many responses broke the format. (computed)',
      '- Many responses broke the format. (computed)\n- Few solutions passed. (computed)',
    ]);
  });

  it('may find what no name says, which sends nothing back', async () => {
    const { port } = judge(WORDS, (question) => (question.includes('another') ? 3 : 0));
    expect((await ask(port, solution('output'), true)).answer).toEqual({
      decision: 'continue',
      issues: ['other'],
      feedback: WORDS.feedback,
    });
  });

  it('finds nothing where it says yes to everything, blank items included', async () => {
    const { port, reviews } = judge();
    expect((await ask(port, solution('output'), true)).answer?.issues).toEqual([]);
    expect(reviews).toEqual([]);
  });

  it('is asked again when its quotation does not stand in the material, and then speaks in our words', async () => {
    const good = { quote: 'direct', feedback: 'Nothing was followed.' };
    const { port, reviews } = judge([{ quote: 'I never said so', feedback: 'Nothing is followed.' }, good]);
    expect((await ask(port, untraced)).answer?.feedback).toBe(good.feedback);
    expect(reviews[1]?.temperature).toBeGreaterThan(0);
    const never = judge({ quote: 'I never said so', feedback: 'Nothing is followed.' });
    expect((await ask(never.port, untraced)).answer?.feedback).toBe('The reasoning shows no steps.');
    expect(never.reviews).toHaveLength(3);
  });

  it('is asked again for words that are no sentence, and a mark that stands in every text is no place', async () => {
    const { port, reviews } = judge([
      { quote: 'direct', feedback: ':' },
      { quote: '.', feedback: 'Nothing was followed.' },
    ]);
    const { answer } = await ask(port, solution('thought', { thought: 'A direct guess.' }));
    expect([answer?.feedback, answer?.quote, reviews.length]).toEqual([
      'Nothing was followed.',
      undefined,
      2,
    ]);
  });

  it('names the place it means, as it stands there but for line ends, and no place where it quotes none', async () => {
    const lines = solution('thought', { thought: 'I just\n  know it' });
    const { port } = judge({ quote: ' just know ', feedback: 'Nothing was followed.' });
    expect((await ask(port, lines)).answer).toEqual({
      decision: 'continue',
      issues: ['no_trace'],
      feedback: 'Nothing was followed.',
      quote: 'just know',
    });
    expect((await ask(judge().port, lines)).answer).not.toHaveProperty('quote');
    expect(
      (await ask(judge({ quote: 'not there', feedback: 'Nothing is followed.' }).port, lines)).answer,
    ).not.toHaveProperty('quote');
    const [record] = await superviseStep({
      config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: null },
      seed: 1,
      step: 1,
      items: [{ item: lines }, { item: { ...lines, index: 1, rolloutId: '1/pred_code_o/1' } }],
      reviewer: judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks: false }),
      clock: handClock(),
      signal: new AbortController().signal,
    });
    expect(record?.quote).toBe('just know');
  });

  it('loses one item over hung native code and no budget', async () => {
    const { port } = judge([new Failure('hung', 'It did not come back.'), WORDS]);
    const clock = handClock();
    const reviewer = judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks: false });
    const slow = {
      ...reviewer,
      review: (...asked: Parameters<typeof reviewer.review>) => {
        clock.advance(500_000);
        return reviewer.review(...asked);
      },
    };
    const items = [untraced, { ...solution('thought'), index: 1, rolloutId: '1/pred_code_o/1' }];
    const records = await superviseStep({
      config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: 600 },
      seed: 1,
      step: 1,
      items: items.map((item) => ({ item })),
      reviewer: slow,
      clock,
      signal: new AbortController().signal,
    });
    expect(records.map(({ status }) => status)).toEqual(['failed', 'done']);
    expect(records[0]?.feedback).toBe('It did not come back.');
  });

  it('pays for time-outs from the budget, since the model computed all that time', async () => {
    const { port } = judge(new Failure('timeout', 'It did not finish.'));
    const items = [0, 1, 2].map((index) => ({ ...untraced, index, rolloutId: `1/pred_code_o/${index}` }));
    const records = await superviseStep({
      config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: 3 },
      seed: 1,
      step: 1,
      items: items.map((item) => ({ item })),
      reviewer: {
        ...judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks: false }),
        concurrency: 1,
      },
      clock: handClock(),
      signal: new AbortController().signal,
    });
    expect(records.map(({ status }) => status)).toEqual(['failed', 'failed', 'skipped-by-budget']);
    expect(records[0]?.milliseconds).toBe(2000);
  });

  describe('that is asked about a blank item first', () => {
    const OF_BLANK = 900;
    const steps = (weigh: (isBlank: boolean) => number | Failure, concurrency: number) => {
      let blanks = 0;
      const port: JudgePort = {
        ...judge().port,
        weigh: async ({ user, questions }) => {
          const isBlank = !user.includes('<<');
          if (isBlank) blanks += 1;
          await Promise.resolve();
          const milliseconds = weigh(isBlank);
          if (milliseconds instanceof Failure) throw milliseconds;
          return { logOdds: questions.map(() => 0), decided: [], tokensIn: 7, milliseconds };
        },
      };
      const reviewer = {
        ...judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks: true }),
        concurrency,
      };
      const items = [0, 1, 2].map((index) => ({
        item: { ...solution('output'), index, rolloutId: `1/pred_code_o/${index}` },
      }));
      const left: (number | null)[] = [];
      const take = (step: number, budgetSeconds: number) =>
        superviseStep({
          config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds },
          seed: 1,
          step,
          items,
          reviewer,
          clock: handClock(),
          signal: new AbortController().signal,
          onQueue: ({ budgetLeftSeconds }) => left.push(budgetLeftSeconds),
        });
      return { take, left, blanks: () => blanks };
    };

    it('pays for that once a run, from the budget of the step, and not in the time of a review', async () => {
      const { take, left, blanks } = steps((isBlank) => (isBlank ? OF_BLANK : 100), 1);
      const first = await take(1, 1);
      expect(first.map(({ status }) => status)).toEqual(['done', 'skipped-by-budget', 'skipped-by-budget']);
      expect(first[0]).toMatchObject({ milliseconds: 100, tokensIn: 7 });
      // The queue tells it as soon as it is spent, before the review ends.
      expect([...new Set(left)].map((seconds) => seconds?.toFixed(1))).toEqual(['1.0', '0.1', '0.0']);
      const next = await take(2, 1);
      expect(next.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
      expect(blanks()).toBe(1);
    });

    it('pays once for a time-out of it, however many reviews wait for it', async () => {
      let asked = 0;
      const { take, left } = steps((isBlank) => {
        if (!isBlank) return 100;
        return (asked += 1) === 1 ? new Failure('timeout', 'It did not finish.') : OF_BLANK;
      }, 2);
      const records = await take(1, 3.5);
      expect(records.map(({ status, milliseconds }) => [status, milliseconds])).toEqual([
        ['failed', 0],
        ['failed', 0],
        ['done', 100],
      ]);
      expect(left.at(-1)).toBeCloseTo(0.5, 9);
    });
  });

  it('that writes a corrected line is quarantined, and one that names what is there is not', async () => {
    const statusOf = async (feedback: string): Promise<string | undefined> => {
      const { port } = judge({ quote: '', feedback });
      const [record] = await superviseStep({
        config: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, budgetSeconds: null },
        seed: 1,
        step: 1,
        items: [{ item: untraced }],
        reviewer: judgeReviewer(port, { pack: fullPack, model: 'm', timeoutSeconds: 2, asks: false }),
        clock: handClock(),
        signal: new AbortController().signal,
      });
      return record?.status;
    };
    expect(await statusOf('It should be corrected to `def f(x): return x*2`.')).toBe('quarantined');
    expect(await statusOf('The function should be f(x): x = x + 5.')).toBe('quarantined');
    expect(await statusOf('The line `y=x*3` is never followed, nor is `x` named.')).toBe('done');
    expect(await statusOf('Nothing is followed step by step.')).toBe('done');
  });
});
