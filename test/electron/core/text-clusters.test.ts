import { describe, expect, it } from 'vitest';
import { bleu, repetitionClusters, uniformIndex, wordsOf } from '../../../electron/core/index.ts';
import { CASES_RECORDED, difference, ownAnswer, recordedAnswers, textCase } from './support/text-cases.ts';

const ofText = (hypothesis: string, reference: string): number =>
  bleu(wordsOf(hypothesis), wordsOf(reference));

describe('sentence BLEU', () => {
  it('is 0.4118 for the example of NLTK’s documentation', () => {
    const score = ofText(
      'It is a guide to action which ensures that the military always obeys the commands of the party',
      'It is a guide to action that ensures that the military will forever heed Party commands',
    );
    expect(score).toBeCloseTo(0.4118, 4);
  });

  it('is the brevity penalty alone where all n-grams match: NLTK’s example of 12 words for 28', () => {
    const words = (count: number): string[] => Array.from({ length: count }, () => 'a');
    expect(bleu(words(12), words(28))).toBeCloseTo(0.2635971381157267, 15);
    expect(bleu(words(12), words(11))).toBeLessThan(1);
  });

  it('counts a word as often as both texts have it, and a length without a match as 0.1', () => {
    // Papineni’s example: two of seven are matched, and 0.1 of six, five and four.
    const expected = Math.exp(
      [2 / 7, 0.1 / 6, 0.1 / 5, 0.1 / 4].reduce((sum, share) => sum + Math.log(share) / 4, 0),
    );
    expect(ofText('the the the the the the the', 'the cat is on the mat')).toBeCloseTo(expected, 15);
  });

  it('of a text to itself is 1 from four words on, and 0.1^(1/4) with three', () => {
    expect(ofText('a b c d', 'a b c d')).toBe(1);
    expect(ofText('a b c', 'a b c')).toBeCloseTo(0.1 ** 0.25, 15);
  });

  it('is 0 for an empty text and where no word is shared, and not symmetric', () => {
    expect(ofText('', '')).toBe(0);
    expect(ofText('', 'a b')).toBe(0);
    expect(ofText('a b', '')).toBe(0);
    expect(ofText('a b c d', 'e f g h')).toBe(0);
    expect(ofText('a b c d', 'a b c d e')).not.toBe(ofText('a b c d e', 'a b c d'));
  });

  it('has words that are split as Python splits them', () => {
    expect(wordsOf(' a\u00a0b\u3000c\u001cd\u0085e\n')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(wordsOf('a\ufeffb a\u200bb')).toEqual(['a\ufeffb', 'a\u200bb']);
    expect(wordsOf('   ')).toEqual([]);
  });
});

describe('groups of texts that repeat each other', () => {
  it('join what is closer than the cut, and count groups as they first appear', async () => {
    const texts = ['x y z u v', 'a b c d e', 'x y z u v', '', 'a b c d f', ''];
    expect(await repetitionClusters(texts, { cut: 0.5 })).toEqual({
      cluster: [0, 1, 0, 2, 1, 3],
      sizes: [2, 2, 1, 1],
    });
  });

  it('leave a distance of exactly the cut apart', async () => {
    const texts = ['a b c d e', 'a b c d f'];
    const cut = 1 - ofText(texts[0]!, texts[1]!);
    expect((await repetitionClusters(texts, { cut })).sizes).toEqual([1, 1]);
    expect((await repetitionClusters(texts, { cut: cut + 1e-9 })).sizes).toEqual([2]);
  });

  it('are joined by the mean distance of their members, however many these are', async () => {
    const CUT = 0.6;
    /** By the definition, and null where two pairs of groups are equally near or one lies at the cut. */
    const byDefinition = (texts: readonly string[]): number[][] | null => {
      const between = (i: number, j: number): number =>
        1 - ofText(texts[Math.min(i, j)]!, texts[Math.max(i, j)]!);
      let groups = texts.map((_, at) => [at]);
      for (;;) {
        const pairs = groups.flatMap((a, at) =>
          groups.slice(at + 1).map((b) => {
            const all = a.flatMap((i) => b.map((j) => between(i, j)));
            return { a, b, mean: all.reduce((sum, one) => sum + one, 0) / all.length };
          }),
        );
        pairs.sort((x, y) => x.mean - y.mean);
        const [first, second] = pairs;
        if (first !== undefined && Math.abs(first.mean - CUT) < 1e-6) return null;
        if (first === undefined || first.mean > CUT) return groups;
        if (second !== undefined && second.mean - first.mean < 1e-9) return null;
        groups = [...groups.filter((one) => one !== first.a && one !== first.b), [...first.a, ...first.b]];
      }
    };
    let [compared, large] = [0, 0];
    for (let set = 0; set < 60; set += 1) {
      const texts = Array.from({ length: 9 }, (_, text) =>
        Array.from({ length: 12 + uniformIndex(6, 4, set, text) }, (__, word) =>
          uniformIndex(4, 4, set, text, word) === 0 ? `x${uniformIndex(9, 5, set, text, word)}` : `w${word}`,
        ).join(' '),
      );
      const expected = byDefinition(texts);
      if (expected === null) continue;
      const { cluster } = await repetitionClusters(texts, { cut: CUT });
      const found = [...Map.groupBy(texts.keys(), (at) => cluster[at]).values()];
      const named = (groups: readonly number[][]): string[] =>
        groups.map((one) => one.toSorted().join()).sort();
      expect(named(found), `set ${set}`).toEqual(named(expected));
      compared += 1;
      large += expected.filter(({ length }) => length > 2).length;
    }
    expect([compared > 20, large > 20]).toEqual([true, true]);
  });

  it('of no text and of one', async () => {
    expect(await repetitionClusters([], { cut: 0.5 })).toEqual({ cluster: [], sizes: [] });
    expect(await repetitionClusters(['a'], { cut: 0.5 })).toEqual({ cluster: [0], sizes: [1] });
    await expect(repetitionClusters(['a'], { cut: Number.NaN })).rejects.toThrow('a cut is 0 or more');
  });

  it(`agree with NLTK and scikit-learn in ${CASES_RECORDED} recorded cases`, async () => {
    const recorded = recordedAnswers();
    expect(recorded).toHaveLength(CASES_RECORDED);
    const groupings = new Set<number>();
    for (const [number, answer] of recorded.entries()) {
      groupings.add(new Set(answer.labels).size);
      expect(difference(await ownAnswer(textCase(number)), answer), `case ${number}`).toBeNull();
    }
    expect(groupings.size).toBeGreaterThan(4); // the cases differ in what there is to find
  });

  it('let others have a turn, tell how far they are, and stop when they are told to', async () => {
    const texts = Array.from({ length: 250 }, (_, at) =>
      Array.from({ length: 80 }, (__, word) => `w${(at * word) % 97}`).join(' '),
    );
    const told: number[] = [];
    let turns = 0;
    const others = setInterval(() => (turns += 1), 1);
    const whole = await repetitionClusters(texts, {
      cut: 0.5,
      onProgress: (done, total) => told.push(done / total),
    }).finally(() => clearInterval(others));
    expect(whole.sizes.reduce((sum, size) => sum + size, 0)).toBe(250);
    expect(turns).toBeGreaterThan(0);
    expect(told.at(-1)).toBe(1);
    expect(told).toEqual(told.toSorted((a, b) => a - b));

    const stop = new AbortController();
    const begun = repetitionClusters(texts, { cut: 0.5, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(begun).rejects.toThrow('enough');
  });
});
