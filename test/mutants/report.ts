import { nameOf, type Mutant } from './mutant.ts';
import type { Trial } from './workshop.ts';

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `stale`: its text does not stand in its file exactly once. */
export type Ended = { mutant: Mutant; outcome: Trial['outcome'] | 'stale'; by: string | null };

/** Of 100 mutants so many have to be noticed. */
const ENOUGH = 0.95;
const OUTCOMES = ['killed', 'timed out', 'survived', 'stale'] as const;

export const isNoticed = ({ outcome }: Pick<Ended, 'outcome'>): boolean =>
  outcome === 'killed' || outcome === 'timed out';

/** Says what came of all mutants, subject by subject. @returns whether it is as it should be. */
export function conclude(ended: readonly Ended[]): boolean {
  const rows = [...Map.groupBy(ended, ({ mutant }) => mutant.subject)].map(([subject, own]) =>
    rowOf(subject, own),
  );
  const table = [['subject', 'mutants', ...OUTCOMES], ...rows, rowOf('all', ended)];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  say('');
  for (const row of table)
    say(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]! + 2)))
        .join(''),
    );
  say('');
  const list = (what: string, some: readonly Ended[], told: (one: Ended) => string): void => {
    if (some.length > 0)
      say([what, ...some.map((one) => `  ${nameOf(one.mutant)}\n    ${told(one)}`)].join('\n'));
  };
  const survived = ended.filter(({ outcome }) => outcome === 'survived');
  const unexplained = survived.filter(({ mutant }) => mutant.reason === undefined);
  const stale = ended.filter(({ outcome }) => outcome === 'stale');
  const placed = ({ mutant }: Ended): string => `${mutant.file}: ${mutant.line} → ${mutant.instead}`;
  list(
    'Survived, with a reason:',
    survived.filter((one) => !unexplained.includes(one)),
    ({ mutant }) => mutant.reason!,
  );
  list('Survived:', unexplained, placed);
  list('Stale: the text no longer stands in its file exactly once.', stale, placed);
  list(
    'Killed, although a reason says that none could:',
    ended.filter((one) => isNoticed(one) && one.mutant.reason !== undefined),
    ({ by }) => by ?? '',
  );
  const noticed = ended.filter(isNoticed).length;
  const share = ended.length === 0 ? 1 : noticed / ended.length;
  say(`${noticed} of ${ended.length} mutants noticed (${(100 * share).toFixed(1)} %).`);
  return unexplained.length === 0 && stale.length === 0 && share >= ENOUGH;
}

function rowOf(subject: string, own: readonly Ended[]): string[] {
  const counts = OUTCOMES.map((wanted) => own.filter(({ outcome }) => outcome === wanted).length);
  return [subject, ...[own.length, ...counts].map(String)];
}

/** How far the run has come, line by line, with its pace. */
export class Progress {
  readonly #total: number;
  readonly #began = performance.now();
  #done = 0;

  constructor(total: number) {
    this.#total = total;
  }

  tell({ mutant, outcome, by }: Ended): void {
    this.#done += 1;
    const minutes = (performance.now() - this.#began) / 60_000;
    const left = Math.ceil((minutes / this.#done) * (this.#total - this.#done));
    const pace = `${(this.#done / minutes).toFixed(1)} a minute, ${left} min left`;
    const marks = outcome === 'survived' ? 'SURVIVED' : outcome;
    say(
      `[${this.#done}/${this.#total}] ${marks}  ${nameOf(mutant)}${by === null ? '' : `  (${by})`}  ${pace}`,
    );
  }
}
