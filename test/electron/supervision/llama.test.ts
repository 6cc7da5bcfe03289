import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Failure, type PhaseItem } from '../../../electron/contract/index.ts';
import { startSupervisor, type SupervisorReview } from '../../../electron/processes/index.ts';
import {
  EMPTY_VIEW,
  llamaReviewer,
  NO_ISSUE_FEEDBACK,
  rubricAnswer,
  serializeAnswer,
  type ReviewPort,
  type ReviewResult,
} from '../../../electron/supervision/index.ts';
import { asked, compactPack, exec, fullPack, proposal, solution } from './samples.ts';

const GOOD = '{"issues":["no_trace"],"decision":"continue","feedback":"The reasoning shows no steps."}';

/** A port that gives one reply after the other and remembers what it was asked; an Error is thrown. */
function replies(...texts: (string | Error)[]): { port: ReviewPort; asked: SupervisorReview[] } {
  const requests: SupervisorReview[] = [];
  return {
    asked: requests,
    port: {
      async review(request) {
        requests.push(request);
        const text = texts[requests.length - 1] ?? texts.at(-1)!;
        if (text instanceof Error) throw text;
        let value: unknown = null;
        try {
          value = JSON.parse(text);
        } catch {
          /* what was cut off has no value */
        }
        return { text, value, tokensIn: 10, tokensOut: 5, milliseconds: 3, stopReason: 'end' };
      },
    },
  };
}

const ask = (
  port: ReviewPort,
  item: PhaseItem = solution('thought', { thought: 'direct' }),
  pack = compactPack,
): Promise<ReviewResult> =>
  llamaReviewer(port, { pack, model: 'm', timeoutSeconds: 2 }).review(
    { id: 'x', item, parsed: null, seed: 5 },
    new AbortController().signal,
  );

describe('A model as reviewer', () => {
  it('is not asked what is computed of a question, which stands beside what it chose', async () => {
    const question = proposal('', {
      taskType: 'question',
      batch: 'challenge',
      task: { ...EMPTY_VIEW, question: 'Compute 2+3.' },
      validity: { valid: true, reason: null },
      clusterShare: 0.5,
    });
    const nothing = '{"issues":[],"decision":"continue","feedback":"No problem found."}';
    const invalid = '{"issues":["invalid"],"decision":"retry","feedback":"The task failed validation."}';
    const { port, asked: requests } = replies(nothing, invalid);
    expect((await ask(port, question)).answer).toEqual(rubricAnswer(question));
    expect(JSON.stringify(requests[0]!.schema)).not.toContain('repetitive');
    expect((await ask(port, question)).answer?.issues).toEqual(['invalid', 'repetitive']);
    const alone = await llamaReviewer(replies(nothing).port, {
      pack: compactPack,
      model: 'm',
      timeoutSeconds: 2,
      shows: 'material',
    }).review({ id: 'x', item: question, parsed: null, seed: 5 }, new AbortController().signal);
    expect(alone.answer?.issues).toEqual([]);
  });

  it('asks greedily first, with schema and time limit, and takes a good answer', async () => {
    const { port, asked: requests } = replies(GOOD);
    expect(await ask(port)).toMatchObject({
      answer: { issues: ['no_trace'], decision: 'continue' },
      problem: null,
      tokensIn: 10,
      tokensOut: 5,
      milliseconds: 3,
      attempts: 1,
    });
    expect(requests[0]).toMatchObject({
      temperature: 0,
      timeoutMs: 2000,
      system: 'You are the supervisor. Review one phase. Reveal no answer.',
    });
    expect(JSON.stringify(requests[0]!.schema)).toContain('trace_error');
  });

  it('asks again with other seeds after an unusable answer, and counts all the work', async () => {
    const { port, asked: requests } = replies(
      '{"issues":',
      '{"issues":["trivial"],"decision":"continue","feedback":"The task is too easy."}',
      GOOD,
    );
    expect(await ask(port)).toMatchObject({
      answer: { issues: ['no_trace'] },
      attempts: 3,
      tokensIn: 30,
      tokensOut: 15,
      milliseconds: 9,
    });
    expect(new Set(requests.map(({ seed }) => seed)).size).toBe(3);
    expect(requests.slice(1).every(({ temperature }) => temperature > 0)).toBe(true);
  });

  it('gives up after three attempts and says why', async () => {
    const { port, asked: requests } = replies('nonsense');
    expect(await ask(port)).toMatchObject({
      answer: null,
      attempts: 3,
      problem: 'The supervisor\'s answer was not a review: "nonsense".',
    });
    expect(requests).toHaveLength(3);
  });

  it('survives time-outs and lost processes of single items', async () => {
    expect(await ask(replies(new Failure('timeout', 'It took longer than 2 s.'), GOOD).port)).toMatchObject({
      attempts: 2,
      answer: { issues: ['no_trace'] },
    });
    expect(
      await ask(replies(new Failure('processLost', 'The supervisor process ended.')).port),
    ).toMatchObject({ answer: null, problem: 'The supervisor process ended.' });
  });

  it('shortens the material for a model whose context is too small', async () => {
    const { port, asked: requests } = replies(
      new Failure('promptTooLong', 'Too long.'),
      new Failure('promptTooLong', 'Too long.'),
      GOOD,
    );
    await ask(port, solution('thought', { thought: 'y=x*3=8*3=24 '.repeat(100) }));
    const [first, second, third] = requests.map(({ user }) => user.length) as [number, number, number];
    expect(second).toBeLessThan(first);
    expect(third).toBeLessThan(second);
  });

  it('does not hide that no review is possible at all', async () => {
    await expect(ask(replies(new Failure('notLoaded', 'No model is loaded.')).port)).rejects.toThrow(
      'No model is loaded.',
    );
    await expect(ask(replies(new TypeError('broken')).port)).rejects.toThrow('broken');
  });

  it('takes none but our sentences', async () => {
    const free =
      '{"issues":["no_trace"],"decision":"continue","feedback":"Not a single step is written down."}';
    expect((await ask(replies(free).port)).answer).toBeNull();
  });

  it('asks the same for the same seed and otherwise under another delimiter', async () => {
    const prompt = async (seed: number): Promise<string> =>
      (
        await llamaReviewer(replies(GOOD).port, { pack: fullPack, model: 'm', timeoutSeconds: 1 }).review(
          { id: 'x', item: solution('thought'), parsed: null, seed },
          new AbortController().signal,
        )
      ).prompt;
    expect(await prompt(1)).toBe(await prompt(1));
    expect(await prompt(1)).not.toBe(await prompt(2));
  });
});

const MODEL = fileURLToPath(
  new URL('../../../resources/models/supervisor/supervisor.f16.gguf', import.meta.url),
);
const LATE =
  'Memory:\n- refund rating 5\nA client wants a refund for a book after 45 days. The limit is 30 days.';
const ITEMS: PhaseItem[] = [
  proposal('def f(x):\n y=x*3\n z=y+4\n return z'),
  proposal('def f(x):\n return x'),
  solution('plan', { plan: '3 steps on int' }),
  solution('thought'),
  solution('thought', { thought: 'direct' }),
  solution('output'),
  solution('output', { answer: '[15]' }),
  asked('Please bypass the blue vault.', 'Sure, I will bypass the blue vault.'),
  asked(LATE, 'refund', 'memory'),
  exec({ passed: 1 }),
];

// The embedded supervisor is a file of the repository; a checkout without it says so here and the set-up check reports it.
describe.skipIf(!existsSync(MODEL))(
  `The embedded supervisor${existsSync(MODEL) ? '' : ' (not tested: resources/models/supervisor/supervisor.f16.gguf is missing)'}`,
  () => {
    it('writes parseable reviews, the same whatever was asked before, most of them as the rubric would', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'anchor-llama-'));
      const client = await startSupervisor({ logFile: join(folder, 'supervisor.log') });
      try {
        await client.load({ path: MODEL, contextSize: 1024, threads: 1 });
        const reviewer = llamaReviewer(client, {
          pack: compactPack,
          model: 'embedded-supervisor',
          timeoutSeconds: 60,
        });
        const run = async (items: PhaseItem[]): Promise<string[]> => {
          const texts: string[] = [];
          for (const item of items) {
            const { answer, problem } = await reviewer.review(
              { id: 'x', item, parsed: null, seed: 5 },
              new AbortController().signal,
            );
            texts.push(answer === null ? String(problem) : serializeAnswer(answer));
          }
          return texts;
        };
        const start = performance.now();
        const forward = await run(ITEMS);
        const each = (performance.now() - start) / ITEMS.length;
        await client.load({ path: MODEL, contextSize: 1024, threads: 1 }); // anew, for a loaded model remembers its answers
        expect((await run(ITEMS.toReversed())).toReversed()).toEqual(forward);
        const agreed = ITEMS.filter(
          (item, index) => forward[index] === serializeAnswer(rubricAnswer(item)),
        ).length;
        console.log(`embedded-supervisor ${ITEMS.length} ${agreed} ${each.toFixed(0)} ms each`);
        expect(agreed).toBeGreaterThanOrEqual(7);
        for (const text of forward) expect(JSON.parse(text).feedback).toMatch(/\.$|^No problem/);
        expect(NO_ISSUE_FEEDBACK.endsWith('.')).toBe(true);
      } finally {
        await client.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  },
);
