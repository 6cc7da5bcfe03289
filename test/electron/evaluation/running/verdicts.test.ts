import { describe, expect, it } from 'vitest';
import { Failure, type FailureKind } from '../../../../electron/contract/index.ts';
import { holdConversations } from '../../../../electron/evaluation/run/conversations.ts';
import type { EvalRun } from '../../../../electron/evaluation/run/eval-run.ts';
import { askSuite, endOf, finishSuite, verdictOn } from '../../../../electron/evaluation/run/run-suite.ts';
import type { Sample } from '../../../../electron/models/index.ts';
import type { StoredItem } from '../../../../electron/store/index.ts';

const ANSWER = { text: 'an answer', sample: 0 } as Parameters<typeof verdictOn>[2];

const verdict = (fails: () => never, signal = new AbortController().signal): ReturnType<typeof verdictOn> =>
  verdictOn(
    { suite: { grade: async () => fails() }, protocol: {}, tools: {}, signal } as unknown as Parameters<
      typeof verdictOn
    >[0],
    { id: 'item-1' },
    ANSWER,
    'stop',
  );

describe('an answer that its grader does not survive', () => {
  it.each<[FailureKind, () => never]>([
    [
      'requestKillsProcess',
      () => {
        throw new Failure('requestKillsProcess', 'The runner was lost 3 times.');
      },
    ],
    [
      'tooLarge',
      () => {
        throw new Failure('tooLarge', 'The answer has more than 75,497,472 bytes.');
      },
    ],
    [
      'internal',
      () => {
        throw new RangeError('Maximum call stack size exceeded');
      },
    ],
  ])('costs its own item, with the reason %s', async (reason, fails) => {
    expect(await verdict(fails)).toMatchObject({
      outcome: 'unjudged',
      reason,
      score: null,
      details: { why: expect.any(String) },
    });
  });

  it('costs the evaluation where the fault is not the answer’s', async () => {
    await expect(
      verdict(() => {
        throw new Failure('crashLoop', 'The runner was lost 6 times within ten minutes.');
      }),
    ).rejects.toMatchObject({ kind: 'crashLoop' });
  });

  it('is no verdict when the evaluation was stopped meanwhile', async () => {
    const stop = new AbortController();
    await expect(
      verdict(() => {
        stop.abort();
        throw new TypeError('cut off');
      }, stop.signal),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('an answer that fell into a loop', () => {
  const protocol = { temperature: 0, topP: 1, maxNewTokens: 64 };
  const grade = {
    outcome: 'failed',
    reason: null,
    score: null,
    method: 'sandbox',
    flags: [],
    judge: null,
    details: {},
  } as const;

  it('is marked as such when it is graded after the evaluation was stopped and taken up again', async () => {
    const stop = new AbortController();
    const stored = new Map<number, StoredItem>();
    const finishes = ['loop', 'length', 'stop'] as const;
    const work = (signal: AbortSignal): EvalRun =>
      ({
        id: 'evaluation-1',
        store: {
          listEvaluationPlaces: () =>
            [...stored.values()].map((one) => ({ ordinal: one.ordinal, graded: one.grade !== null })),
          getEvaluationItem: (_: string, ordinal: number) => stored.get(ordinal),
          putEvaluationItems: (_: string, items: StoredItem[]) =>
            items.forEach((item) => stored.set(item.ordinal, item)),
          listGradesAsGraded: () => [],
          finishEvaluation: () => null,
        },
        plan: { seed: 1, items: 3, suite: 'programs', protocol: { samples: 1 } },
        protocol,
        time: { enter: () => {}, leave: () => {}, of: () => 0 },
        spentBefore: 0,
        signal,
        sampler: {
          sampleEach: async (asked: { key: string }[], _: unknown, onSample: (sample: Sample) => void) => {
            for (const { key } of asked) {
              const finish = finishes[Number(key)] as Sample['finish'];
              onSample({ key, text: 'x x x', newTokens: finish === 'length' ? 64 : 48, finish });
            }
          },
        },
        suite: {
          name: 'programs',
          timed: true,
          target: () => null,
          scores: () => [],
          ask: () => ({ messages: [], raw: false, stops: [] }),
          async *read() {
            yield* ['a', 'b', 'c'].map((id) => ({ id }));
          },
          grade: async () => {
            stop.abort();
            signal.throwIfAborted();
            return grade;
          },
        },
        onGenerated: () => {},
        onGraded: () => {},
      }) as unknown as EvalRun;
    await askSuite(work(stop.signal));
    await expect(finishSuite(work(stop.signal))).rejects.toMatchObject({ name: 'AbortError' });
    expect([...stored.values()].map((one) => one.grade)).toEqual([null, null, null]);
    await finishSuite(work(new AbortController().signal));
    expect([0, 1, 2].map((ordinal) => stored.get(ordinal)?.grade?.flags)).toEqual([
      ['loop'],
      ['cut-off'],
      [],
    ]);
  });

  it('keeps its mark where its verdict is made anew', () => {
    const flagged = (...flags: string[]): string =>
      endOf({ newTokens: 48, grade: { ...grade, flags } }, protocol);
    expect(flagged('load-affected', 'loop')).toBe('loop');
    expect(flagged('cut-off', 'load-affected')).toBe('length');
    expect(flagged('load-affected')).toBe('stop');
  });
});

describe('a conversation', () => {
  const graded = {
    outcome: 'passed',
    reason: null,
    score: 1,
    method: 'rules',
    flags: [],
    judge: null,
    details: {},
  };
  /** Holds three conversations; what `fails` throws is thrown while the second is graded, or answered. */
  const hold = async (
    fails: () => never,
    asModel = false,
  ): Promise<{ failure: unknown; stored: Record<string, unknown>[] }> => {
    const stored: Record<string, unknown>[] = [];
    const work = {
      id: 'evaluation-1',
      store: { putEvaluationItems: (_: string, items: never[]) => void stored.push(...items) },
      plan: { seed: 1, protocol: { samples: 1 } },
      protocol: { temperature: 0, topP: 1, maxNewTokens: 8 },
      tools: {},
      context: '',
      signal: new AbortController().signal,
      sampler: {
        sample: async (messages: { content: string }[]) =>
          asModel && messages[0]!.content === 'b'
            ? fails()
            : [
                {
                  text: `to ${messages[0]!.content}`,
                  newTokens: 3,
                  finish: messages[0]!.content === 'c' ? 'loop' : 'stop',
                },
              ],
      },
      suite: {
        name: 'talk',
        target: () => 'a target',
        converse: async ({ id }: { id: string }, ask: (...asked: unknown[]) => Promise<string>) => {
          const text = await ask([{ role: 'user', content: id }], { key: 'turn' });
          if (!asModel && id === 'b') fails();
          return { asked: [], text, grade: graded };
        },
      },
      onGenerated: () => {},
      onGraded: () => {},
    } as unknown as EvalRun;
    const entries = ['a', 'b', 'c'].map((id, index) => ({ index, item: { id } }));
    const failure = await holdConversations(work, entries, new Set()).catch((error: unknown) => error);
    return { failure, stored: stored.toSorted((one, other) => Number(one.ordinal) - Number(other.ordinal)) };
  };

  it('that its grader does not survive costs its own item, and is stored as far as it came', async () => {
    const { failure, stored } = await hold(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    expect(failure).toBeUndefined();
    expect(stored.map(({ grade }) => (grade as { outcome: string }).outcome)).toEqual([
      'passed',
      'unjudged',
      'passed',
    ]);
    const flags = stored.map(({ grade }) => (grade as { flags: string[] }).flags);
    expect(flags).toEqual([[], [], ['loop']]);
    expect(stored[1]).toMatchObject({
      itemId: 'b',
      asked: [{ role: 'user', content: 'b' }],
      text: 'to b',
      newTokens: 3,
      grade: { reason: 'internal', details: { why: 'Maximum call stack size exceeded' } },
    });
  });

  it.each([false, true])('costs the evaluation where judge or model is gone (model: %s)', async (asModel) => {
    const { failure } = await hold(() => {
      throw asModel ? new TypeError('lost') : new Failure('crashLoop', 'The supervisor is gone.');
    }, asModel);
    expect(failure).toMatchObject({ message: asModel ? 'lost' : 'The supervisor is gone.' });
  });
});
