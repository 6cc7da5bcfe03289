import { describe, expect, it } from 'vitest';
import { Failure, type FailureKind } from '../../../../electron/contract/index.ts';
import { holdConversations, type EvalRun } from '../../../../electron/evaluation/run/eval-run.ts';
import { verdictOn } from '../../../../electron/evaluation/run/run-suite.ts';

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
            : [{ text: `to ${messages[0]!.content}`, newTokens: 3 }],
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
    const failure = await holdConversations(work, entries, new Map()).catch((error: unknown) => error);
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
