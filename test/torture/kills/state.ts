import { JsonLines } from '../../../electron/library/index.ts';
import type { Kill, Round } from './round.ts';

/** One line of the state file. */
export type KillLine = Kill & {
  kill: number;
  round: number;
  seed: number;
  door: Round['door'];
  variant: Round['variant'];
  hash: string;
  outcome: 'equal' | 'different';
  difference: string | null;
  seconds: number;
};

/** Kills done so far. Those of one run are added together or not at all. */
export class KillState {
  readonly #file: JsonLines<KillLine>;

  constructor(path: string) {
    this.#file = new JsonLines(path);
  }

  get lines(): readonly KillLine[] {
    return this.#file.lines;
  }

  get nextRound(): number {
    return 1 + Math.max(-1, ...this.lines.map(({ round }) => round));
  }

  add({ kills, round, door, variant, hash, difference, seconds }: Round, seed: number): void {
    this.#file.add(
      kills.map((kill, index): KillLine => ({
        kill: this.lines.length + index + 1,
        round,
        seed,
        door,
        variant,
        ...kill,
        hash,
        outcome: difference === null ? 'equal' : 'different',
        difference,
        seconds: seconds / kills.length,
      })),
    );
  }
}

export type KillSummary = {
  kills: number;
  different: number;
  rounds: number;
  byTarget: Record<string, number>;
  byPhase: Record<string, number>;
  byClock: Record<string, number>;
  byTargetAndPhase: Record<string, number>;
  secondsPerKill: number;
  differences: string[];
};

export function summarize(lines: readonly KillLine[]): KillSummary {
  const count = (key: (line: KillLine) => string): Record<string, number> =>
    Object.fromEntries(
      [...Map.groupBy(lines, key)]
        .map(([name, group]) => [name, group.length] as const)
        .sort(([a], [b]) => a.localeCompare(b)),
    );
  return {
    kills: lines.length,
    different: lines.filter(({ outcome }) => outcome === 'different').length,
    rounds: new Set(lines.map(({ round }) => round)).size,
    byTarget: count(({ target }) => target),
    byPhase: count(({ phase }) => phase),
    byClock: count(({ moment }) => moment.clock),
    byTargetAndPhase: count(({ target, phase }) => `${target}: ${phase}`),
    secondsPerKill: lines.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, lines.length),
    differences: [
      ...new Set(
        lines.flatMap(({ difference, round, seed }) =>
          difference === null ? [] : [`round ${round} of seed ${seed}: ${difference}`],
        ),
      ),
    ],
  };
}
