import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMPARED } from '../../electron/experiments/study/arms.ts';
import type { StudyOptions } from '../../electron/experiments/index.ts';
import { readOptions } from './options.ts';
import { isFull, resultsOf, writeResults } from '../../electron/experiments/study/results.ts';
import type { StudyResults } from '../../electron/experiments/study/statistics.ts';
import { StudyState } from '../../electron/experiments/study/state.ts';
import { fillState, type Truth } from './synthetic.ts';
import { markersOf, studyMarkdown } from '../../electron/experiments/study/table.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-study-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let studies = 0;
function study(
  truth: Truth,
  ...args: string[]
): { options: StudyOptions; state: StudyState; results: StudyResults } {
  const options = readOptions(args, folder) as StudyOptions;
  const state = new StudyState(join(folder, `${(studies += 1)}.jsonl`));
  fillState(state, options, truth);
  return { options, state, results: resultsOf(state, options, { policy: 'p' }) };
}

/** Self-play teaches deduction, rewarded prompts erode refusals, supervision holds half of that in the weights, filler nothing. */
const TRUTH: Truth = ({ arm, rewardedShare, step, context, suite }) => {
  const gone = step / 40;
  if (suite === 'toy-deduction')
    return (context === 'trace' ? 0.65 : 0.2) + (arm === 'start' || context === 'trace' ? 0 : 0.25 * gone);
  if (suite !== 'toy-refusal') return 0.5;
  if (context === 'final' && arm !== 'filler') return 0.98;
  return (
    0.72 -
    (rewardedShare === 0 ? 0 : gone * (arm === 'alone' || arm === 'filler' || arm === 'traced' ? 0.5 : 0.25))
  );
};

const { results, state } = study(TRUTH);

describe('Results', () => {
  const effect = (arm: string, against: string, rewardedShare: number, suite: string, context = 'none') =>
    results.effects.find(
      (one) =>
        one.arm === arm &&
        one.against === against &&
        one.rewardedShare === rewardedShare &&
        one.suite === suite &&
        one.context === context,
    );

  it('find what is there: learning, erosion, and what supervision holds', () => {
    expect(effect('alone', 'start', 0, 'toy-deduction')).toMatchObject({
      excludesZero: true,
      runs: 5,
      items: 100,
    });
    expect(effect('alone', 'start', 0, 'toy-deduction')?.mean).toBeCloseTo(0.25, 1);
    expect(effect('alone', 'start', 0.25, 'toy-refusal')?.high).toBeLessThan(-0.3);
    expect(effect('supervised', 'alone', 0.25, 'toy-refusal')?.low).toBeGreaterThan(0.1);
    expect(effect('supervised', 'filler', 0.25, 'toy-refusal')?.excludesZero).toBe(true);
    expect(effect('supervised', 'alone', 0.25, 'toy-refusal', 'final')?.mean).toBeGreaterThan(0.6);
  });

  it('claim nothing where there is nothing', () => {
    expect(effect('filler', 'alone', 0.25, 'toy-refusal')?.excludesZero).toBe(false);
    expect(effect('supervised', 'alone', 0, 'toy-deduction')?.excludesZero).toBe(false);
    const nulls = results.effects.filter(
      ({ suite, against }) => suite !== 'toy-deduction' && suite !== 'toy-refusal' && against !== 'start',
    );
    expect(nulls.length).toBeGreaterThan(60);
    expect(nulls.filter(({ excludesZero }) => excludesZero).length / nulls.length).toBeLessThan(0.1);
  });

  it('say for each claim what it was before and after', () => {
    const [learning, told, traced] = results.claims.filter(({ rewardedShare }) => rewardedShare === 0);
    expect(learning).toMatchObject({ claim: 'self-play alone learns deduction', excludesZero: true });
    expect((learning?.after ?? 0) - (learning?.before ?? 0)).toBeCloseTo(learning?.mean ?? 1, 10);
    expect([told?.excludesZero, traced?.excludesZero]).toEqual([false, false]);
    expect(told?.before).toBeCloseTo(0.65, 1);
  });

  it('of a study that is not finished cover the seeds that are done in both arms', () => {
    const { options, state: partial } = study(
      TRUTH,
      '--seeds',
      '2',
      '--only',
      'alone,supervised',
      '--rewarded-share',
      '0',
    );
    partial.entries.delete('run supervised/0/102');
    for (const key of partial.entries.keys())
      if (key.startsWith('supervised/0/102')) partial.entries.delete(key);
    const { effects, settings } = resultsOf(partial, options, {});
    expect(effects.find(({ arm, against }) => arm === 'alone' && against === 'start')?.runs).toBe(2);
    expect(effects.find(({ arm, against }) => arm === 'supervised' && against === 'alone')?.runs).toBe(1);
    expect(settings).toMatchObject({ arms: ['alone', 'supervised'], rewardedShares: [0] });
  });

  it('replace the published ones only in full size', () => {
    expect(isFull(results)).toBe(true);
    const { settings, runs } = results;
    for (const smaller of [{ seeds: [1, 2, 3, 4] }, { steps: 20 }, { items: 50 }])
      expect(isFull({ ...results, settings: { ...settings, ...smaller } })).toBe(false);
    expect(isFull({ ...results, runs: runs.slice(1) })).toBe(false);
  });

  it('are written as data that gives the same again, a table between markers and a figure', () => {
    const files = writeResults(results, state, join(folder, 'out'), join(folder, 'out/study.svg'));
    expect(files.map((file) => file.slice(folder.length + 5))).toEqual([
      'study.json',
      'settings.json',
      'evaluations.jsonl',
      'table.md',
      'study.svg',
    ]);
    const again = resultsOf(
      new StudyState(join(folder, 'out/evaluations.jsonl')),
      readOptions([], folder) as StudyOptions,
      { policy: 'p' },
    );
    expect(again).toEqual(results);
    expect(JSON.parse(readFileSync(join(folder, 'out/study.json'), 'utf8'))).toMatchObject({
      settings: { seeds: [101, 102, 103, 104, 105] },
    });
  });
});

describe('The table', () => {
  const text = studyMarkdown(results);
  const rows = text.split('\n').filter((line) => line.startsWith('|'));

  it('stands between markers and has a row per suite, share of rewarded prompts and kind', () => {
    expect([text.split('\n')[0], text.split('\n').at(-1)]).toEqual([...markersOf(results)]);
    expect(rows.filter((line) => line.startsWith('| restricted requests refused'))).toHaveLength(4);
    for (const row of rows) expect(row).not.toMatch(/undefined|NaN/);
  });

  it('holds nothing but what changed where no run alone is there to compare with', () => {
    const apart = study(TRUTH, '--only', 'traced', '--rewarded-share', '0').results;
    const lines = studyMarkdown(apart).split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([...markersOf(apart)]);
    expect(markersOf(apart)).not.toEqual(markersOf(results));
    expect(lines.filter((line) => line.startsWith('|'))).toHaveLength(2 + 2);
  });

  it('says of practice what it did to both skills that are traced', () => {
    const practised = study(TRUTH, '--only', 'practice').results;
    expect(practised.claims.map(({ claim, excludesZero }) => [claim, excludesZero])).toEqual(
      ['deduction', 'abduction'].map((name) => [
        `${name} told to trace, before and after practice with tracing fixed`,
        false,
      ]),
    );
    expect(isFull(practised)).toBe(false);
  });

  it('prints differences in points with their interval, bold where 0 is outside', () => {
    const refusal = rows.filter((line) => line.startsWith('| restricted requests refused'))[2] ?? '';
    const cells = refusal.split('|').map((cell) => cell.trim());
    expect(cells[3]).toMatch(/^\*\*−\d+ \[−\d+, −\d+\]\*\* \(\d+\)$/);
    expect(cells[4]).toMatch(/^\*\*\+\d+ \[\+\d+, \+\d+\]\*\* \(\d+\)$/);
  });
});

describe('The figure', () => {
  it('has a panel per share of rewarded prompts and curve, a line per arm in each, and follows the reader between light and dark', () => {
    writeResults(results, state, join(folder, 'picture'), join(folder, 'picture/study.svg'));
    const svg = readFileSync(join(folder, 'picture/study.svg'), 'utf8');
    expect(svg.match(/class="h"/g)).toHaveLength(6);
    expect(svg.match(/fill="none" stroke=/g)).toHaveLength(3 * (2 * COMPARED.length - 1)); // tracing is fixed without rewarded prompts only
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/NaN|undefined/);
    const opened = (svg.match(/<(\w+)/g) ?? []).length;
    const closed = (svg.match(/<\/\w+>|\/>/g) ?? []).length;
    expect(closed).toBe(opened);
  });
});
