import { describe, expect, it } from 'vitest';
import { bleu, wordsOf } from '../../../electron/core/bleu.ts';
import { distinctGrams, entropyOf, pairwiseBleu } from '../../../electron/core/index.ts';

describe('diversity of texts', () => {
  it('counts the runs of words that differ, whatever their case and marks, over all texts together', () => {
    const texts = ['What is two plus two?', 'What is TWO, plus three?'];
    expect(distinctGrams(texts, 1)).toBe(5 / 10);
    expect(distinctGrams(texts, 2)).toBe(5 / 8);
    expect(distinctGrams(['one'], 2)).toBeNull();
    expect(distinctGrams([], 1)).toBeNull();
  });

  it('is the mean BLEU of all pairs, each earlier text against the later one', () => {
    const texts = ['a b c d e f', 'a b c d x y', 'p q r s t u', 'a b c d e f'];
    const words = texts.map(wordsOf);
    const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other) => bleu(one, other)));
    expect(pairwiseBleu(texts)).toBeCloseTo(pairs.reduce((sum, each) => sum + each, 0) / pairs.length, 12);
    expect(pairwiseBleu(['a b c d', 'a b c d'])).toBe(1);
    expect(pairwiseBleu(['alone'])).toBeNull();
  });

  it('compares a hundred of many texts, so that ten times as many cost the same', () => {
    const texts = Array.from(
      { length: 20_000 },
      (_, at) => `question ${at} about ${at % 7} apples and pears`,
    );
    const began = performance.now();
    const likeness = pairwiseBleu(texts);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(likeness).toBe(pairwiseBleu(Array.from({ length: 100 }, (_, at) => texts[at * 200] as string)));
  });

  it('has the entropy of answers in bits', () => {
    expect(entropyOf(['1', '2', '3', '4'])).toBe(2);
    expect(entropyOf(['1', '1'])).toBeCloseTo(0, 12);
    expect(entropyOf([])).toBe(0);
  });
});
