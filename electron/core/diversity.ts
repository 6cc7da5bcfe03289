import { distancesOf, shareGrams, wordsOf } from './bleu.ts';
import { lowerCaseWords } from './ngram-index.ts';
import { toEnd } from './rests.ts';

/**
 * Lexical diversity: of all runs of `n` words in these texts, the share that differ from each other (distinct-n, Li et al. 2016), in (0, 1];
 * null where no text has so many words. It falls as texts become more, so that only equal numbers of them compare. Linear in the words.
 */
export function distinctGrams(texts: readonly string[], n: number): number | null {
  const seen = new Set<string>();
  let all = 0;
  for (const text of texts) {
    const words = lowerCaseWords(text);
    for (let at = 0; at + n <= words.length; at += 1) seen.add(words.slice(at, at + n).join(' '));
    all += Math.max(0, words.length - n + 1);
  }
  return all === 0 ? null : seen.size / all;
}

/** Texts that are compared pair by pair at most: 4,950 pairs. */
const MOST_COMPARED = 100;

/**
 * Structural diversity, reversed: the mean BLEU of pairs of these texts, from 0 to 1 where all are the same; null for fewer than two. Of
 * more than a hundred texts, a hundred at even distances are compared, so that the cost is bounded.
 */
export function pairwiseBleu(texts: readonly string[]): number | null {
  const every = Math.max(1, texts.length / MOST_COMPARED);
  const compared = Array.from(
    { length: Math.min(texts.length, MOST_COMPARED) },
    (_, place) => texts[Math.floor(place * every)] as string,
  );
  if (compared.length < 2) return null;
  const work = toEnd(distancesOf(toEnd(shareGrams(compared.map(wordsOf)))));
  return work.reduce((sum, distance) => sum + 1 - distance, 0) / work.length;
}

/** In bits, of how often each value occurs; 0 where all are the same or there are none. */
export function entropyOf(values: readonly string[]): number {
  const counts = [...Map.groupBy(values, (value) => value).values()].map((same) => same.length);
  return counts.reduce((sum, count) => sum - (count / values.length) * Math.log2(count / values.length), 0);
}
