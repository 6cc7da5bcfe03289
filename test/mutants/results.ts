import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './edit.ts';
import type { Mutant } from './mutant.ts';
import type { Trial } from './workshop.ts';

/** What came of a mutant, as it is kept on a line of its own. */
type Kept = Trial & { name: string; of: string; seconds: number };

const texts = new Map<string, string>();
const textOf = (file: string): string => {
  const known = texts.get(file) ?? readFileSync(join(CHECKOUT, file), 'utf8');
  texts.set(file, known);
  return known;
};

/** Names a mutant with its file and tests as they are: what came of it counts for as long as this stays the same. */
export function fingerprintOf({ file, line, instead, tests }: Mutant): string {
  const hash = createHash('sha256').update(JSON.stringify([file, line, instead, tests]));
  for (const one of [file, ...tests]) hash.update('\0').update(textOf(one));
  return hash.digest('hex').slice(0, 16);
}

/** Results in a file of JSON lines, each written as soon as it is known. */
export class Results {
  readonly #path: string;
  readonly #byFingerprint = new Map<string, Kept>();

  constructor(path: string, fresh: boolean) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (fresh || !existsSync(path)) writeFileSync(path, '');
    const lines = readFileSync(path, 'utf8').split('\n');
    const whole = lines.flatMap((line): Kept[] => {
      try {
        return [JSON.parse(line) as Kept];
      } catch {
        return []; // the end of a run that was killed as it wrote
      }
    });
    for (const kept of whole) this.#byFingerprint.set(kept.of, kept);
    if (lines.at(-1) !== '') appendFileSync(path, '\n');
  }

  of(mutant: Mutant): Kept | null {
    return this.#byFingerprint.get(fingerprintOf(mutant)) ?? null;
  }

  keep(mutant: Mutant, name: string, trial: Trial, seconds: number): void {
    const kept = { name, ...trial, seconds, of: fingerprintOf(mutant) };
    this.#byFingerprint.set(kept.of, kept);
    appendFileSync(this.#path, `${JSON.stringify(kept)}\n`);
  }
}
