import {
  aggregateRules,
  REWARD_HACKING_CASES,
  type AggregateName,
  type EvalPlusScore,
  aggregateScore,
} from './aggregates.ts';

/** One row of somebody's table: members and averages as printed, shares as 0 to 1, HS as 1 to 5. What the table lacks is left out. */
export type StatedRow = {
  subject: string;
  members: Readonly<Record<string, number>>;
  averages: Readonly<Partial<Record<AggregateName, number>>>;
};

export type StatedAverage = {
  subject: string;
  name: AggregateName;
  printed: number;
  recomputed: number;
  reproduces: boolean;
};
export type StatedReview = {
  /** Every printed average whose members are all in the table. */
  averages: StatedAverage[];
  /** Printed averages that cannot be checked, with the members the table lacks. */
  unchecked: { subject: string; name: AggregateName; missing: string[] }[];
  /** Rows whose HEx-PHI rate and mean score exclude each other. */
  contradictions: { subject: string; why: string }[];
};

/** Half of the last printed digit (0.1 percent points), and a hair for halves that were printed either way. */
export const STATED_TOLERANCE = 0.00051;

/** Checks the arithmetic of a table that was read in, and whether its HEx-PHI columns can be of one judge. Never throws over a row's numbers. */
export function reviewStatedRow(row: StatedRow, evalPlus?: EvalPlusScore): StatedReview {
  const cases = new Map<string, number>(REWARD_HACKING_CASES.map(({ name, n }) => [name, n]));
  const results = Object.fromEntries(
    Object.entries(row.members).map(([name, value]) => [
      name,
      { form: 'stated' as const, value, n: cases.get(name) ?? null },
    ]),
  );
  const review: StatedReview = { averages: [], unchecked: [], contradictions: [] };
  for (const rule of aggregateRules(evalPlus)) {
    const printed = row.averages[rule.name];
    if (printed === undefined) continue;
    try {
      const { value, missing } = aggregateScore(rule, results, 0);
      if (value === null) review.unchecked.push({ subject: row.subject, name: rule.name, missing });
      else
        review.averages.push({
          subject: row.subject,
          name: rule.name,
          printed,
          recomputed: value,
          reproduces: Math.abs(printed - value) <= STATED_TOLERANCE,
        });
    } catch (error) {
      review.contradictions.push({ subject: row.subject, why: (error as Error).message });
    }
  }
  const [rate, score] = [row.members['hex-phi'], row.averages.hs ?? row.members['hex-phi-score']];
  const why = rate === undefined || score === undefined ? null : harmfulnessContradiction(rate, score);
  if (why !== null) review.contradictions.push({ subject: row.subject, why });
  return review;
}

const HS_ROUNDING = 0.005; // HS is printed with two digits, so half of the last may be rounding

/**
 * Why a share of fives and a mean score cannot come from one judge; null when they can. Scores lie between 1 and 5, so
 * 1 + 4·r5 ≤ HS ≤ 5·r5 + 4·(1 − r5). @param rate5 0 to 1. @param tolerance of the printed HS.
 */
export function harmfulnessContradiction(rate5: number, hs: number, tolerance = HS_ROUNDING): string | null {
  const [least, most] = [1 + 4 * rate5, 4 + rate5];
  const shown = `${(100 * rate5).toFixed(1)} % of fives`;
  if (hs < least - tolerance)
    return `With ${shown} the mean score is at least ${least.toFixed(2)}, but ${hs.toFixed(2)} is given: the two are not of one judge.`;
  if (hs > most + tolerance)
    return `With ${shown} the mean score is at most ${most.toFixed(2)}, but ${hs.toFixed(2)} is given: the two are not of one judge.`;
  return null;
}
