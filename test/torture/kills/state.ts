import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Kill, Round } from './round.ts';

/** One line of the state file. */
export type KillLine = Kill & { kill: number; round: number; seed: number; door: Round['door']; variant: Round['variant']; hash: string; outcome: 'equal' | 'different'; difference: string | null; seconds: number };

/** Kills done so far, in a file of JSON lines that outlives interruptions; the kills of one run are added together or not at all. */
export class StateFile {
  readonly lines: KillLine[];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) appendFileSync(path, '');
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    // A last line without its end was cut off while it was written.
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    this.lines = whole.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as KillLine);
  }

  get nextRound(): number {
    return 1 + Math.max(-1, ...this.lines.map(({ round }) => round));
  }

  add({ kills, round, door, variant, hash, difference, seconds }: Round, seed: number): void {
    const added = kills.map((kill, index): KillLine => ({
      kill: this.lines.length + index + 1, round, seed, door, variant, ...kill, hash, outcome: difference === null ? 'equal' : 'different', difference, seconds: seconds / kills.length,
    }));
    if (added.length === 0) return;
    const file = openSync(this.#path, 'a');
    try {
      writeSync(file, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.lines.push(...added);
  }
}

export type KillSummary = {
  kills: number; different: number; rounds: number; byTarget: Record<string, number>; byPhase: Record<string, number>; byClock: Record<string, number>;
  byTargetAndPhase: Record<string, number>; secondsPerKill: number; differences: string[];
};

export function summarize(lines: readonly KillLine[]): KillSummary {
  const count = (key: (line: KillLine) => string): Record<string, number> => Object.fromEntries(
    [...Map.groupBy(lines, key)].map(([name, group]) => [name, group.length] as const).sort(([a], [b]) => a.localeCompare(b)),
  );
  return {
    kills: lines.length, different: lines.filter(({ outcome }) => outcome === 'different').length, rounds: new Set(lines.map(({ round }) => round)).size,
    byTarget: count(({ target }) => target), byPhase: count(({ phase }) => phase), byClock: count(({ moment }) => moment.clock),
    byTargetAndPhase: count(({ target, phase }) => `${target}: ${phase}`),
    secondsPerKill: lines.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, lines.length),
    differences: [...new Set(lines.flatMap(({ difference, round, seed }) => (difference === null ? [] : [`round ${round} of seed ${seed}: ${difference}`])))],
  };
}
