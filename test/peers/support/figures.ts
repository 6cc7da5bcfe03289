import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('There is no median of nothing.');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** `1.234 [1.100 – 1.400]`: the median and the extremes. */
export function spread(values: readonly number[], digits = 2): string {
  return `${median(values).toFixed(digits)} [${Math.min(...values).toFixed(digits)} – ${Math.max(...values).toFixed(digits)}]`;
}

/** What a figure depends on beside the program. */
export function machine(): { cpu: string; threads: number; load: number; node: string } {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    threads: cpus().length,
    load: loadavg()[0] ?? 0,
    node: process.version,
  };
}

/** Numbers given as --name N, with their defaults, texts given as --name TEXT, and the file of --json. Wrong arguments end the program. */
export function commandLine<Name extends string, Text extends string = never>(
  defaults: Record<Name, number>,
  texts: readonly Text[] = [],
): { numbers: Record<Name, number>; texts: Partial<Record<Text, string>>; json: string | null } {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(
    [...names, ...texts, 'json'].map((name) => [name, { type: 'string' as const }]),
  );
  const values: Partial<Record<string, string | boolean>> = parseArgs({ options }).values;
  const textOf = (name: string): string | null => {
    const given = values[name];
    return typeof given === 'string' ? given : null;
  };
  const numbers = { ...defaults };
  for (const name of names) {
    const given = textOf(name);
    if (given === null) continue;
    const number = Number(given);
    if (!Number.isSafeInteger(number) || number < 1)
      throw new Error(`--${name} takes a whole number from 1, not "${given}".`);
    numbers[name] = number;
  }
  const givenTexts = texts.flatMap((name) => {
    const given = textOf(name);
    return given === null ? [] : [[name, given] as const];
  });
  return {
    numbers,
    texts: Object.fromEntries(givenTexts) as Partial<Record<Text, string>>,
    json: textOf('json'),
  };
}

/** Writes figures for other programs, when a file was asked for. */
export function writeJson(file: string | null, figures: object): void {
  if (file !== null) writeFileSync(file, `${JSON.stringify({ machine: machine(), ...figures }, null, 2)}\n`);
}
