import { describe, expect, it } from 'vitest';
import { checkAnswers } from '../../../../electron/evaluation/index.ts';
import type { ComparePair, Comparison } from '../../../../electron/processes/index.ts';

/** A comparison process that says what it is told to, and which pairs it was asked. */
function standIn(outcomeOf: (pair: ComparePair) => Comparison) {
  const asked: string[] = [];
  let started = 0;
  const grader = {
    compare: async (pair: ComparePair): Promise<Comparison> => {
      asked.push(`${pair.answer} | ${pair.gold}`);
      return outcomeOf(pair);
    },
  };
  const start = async (): Promise<typeof grader> => {
    started += 1;
    return grader;
  };
  return { checker: checkAnswers(start), asked, started: () => started };
}

const compared = (equal: boolean): Comparison => ({
  outcome: 'compared',
  equal,
  gold: 'parsed',
  answer: 'parsed',
  problem: null,
  processorMs: 1,
  wallMs: 1,
});

describe('a checker of answers', () => {
  it('decides equal texts and numbers by itself, and starts no process for them', async () => {
    const { checker, started } = standIn(() => compared(false));
    for (const [a, b, equal] of [
      ['x+1', 'x+1', true],
      ['1/2', '0.5', true],
      ['\\frac{1}{2}', '2/4', true],
      ['1,000', '1000', true],
      ['7', '8', false],
      ['', '0', false],
      ['x'.repeat(4_001), 'x', false],
    ] as const)
      expect(await checker.same(a, b), `${a} = ${b}`).toBe(equal);
    expect(started()).toBe(0);
  });

  it('asks the process for the rest: each pair once, and each direction for itself', async () => {
    const { checker, asked } = standIn(({ answer, gold }) => compared(answer === '2x' && gold === 'x+x'));
    const both = await Promise.all([checker.same('2x', 'x+x'), checker.same('2x', 'x+x')]);
    expect([...both, await checker.same('2x', 'x+x'), await checker.same('x+x', '2x')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(asked).toEqual(['2x | x+x', 'x+x | 2x']);
  });

  it('takes a pair that hangs or kills for different, and counts it once', async () => {
    const { checker, asked } = standIn(({ answer }) =>
      answer === 'hangs'
        ? { outcome: 'timeout', limit: 'processor', wallMs: 1, reason: 'no answer' }
        : { outcome: 'lost', wallMs: 1, reason: 'died' },
    );
    for (const answer of ['hangs', 'kills', 'hangs']) expect(await checker.same(answer, 'y')).toBe(false);
    expect(checker.setAside).toEqual({ timeouts: 1, lost: 1 });
    expect(asked).toHaveLength(2);
  });

  it('keeps no verdict of a process that could not be started', async () => {
    let starts = 0;
    const checker = checkAnswers(async () => {
      starts += 1;
      if (starts === 1) throw new Error('no Python');
      return { compare: async () => compared(true) };
    });
    await expect(checker.same('a', 'b')).rejects.toThrow('no Python');
    expect(await checker.same('a', 'b')).toBe(true);
  });

  it('remembers the pairs that were asked last', async () => {
    const { checker, asked } = standIn(() => compared(false));
    await checker.same('first', 'y');
    for (let n = 0; n < 20_000; n += 1) await checker.same(`x_${n}`, 'y');
    await checker.same('x_19999', 'y');
    expect(asked).toHaveLength(20_001);
    await checker.same('first', 'y');
    expect(asked).toHaveLength(20_002);
  });
});
