import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  compareStudies,
  requireSame,
  openOther,
  bindFolder,
  StudyState,
  type EvaluationEntry,
  type RunEntry,
} from '../../electron/experiments/study/state.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-study-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const evaluation: EvaluationEntry = {
  kind: 'evaluation',
  run: 'alone/0/1',
  step: 10,
  context: 'none',
  weightsSha256: 'w',
  passed: { 'toy-deduction': '0110' },
  seconds: 1.5,
};
const run: RunEntry = {
  kind: 'run',
  run: 'alone/0/1',
  id: 'r',
  finalHash: 'h',
  context: ['Trace.'],
  reviews: 3,
  secondsPerStep: 1,
  reviewSeconds: 0,
};

function stateOf(name: string, ...entries: (EvaluationEntry | RunEntry)[]): StudyState {
  const state = new StudyState(join(folder, name, 'evaluations.jsonl'));
  for (const entry of entries) state.add(entry);
  return state;
}

describe('A study beside another', () => {
  it('is the same whenever it was made, and only what both hold counts', () => {
    const other = stateOf('other', evaluation, run, { ...evaluation, step: 20 });
    const own = stateOf(
      'own',
      { ...evaluation, seconds: 9 },
      { ...run, id: 'q', secondsPerStep: 7, reviewSeconds: 2 },
      { ...evaluation, run: 'alone/0/2' },
    );
    const comparison = compareStudies(own, other);
    expect(comparison).toEqual({ runs: 1, evaluations: 1, different: [] });
    expect(requireSame(comparison, 'other')).toBe(
      'The same weights, answers and contexts in all 1 runs and 1 evaluations that other holds too.',
    );
  });

  it.each<[string, EvaluationEntry | RunEntry, string]>([
    ['weights', { ...evaluation, weightsSha256: 'v' }, 'alone/0/1 @10 none'],
    ['an answer', { ...evaluation, passed: { 'toy-deduction': '0111' } }, 'alone/0/1 @10 none'],
    ['the context', { ...run, context: [] }, 'run alone/0/1'],
    ['the reviews', { ...run, reviews: 4 }, 'run alone/0/1'],
  ])('is told apart by %s', (_, changed, key) => {
    const comparison = compareStudies(stateOf('own', changed), stateOf('other', evaluation, run));
    expect(comparison.different).toEqual([key]);
    expect(() => requireSame(comparison, 'other')).toThrow(
      `1 of ${changed.kind === 'run' ? '1 runs and 0' : '0 runs and 1'} evaluations that other holds too came out otherwise: ${key}.`,
    );
  });

  it('with nothing in common, or made with other settings, is no comparison', () => {
    expect(() => requireSame(compareStudies(stateOf('own', evaluation), stateOf('other')), 'other')).toThrow(
      /Nothing that was asked here was asked in other/,
    );
    bindFolder(join(folder, 'bound'), { items: 100, policy: 'a' });
    expect(openOther(join(folder, 'bound'), { policy: 'a', items: 100 }).entries.size).toBe(0);
    expect(() => openOther(join(folder, 'bound'), { policy: 'b', items: 100 })).toThrow(
      /was made with other policy:/,
    );
    expect(() => openOther(folder, {})).toThrow(/no study in/);
  });
});
