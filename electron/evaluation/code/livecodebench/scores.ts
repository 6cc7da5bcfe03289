import { meanPassAtK } from '../../../core/index.ts';
import {
  ERRATA,
  erratumOf,
  type Erratum,
  DIFFICULTIES,
  PLATFORMS,
  type Difficulty,
  type LiveCodeBenchProblem,
  type Platform,
} from './problem.ts';

/** The answers to one problem: n were given, c solved it. */
export type ProblemResult = Pick<
  LiveCodeBenchProblem,
  'id' | 'title' | 'platform' | 'difficulty' | 'contestDate'
> & { n: number; c: number };

/** Contest dates, both ends included, as days (2024-08-01); an end is the moment the day begins, as in the original. */
export type DateWindow = { from?: string; to?: string };

export type Split = { problems: number; passAtK: Record<number, number | null> };
export type LiveCodeBenchScores = {
  all: Split;
  /** Without the problems known to be ungradable. */
  withoutErrata: Split & { left: Record<Erratum, number> };
  byDifficulty: Record<Difficulty, Split>;
  byPlatform: Record<Platform, Split>;
};

/** The problems whose contest lies in the window. */
export function inWindow<Row extends { contestDate: string }>(
  rows: readonly Row[],
  { from, to }: DateWindow,
): Row[] {
  return rows.filter(({ contestDate }) => {
    const at = momentOf(contestDate);
    return (from === undefined || at >= momentOf(from)) && (to === undefined || at <= momentOf(to));
  });
}

/** ISO dates without a zone are compared as written. */
function momentOf(date: string): number {
  const at = Date.parse(
    /[zZ]|[+-]\d\d:\d\d$/.test(date) ? date : `${date.includes('T') ? date : `${date}T00:00:00`}Z`,
  );
  if (Number.isNaN(at)) throw new RangeError(`"${date}" is no date; write it as 2024-08-01.`);
  return at;
}

/** Mean pass@k over problems, unbiased, of all and of every split; null where a problem has fewer than k answers or a split is empty. */
export function scoreLiveCodeBench(
  results: readonly ProblemResult[],
  ks: readonly number[] = [1],
  errata: Readonly<Record<string, Erratum>> = ERRATA,
): LiveCodeBenchScores {
  const split = (rows: readonly ProblemResult[]): Split => ({
    problems: rows.length,
    passAtK: Object.fromEntries(ks.map((k) => [k, meanPassAtK(rows, k)])),
  });
  const left: Record<Erratum, number> = { severalAnswers: 0, interactive: 0, badTests: 0 };
  const gradable = results.filter((row) => {
    const erratum = erratumOf(row, errata);
    if (erratum !== null) left[erratum] += 1;
    return erratum === null;
  });
  return {
    all: split(results),
    withoutErrata: { ...split(gradable), left },
    byDifficulty: Object.fromEntries(
      DIFFICULTIES.map((name) => [name, split(results.filter(({ difficulty }) => difficulty === name))]),
    ) as Record<Difficulty, Split>,
    byPlatform: Object.fromEntries(
      PLATFORMS.map((name) => [name, split(results.filter(({ platform }) => platform === name))]),
    ) as Record<Platform, Split>,
  };
}
