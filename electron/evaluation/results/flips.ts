import { Failure, type EvaluationItem, type EvaluationRecord } from '../../contract/index.ts';
import {
  answerName,
  comparePaired,
  type Interval,
  type ItemOutcome,
  type PairedCounts,
} from '../../core/index.ts';
import { answerOutcome, suiteOf } from './compare.ts';
import type { EvaluationReads } from './reads.ts';

/** An answer that one evaluation passed and the other did not, by its name. */
export type FlippedItem = {
  itemId: string;
  gained: boolean;
  /** What was asked, without the context before it; null where an earlier program stored no questions. */
  question: string | null;
  before: { text: string; reason: string | null };
  after: { text: string; reason: string | null };
};

export type Flips = {
  suite: string;
  /** Its texts are hidden until a person asks to see them. */
  hazardous: boolean;
  /** Answers that both gave. */
  n: number;
  counts: PairedCounts;
  /** After minus before, as a share, with its 95 % interval for paired items. */
  difference: number;
  interval: Interval;
  /** The smallest difference found with power 80 % at 5 %; null where none can be. */
  detectable: number | null;
  /** Exact two-sided p that gains and losses are equally likely, with items as units. */
  p: number;
  /** Losses first, then gains. */
  items: FlippedItem[];
};

/** What two evaluations of the same items disagree on, people's overrides in the verdicts' place. @throws Failure (exit code 2) when they did not answer the same items. */
export function flipsBetween(store: EvaluationReads, beforeId: string, afterId: string): Flips {
  const [before, after] = [requireEvaluation(store, beforeId), requireEvaluation(store, afterId)];
  if (before.suite !== after.suite || before.suiteSha256 !== after.suiteSha256) {
    throw new Failure(
      'otherItems',
      `"${before.suite}" and "${after.suite}" did not ask the same items, so answers cannot be compared one by one.`,
      2,
    );
  }
  const [first, second] = [answersOf(before.items), answersOf(after.items)];
  const [earlierRows, laterRows] = [beforeId, afterId].map((id) => store.listGrades(id).map(answerOutcome));
  const { common, counts, change, p, flipped } = comparePaired(earlierRows ?? [], laterRows ?? []);
  const { difference, detectable, ...interval } = change;
  const named = (answers: readonly Answer[]): Map<string, Answer> =>
    new Map(answers.map((answer) => [answerName(answer), answer]));
  const [earlier, later] = [named(first), named(second)];
  const shown = (answer: Answer | undefined): FlippedItem['before'] => ({
    text: answer?.text ?? '',
    reason: answer?.reason ?? null,
  });
  const items = flipped.map(({ itemId, change: to }): FlippedItem => ({
    itemId,
    gained: to === 'gained',
    question: questionOf(store, afterId, later.get(itemId)),
    before: shown(earlier.get(itemId)),
    after: shown(later.get(itemId)),
  }));
  return {
    suite: after.suite,
    hazardous: suiteOf(after.suite)?.hazardous ?? true,
    n: common,
    counts,
    difference,
    interval,
    detectable,
    p: p.exact,
    items: items.sort(
      (a, b) =>
        Number(a.gained) - Number(b.gained) || a.itemId.localeCompare(b.itemId, 'en', { numeric: true }),
    ),
  };
}

type Answer = EvaluationItem & Pick<ItemOutcome, 'sample'>;

/** Samples of an item are stored one after the other; which one an answer is shows by how many came before it. */
function answersOf(items: readonly EvaluationItem[]): Answer[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const sample = seen.get(item.itemId) ?? 0;
    seen.set(item.itemId, sample + 1);
    return { ...item, sample };
  });
}

function questionOf(store: EvaluationReads, id: string, answer: Answer | undefined): string | null {
  const asked =
    answer === undefined
      ? []
      : (store.getEvaluationItemNamed(id, answer.itemId, answer.sample ?? 0)?.asked ?? []);
  return asked.findLast(({ role }) => role === 'user')?.content ?? null;
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
