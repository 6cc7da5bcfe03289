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
const found = (cases: readonly Asked<unknown>[]): string =>
  `${cases.filter(({ isFound }) => isFound).length} of ${cases.length}`;

/** Leaks found, a row for all kinds with the same words before the colon. */
function table(sets: readonly (readonly Asked<LeakCase>[])[]): string {
  const groups = [...new Set(sets.flat().map(({ kind }) => kind.split(':')[0]!))];
  const cell = (cases: readonly Asked<LeakCase>[]): string => (cases.length === 0 ? '' : found(cases));
  return [...groups.map((group) => [group, `${group}:`]), ['all', '']]
    .map(([name, start]) => [
      name,
      ...sets.map((cases) => cell(cases.filter(({ kind }) => kind.startsWith(start!)))),
    ])
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

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

describe('Free text that gives an answer away', () => {
  it('is found in 95 of 100 cases of over 450 kinds, also of kinds that the guard was not made with', () => {
    console.log(table(Object.values(LEAKS)));
    for (const cases of Object.values(LEAKS)) {
      const missed = cases
        .filter(({ isFound }) => !isFound)
        .map(({ kind, feedback }) => `${kind} | ${feedback}`);
      expect(missed.length / cases.length, missed.slice(0, 10).join('\n')).toBeLessThanOrEqual(0.05);
    }
    const all = Object.values(LEAKS).flat();
    expect(all.length).toBeGreaterThanOrEqual(1000);
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(450);
  });

  it('is suspected in 3 of 100 harmless reviews at most, with answers of one digit too', () => {
    for (const [name, cases] of Object.entries(CLEAN)) {
      const kinds = Map.groupBy(cases, ({ kind }: Asked<CleanCase>) => kind);
      const sentences = new Set(cases.map(({ feedback }) => feedback)).size;
      console.log(
        name,
        ...[...kinds].map(([kind, own]) => `${kind} ${found(own)},`),
        `${sentences} sentences`,
      );
      for (const group of [cases, kinds.get('one digit')!]) {
        const suspected = group.filter(({ isFound }) => isFound).map(({ feedback }) => feedback);
        expect(suspected.length / group.length, suspected.slice(0, 10).join('\n')).toBeLessThanOrEqual(0.03);
      }
    }
  });
});
