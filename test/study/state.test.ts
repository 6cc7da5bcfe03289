import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  beginFrom,
  bindFolder,
  boundSettings,
  StudyState,
  type EvaluationEntry,
} from '../../electron/experiments/study/state.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-study-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'evaluations.jsonl');
const entry = (step: number): EvaluationEntry => ({
  kind: 'evaluation',
  run: 'alone/0/1',
  step,
  context: 'none',
  weightsSha256: 'w',
  passed: { 'toy-deduction': '0110' },
  seconds: 1.5,
});

describe('The state of a study', () => {
  it('is there again for the next program, and takes nothing twice', () => {
    const state = new StudyState(file());
    state.add(entry(10));
    const next = new StudyState(file());
    expect(next.evaluation('alone/0/1', 10, 'none')).toEqual(entry(10));
    expect(next.evaluation('alone/0/1', 10, 'final')).toBeUndefined();
    expect(() => next.add(entry(10))).toThrow(/already/);
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(2);
  });

  it('loses only the line that was being written when the program was killed', () => {
    new StudyState(file()).add(entry(10));
    appendFileSync(file(), JSON.stringify(entry(20)).slice(0, 40));
    const next = new StudyState(file());
    expect([...next.entries.keys()]).toEqual(['alone/0/1 @10 none']);
    next.add(entry(20));
    expect([...new StudyState(file()).entries.keys()]).toEqual(['alone/0/1 @10 none', 'alone/0/1 @20 none']);
  });

  it('names the line that is no entry', () => {
    new StudyState(file()).add(entry(10));
    appendFileSync(file(), '{"kind":"evaluation"}\n');
    expect(() => new StudyState(file())).toThrow(/Line 2 of .*evaluations\.jsonl is no entry/);
  });

  it('begins with what another study found, of whole runs only, and once', () => {
    const other = join(folder, 'other');
    bindFolder(other, { steps: 40 });
    const state = new StudyState(join(other, 'evaluations.jsonl'));
    const start = { ...entry(0), run: 'start//1' };
    const done = {
      kind: 'run' as const,
      run: 'alone/0/1',
      id: 'r',
      finalHash: 'h',
      context: [],
      reviews: 0,
      secondsPerStep: 1,
      reviewSeconds: 0,
    };
    for (const one of [start, entry(10), { ...entry(10), run: 'cut-off/0/1' }, done]) state.add(one);
    const own = join(folder, 'own');
    beginFrom(own, other);
    const begun = new StudyState(join(own, 'evaluations.jsonl'));
    expect([...begun.entries.values()]).toEqual([start, entry(10), done]);
    expect(boundSettings(own)).toEqual({ steps: 40 });
    begun.add({ ...entry(10), run: 'cut-off/0/1' });
    begun.add(entry(20));
    beginFrom(own, other);
    expect(new StudyState(join(own, 'evaluations.jsonl')).entries.size).toBe(5);
    state.add(entry(30));
    expect(() => beginFrom(own, other)).toThrow(/holds a study of its own; choose an empty one/);
    expect(() => beginFrom(join(folder, 'new'), folder)).toThrow(/no study in/);
  });

  it('belongs to one set of settings', () => {
    expect(() => boundSettings(folder)).toThrow(/no study in/);
    bindFolder(folder, { steps: 40, policy: 'a' });
    bindFolder(folder, { policy: 'a', steps: 40 });
    expect(() => bindFolder(folder, { steps: 20, policy: 'a' })).toThrow(
      /begun with other steps; .*--folder/,
    );
    expect(boundSettings(folder)).toEqual({ steps: 40, policy: 'a' });
  });
});
