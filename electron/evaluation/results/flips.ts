import { Failure, type EvaluationRecord } from '../../contract/index.ts';
import {
  mcnemarTest,
  pairedCounts,
  pairedDifferenceInterval,
  type Interval,
  type PairedCounts,
} from '../../core/index.ts';
import type { EvaluationReads } from './reads.ts';

/** An item that one evaluation passed and the other did not. */
export type FlippedItem = {
  itemId: string;
  gained: boolean;
  before: { text: string; reason: string | null };
  after: { text: string; reason: string | null };
};

export type Flips = {
  suite: string;
  n: number;
  counts: PairedCounts;
  /** After minus before, as a share, with its 95 % interval for paired items. */
  difference: number;
  interval: Interval;
  /** McNemar's exact two-sided p that gains and losses are equally likely. */
  p: number;
  /** Losses first, then gains. */
  items: FlippedItem[];
};

/** What two evaluations of the same items disagree on. @throws Failure (exit code 2) when they did not answer the same items. */
export function flipsBetween(store: EvaluationReads, beforeId: string, afterId: string): Flips {
  const [before, after] = [requireEvaluation(store, beforeId), requireEvaluation(store, afterId)];
  if (before.suite !== after.suite || before.suiteSha256 !== after.suiteSha256) {
    throw new Failure(
      'otherItems',
      `"${before.suite}" and "${after.suite}" did not ask the same items, so answers cannot be compared one by one.`,
      2,
    );
  }
  const answered = new Map(before.items.map((item) => [item.itemId, item]));
  const pairs = after.items.flatMap((item) => {
    const earlier = answered.get(item.itemId);
    return earlier === undefined ? [] : [{ before: earlier, after: item }];
  });
  const counts = pairedCounts(
    pairs.map((pair) => pair.before.passed),
    pairs.map((pair) => pair.after.passed),
  );
  const { difference, ...interval } = pairedDifferenceInterval(counts);
  const items = pairs
    .filter((pair) => pair.before.passed !== pair.after.passed)
    .map((pair): FlippedItem => ({
      itemId: pair.after.itemId,
      gained: pair.after.passed,
      before: { text: pair.before.text, reason: pair.before.reason },
      after: { text: pair.after.text, reason: pair.after.reason },
    }));
  return {
    suite: after.suite,
    n: pairs.length,
    counts,
    difference,
    interval,
    p: mcnemarTest(counts.onlyFirst, counts.onlySecond).exact,
    items: items.sort(
      (a, b) =>
        Number(a.gained) - Number(b.gained) || a.itemId.localeCompare(b.itemId, 'en', { numeric: true }),
    ),
  };
}

function requireEvaluation(store: EvaluationReads, id: string): EvaluationRecord {
  const record = store.getEvaluation(id);
  if (record === null)
    throw new Failure(
      'unknownEvaluation',
      `There is no evaluation "${id}" in this lab any more; choose another pair.`,
      2,
    );
  return record;
}
