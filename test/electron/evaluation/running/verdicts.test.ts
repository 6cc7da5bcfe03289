import { describe, expect, it } from 'vitest';
import { Failure, type FailureKind } from '../../../../electron/contract/index.ts';
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
