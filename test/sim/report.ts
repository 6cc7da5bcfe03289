/** How much happened. */
export type Counts = {
  /** Simulated events; either timers and heartbeats, or what children, the disk and people do. */
  steps: number;
  timers: number;
  events: number;
  /** Steps of runs that were stored. */
  commits: number;
  /** Runs that were begun or gone on with. */
  takenUp: number;
  /** How often the engine was killed. */
  deaths: number;
  faults: number;
  answers: number;
  refusals: number;
};

/** What came of the seeds of one process, or of several. */
export type Report = {
  seeds: { seed: number; traceHash: string }[];
  counts: Counts;
  processorSeconds: number;
  violations: string[];
  /** How often each point was reached. */
  points: Record<string, number>;
  /** How often each kind of fault struck. */
  struck: Record<string, number>;
  /** How often each verb was answered or refused, and how often answered. */
  asked: Record<string, number>;
  answered: Record<string, number>;
};

/** From so many steps on, all of it has to have been met. */
const LONG_RUN_STEPS = 100_000;

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Name by name. */
export const added = <T extends Record<string, number>>(parts: readonly T[]): T =>
  Object.fromEntries(
    [...new Set(parts.flatMap((part) => Object.keys(part)))].map((name) => [
      name,
      sum(parts.map((part) => part[name] ?? 0)),
    ]),
  ) as T;

export const merged = (parts: readonly Report[]): Report => ({
  seeds: parts.flatMap(({ seeds }) => seeds).toSorted((a, b) => a.seed - b.seed),
  counts: added(parts.map(({ counts }) => counts)),
  processorSeconds: sum(parts.map((part) => part.processorSeconds)),
  violations: parts.flatMap(({ violations }) => violations),
  points: added(parts.map(({ points }) => points)),
  struck: added(parts.map(({ struck }) => struck)),
  asked: added(parts.map(({ asked }) => asked)),
  answered: added(parts.map(({ answered }) => answered)),
});

/** What a long run has to have met sometimes, and how it is said where it has not. */
const MET = [
  ['points', 'Never reached'],
  ['struck', 'Never struck'],
  ['asked', 'Never asked'],
  ['answered', 'Never answered'],
] as const;

const missedOf = (counted: Record<string, number>): string[] =>
  Object.keys(counted).filter((name) => counted[name] === 0);

function share(counted: Record<string, number>): string {
  const all = Object.keys(counted).length;
  return `${all - missedOf(counted).length} of ${all}`;
}

/** Says what counts, and gives the whole as JSON. @returns whether all is well. */
export function conclude(report: Report): boolean {
  const { counts, violations, points, struck, asked, answered, processorSeconds, seeds } = report;
  say(
    `${seeds.length} seeds, ${counts.steps} steps, ${Math.round(counts.steps / processorSeconds)} a processor second: ${counts.timers} timers and heartbeats, ${counts.events} events of children, disk and people; ${counts.commits} steps of runs stored, ${counts.takenUp} runs taken up, ${counts.deaths} deaths of the engine, ${counts.faults} faults of ${share(struck)} kinds; ${share(asked)} verbs asked for and ${share(answered)} answered, with ${counts.answers} answers and ${counts.refusals} refusals; ${share(points)} points reached; ${violations.length} violations.`,
  );
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (counts.steps < LONG_RUN_STEPS) return violations.length === 0;
  const missed = MET.flatMap(([what, how]) => missedOf(report[what]).map((name) => `${how}: ${name}.`));
  missed.forEach(say);
  return violations.length === 0 && missed.length === 0;
}
