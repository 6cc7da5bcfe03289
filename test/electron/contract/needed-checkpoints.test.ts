import { describe, expect, it } from 'vitest';
import { stageStartOf, withNeeded, type TrainedStep } from '../../../electron/contract/index.ts';

type Kept = { step: number; role: string; files: { path: string; bytes: number; sha256: string }[] };
const kept = (step: number, role: string, moments = true): Kept => ({
  step,
  role,
  files: moments ? [{ path: 'optimizer.safetensors', bytes: 1, sha256: '' }] : [],
});
const trained = (stage: string, iteration: number, role: string, ...steps: number[]): TrainedStep[] =>
  steps.map((step) => ({ step, stage, iteration, role }));

/** Two rounds: the challenger's two steps, two that train nothing (3, 4 and 9, 10), the solver's four. */
const STEPS = [
  ...trained('challenge', 1, 'challenger', 1, 2),
  ...trained('solve', 1, 'solver', 5, 6),
  ...trained('challenge', 2, 'challenger', 7, 8),
  ...trained('solve', 2, 'solver', 11, 12),
];
const ALL = [
  kept(0, 'challenger'),
  kept(0, 'solver'),
  ...STEPS.map(({ step, role }) => kept(step, role, [1, 5, 7, 11].includes(step))),
];
const at = (step: number, role: string): Kept => ALL.find((one) => one.step === step && one.role === role)!;

describe('what a checkpoint needs beside itself', () => {
  it('is where its stage began: the same weights before the first step of that round', () => {
    expect(stageStartOf(ALL, at(2, 'challenger'), STEPS)).toBe(at(0, 'challenger'));
    expect(stageStartOf(ALL, at(6, 'solver'), STEPS)).toBe(at(0, 'solver'));
    expect(stageStartOf(ALL, at(7, 'challenger'), STEPS)).toBe(at(2, 'challenger'));
    expect(stageStartOf(ALL, at(12, 'solver'), STEPS)).toBe(at(6, 'solver'));
    expect(stageStartOf(ALL, at(0, 'solver'), STEPS)).toBe(at(0, 'solver'));
  });

  it('is told apart by stage where one set of weights is trained in all of them', () => {
    const shared = STEPS.map((one) => ({ ...one, role: 'policy' }));
    const all = [0, 2, 6, 8, 12].map((step) => kept(step, 'policy'));
    const starts = all.map((one) => stageStartOf(all, one, shared)?.step);
    expect(starts).toEqual([0, 0, 2, 6, 8]);
  });

  it('is also where its moments are, and no stage where the run measures against none', () => {
    const steps = (staying: Kept[], of = STEPS): number[] =>
      [...withNeeded(ALL, staying, of)].map(({ step }) => step).toSorted((a, b) => a - b);
    expect(steps([at(12, 'solver')])).toEqual([6, 11, 12]);
    expect(steps([at(12, 'solver')], [])).toEqual([11, 12]);
    expect(steps([at(8, 'challenger'), at(12, 'solver')])).toEqual([2, 6, 7, 8, 11, 12]);
  });
});
