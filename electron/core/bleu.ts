import { toEnd } from './rests.ts';

/** Longest n-gram of BLEU; all four lengths weigh the same. */
const LONGEST = 4;
/** What an n-gram length without a match counts as (smoothing method 1 of Chen and Cherry 2014, with NLTK's constant). */
const UNMATCHED = 0.1;
/** Steps of an inner loop between two places where the work may rest: well under a millisecond. */
export const STEPS_PER_REST = 50_000;

/** What Python's `str.split()` splits at; `\s` also takes the byte order mark and leaves out four separators. */
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

/** The words of a text, which are what stands between white space. */
export const wordsOf = (text: string): string[] => text.split(BLANK).filter((word) => word !== '');

/**
 * Sentence BLEU of a hypothesis against one reference (Papineni et al. 2002), from 0 to 1: n-grams up to 4 words with equal weights, the
 * brevity penalty, and 0.1 in place of a count of 0 for n ≥ 2. It is 0 where no word is shared, and not symmetric. A text of fewer than
 * four words is not at 1 from itself: its longest n-grams match nothing.
 */
export function bleu(hypothesis: readonly string[], reference: readonly string[]): number {
  const { texts, count } = toEnd(shareGrams([hypothesis, reference]));
  const [own, other] = texts as [SharedGrams, SharedGrams];
  return scoreOf(matchesOf(countsIn(own, new Int32Array(count)), other), own.words, other.words);
}

/** The n-grams of a text that another text has as well, by number and how often; those of n words end before `ends[n - 1]`. */
type SharedGrams = { words: number; ids: Int32Array; counts: Int32Array; ends: number[] };
export type GramTable = { texts: SharedGrams[]; count: number };

/**
 * Numbers the n-grams that stand in more than one text. Others match nothing, and are most of what differing texts consist of. Yields
 * wherever it may rest.
 */
export function* shareGrams(texts: readonly (readonly string[])[]): Generator<number, GramTable> {
  const { tokens, vocabulary } = yield* numberWords(texts);
  const found = tokens.map(({ length }) => ({
    words: length,
    ids: [] as number[],
    counts: [] as number[],
    ends: [] as number[],
  }));
  let count = 0;
  // The number of the n-gram that begins at each place, which is the word itself for n = 1.
  let grams: Int32Array[] = tokens;
  for (let n = 1; n <= LONGEST; n += 1) {
    if (n > 1) grams = yield* lengthen(grams, tokens, n, vocabulary);
    const runs: { ids: number[]; counts: number[] }[] = [];
    const holders = new Map<number, number>();
    for (const own of grams) {
      const run = runLengths(own);
      for (const id of run.ids) holders.set(id, (holders.get(id) ?? 0) + 1);
      runs.push(run);
      yield 0;
    }
    const numbers = new Map<number, number>();
    for (const [at, { ids, counts }] of runs.entries()) {
      const into = found[at] as (typeof found)[number];
      for (const [place, id] of ids.entries()) {
        if ((holders.get(id) as number) < 2) continue;
        if (!numbers.has(id)) numbers.set(id, count++);
        into.ids.push(numbers.get(id) as number);
        into.counts.push(counts[place] as number);
      }
      into.ends.push(into.ids.length);
      yield 0;
    }
  }
  return {
    texts: found.map((one) => ({
      ...one,
      ids: Int32Array.from(one.ids),
      counts: Int32Array.from(one.counts),
    })),
    count,
  };
}

function* numberWords(
  texts: readonly (readonly string[])[],
): Generator<number, { tokens: Int32Array[]; vocabulary: number }> {
  const known = new Map<string, number>();
  const tokens: Int32Array[] = [];
  for (const words of texts) {
    tokens.push(
      Int32Array.from(words, (word) => {
        const id = known.get(word) ?? known.size;
        known.set(word, id);
        return id;
      }),
    );
    yield 0;
  }
  return { tokens, vocabulary: known.size };
}

/** Numbers of n-grams from those of one word less. A pair of numbers becomes one below 2^53: of both there are fewer than 2^24. */
function* lengthen(
  shorter: readonly Int32Array[],
  tokens: readonly Int32Array[],
  n: number,
  vocabulary: number,
): Generator<number, Int32Array[]> {
  const known = new Map<number, number>();
  const longer: Int32Array[] = [];
  for (const [at, words] of tokens.entries()) {
    const own = new Int32Array(Math.max(0, words.length - n + 1));
    const before = shorter[at] as Int32Array;
    for (let place = 0; place < own.length; place += 1) {
      const key = (before[place] as number) * vocabulary + (words[place + n - 1] as number);
      const id = known.get(key) ?? known.size;
      known.set(key, id);
      own[place] = id;
    }
    longer.push(own);
    yield 0;
  }
  return longer;
}

/** Different values of a list, rising, and how often each is there. */
function runLengths(values: Int32Array): { ids: number[]; counts: number[] } {
  const sorted = values.toSorted();
  const [ids, counts]: [number[], number[]] = [[], []];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to] === sorted[from]) to += 1;
    ids.push(sorted[from] as number);
    counts.push(to - from);
  }
  return { ids, counts };
}

/** Enters how often a text has each n-gram, or takes that out again. */
function countsIn({ ids, counts }: SharedGrams, table: Int32Array, entered = true): Int32Array {
  for (let place = 0; place < ids.length; place += 1)
    table[ids[place] as number] = entered ? (counts[place] as number) : 0;
  return table;
}

/** How many n-grams of each length two texts have in common, each counted as often as both have it. */
function matchesOf(table: Int32Array, { ids, counts, ends }: SharedGrams): number[] {
  const matches = [0, 0, 0, 0];
  let place = 0;
  for (let n = 0; n < LONGEST; n += 1) {
    let sum = 0;
    for (const end = ends[n] as number; place < end; place += 1) {
      const own = table[ids[place] as number] as number;
      const other = counts[place] as number;
      sum += own < other ? own : other;
    }
    matches[n] = sum;
  }
  return matches;
}

/** BLEU from the matches of each length and the number of words of hypothesis and reference. */
function scoreOf(matches: readonly number[], hypothesis: number, reference: number): number {
  if (matches[0] === 0) return 0;
  let logarithm = 0;
  for (let n = 1; n <= LONGEST; n += 1) {
    const matched = matches[n - 1] as number;
    logarithm += Math.log((matched === 0 ? UNMATCHED : matched) / Math.max(1, hypothesis - n + 1)) / LONGEST;
  }
  const brevity = hypothesis > reference ? 1 : Math.exp(1 - reference / hypothesis);
  return brevity * Math.exp(logarithm);
}

/** Place of the pair i < j in a list of all pairs, row by row. */
export const placeOf = (i: number, j: number, count: number): number =>
  (i * (2 * count - i - 1)) / 2 + j - i - 1;

/** 1 − BLEU of each text against each later one. Yields now and then how many are done. */
export function* distancesOf({ texts, count }: GramTable): Generator<number, Float64Array> {
  const distances = new Float64Array((texts.length * (texts.length - 1)) / 2);
  const table = new Int32Array(count);
  let steps = 0;
  for (const [i, own] of texts.entries()) {
    countsIn(own, table);
    for (let j = i + 1; j < texts.length; j += 1) {
      const other = texts[j] as SharedGrams;
      distances[placeOf(i, j, texts.length)] = 1 - scoreOf(matchesOf(table, other), own.words, other.words);
      steps += LONGEST + other.ids.length;
      if (steps < STEPS_PER_REST) continue;
      steps = 0;
      yield i;
    }
    countsIn(own, table, false);
  }
  return distances;
}
