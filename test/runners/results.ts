/** What became of each test, by a name that is the same in every run. */
export type Outcome = 'passed' | 'failed' | 'skipped';
export type Results = ReadonlyMap<string, Outcome>;

export type Tally = {
  passed: number;
  failed: number;
  skipped: string[];
  /** Failed among all the others and passed alone; they count as passed and are named. */
  unsteady: string[];
};

/** More failures than these are the program's, however busy the machine is. */
const MOST_AGAIN = 3;

/**
 * Tests here start real processes with time limits, on machines that do other work too. A few that failed get one more run, alone.
 * @param again runs the failed tests (or more) once more; null where that could prove nothing.
 */
export async function tallied(
  first: Results,
  again: ((failed: readonly string[]) => Promise<Results>) | null,
): Promise<Tally> {
  const failed = named(first, 'failed');
  const second =
    again !== null && failed.length > 0 && failed.length <= MOST_AGAIN
      ? await again(failed)
      : new Map<string, Outcome>();
  const last = new Map(
    [...first].map(([name, outcome]) => [
      name,
      outcome === 'failed' ? (second.get(name) ?? outcome) : outcome,
    ]),
  );
  return {
    passed: named(last, 'passed').length,
    failed: named(last, 'failed').length,
    skipped: named(last, 'skipped'),
    unsteady: failed.filter((name) => last.get(name) === 'passed'),
  };
}

const named = (results: Results, wanted: Outcome): string[] =>
  [...results].flatMap(([name, outcome]) => (outcome === wanted ? [name] : []));
