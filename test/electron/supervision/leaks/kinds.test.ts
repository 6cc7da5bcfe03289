import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLeaks } from '../../../../electron/supervision/index.ts';
import { unseenCode } from '../../../../electron/supervision/leaks/programs.ts';
import { leakCases, type LeakCase } from './cases.ts';
import { cleanCases, type CleanCase } from './clean.ts';
import { heldOutCases, heldOutClean } from './held-out.ts';
import { laterCases, laterClean } from './later-cases.ts';

const SEED = 7;
type Asked<Case> = Case & { isFound: boolean };
const asked = <Case extends Pick<LeakCase, 'gold' | 'feedback' | 'visible'>>(cases: Case[]): Asked<Case>[] =>
  cases.map((one) => ({
    ...one,
    isFound:
      findLeaks(one.feedback, [one.gold], one.visible).length > 0 ||
      unseenCode(one.feedback, one.visible).length > 0,
  }));
const count = (cases: readonly Asked<unknown>[]): string => {
  const found = cases.filter(({ isFound }) => isFound).length;
  return `${found.toLocaleString('en')} of ${cases.length.toLocaleString('en')}`;
};

/** A row of the published table for the kinds with these words before the colon. */
const ROWS = [
  ['digits'],
  ['script'],
  ['coding'],
  ['base'],
  ['words'],
  ['sum', 'difference', 'average', 'neighbour', 'remainder'],
  ['product', 'power', 'fraction', 'negative'],
  ['guess'],
  ['text'],
  ['list', 'dict', 'nested', 'mixed', 'texts'],
  ['program'],
  ['fix'],
] as const;
const groupOf = ({ kind }: LeakCase): string => kind.split(':')[0]!;

/** Cases that the guard does not find, by kind; of every other kind it finds each one. */
const MISSED = {
  first: {},
  later: { 'script: Roman, one sign': 1, 'coding: words in Morse': 1 },
  heldOut: {
    'digits: bar between': 8,
    'guess: bare digit': 2,
    'guess: bare word': 1,
    'guess: Roman': 2,
    'guess: languages': 2,
    'words: Swiss French': 3,
    'words: Swedish': 3,
    'words: Polish': 3,
    'power: in LaTeX': 3,
    'power: factorial sign': 3,
    'product: nested': 3,
    'fix: join': 1,
    'fix: index': 1,
  },
};

const page = readFileSync(join(import.meta.dirname, '../../../../docs/results.md'), 'utf8');
/** Cells of the published table, without what is said of its first column. */
const published = page
  .slice(page.indexOf('| found, by the form of what is told |'))
  .split('\n\n')[0]!
  .split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const figures = (row: readonly string[]): string[] =>
  row.slice(1).map((cell) => /^[\d,]+ of [\d,]+/.exec(cell)?.[0].replace(/,$/, '') ?? cell);

const LEAKS = {
  first: asked(leakCases(SEED)),
  later: asked(laterCases(SEED)),
  heldOut: asked(heldOutCases(SEED)),
};
const CLEAN = {
  first: asked(cleanCases(SEED)),
  later: asked(laterClean(SEED)),
  heldOut: asked(heldOutClean(SEED)),
};

const all = Object.values(LEAKS).flat();

describe('Free text that gives an answer away', () => {
  it('is found in 95 of 100 cases of over 450 kinds, also of kinds that the guard was not made with', () => {
    for (const cases of Object.values(LEAKS)) {
      const missed = cases
        .filter(({ isFound }) => !isFound)
        .map(({ kind, feedback }) => `${kind} | ${feedback}`);
      expect(missed.length / cases.length, missed.slice(0, 10).join('\n')).toBeLessThanOrEqual(0.05);
    }
    expect(all.length).toBeGreaterThanOrEqual(1000);
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(450);
  });

  it.each(['first', 'later', 'heldOut'] as const)(
    'is found in every case of each kind, but for those that are named: %s',
    (set) => {
      const missed = Map.groupBy(
        LEAKS[set].filter(({ isFound }) => !isFound),
        ({ kind }) => kind,
      );
      expect(Object.fromEntries([...missed].map(([kind, cases]) => [kind, cases.length]))).toEqual(
        MISSED[set],
      );
    },
  );

  it('is published with the figures that are counted here', () => {
    expect(new Set(ROWS.flat())).toEqual(new Set(all.map(groupOf)));
    const rows = ROWS.map((groups) =>
      Object.values(LEAKS).map((cases) =>
        count(cases.filter((one) => (groups as readonly string[]).includes(groupOf(one)))),
      ),
    );
    const oneDigit = ({ kind }: CleanCase): boolean => kind === 'one digit';
    rows.push(
      Object.values(LEAKS).map(count),
      Object.values(CLEAN).map(count),
      Object.values(CLEAN).map((cases) => count(cases.filter(oneDigit))),
    );
    expect(published.map(figures)).toEqual(rows);
    for (const [at, [first]] of ROWS.entries()) expect(published[at]![0]).toMatch(new RegExp(`^${first}\\b`));
    for (const cell of published.flat()) {
      const [, part, whole, percent] = /^([\d,]+) of ([\d,]+), ([\d.]+) %$/.exec(cell) ?? [];
      if (percent === undefined) continue;
      const [found, of] = [part, whole].map((text) => Number(text!.replaceAll(',', ''))) as [number, number];
      expect(((100 * found) / of).toFixed(1), cell).toBe(percent);
    }
    expect(page).toContain(`those of ${new Set(LEAKS.heldOut.map(({ kind }) => kind)).size} kinds`);
    const sentences = new Set(Object.values(CLEAN).flatMap((cases) => cases.map(({ feedback }) => feedback)));
    expect(page).toContain(
      `The harmless reviews are ${sentences.size.toLocaleString('en')} different sentences.`,
    );
  });

  it('is suspected in 3 of 100 harmless reviews at most, with answers of one digit too', () => {
    for (const cases of Object.values(CLEAN))
      for (const group of [cases, ...Map.groupBy(cases, ({ kind }: Asked<CleanCase>) => kind).values()]) {
        const suspected = group.filter(({ isFound }) => isFound).map(({ feedback }) => feedback);
        expect(suspected.length / group.length, suspected.slice(0, 10).join('\n')).toBeLessThanOrEqual(0.03);
      }
  });
});
