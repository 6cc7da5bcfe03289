import type { Estimate } from '../../../../renderer/rooms/new-run/model/estimate.ts';

/** A number that was measured in a run of eight steps. */
export const measured = (value: number) => ({
  value,
  source: 'measured' as const,
  from: { kind: 'run' as const, runId: 'r', name: 'alone' },
  at: '2026-11-20T10:00:00.000Z',
  n: 8,
  load: null,
});
/** Of a step that trains 64 answers. */
export const estimate: Estimate = {
  trained: 64,
  proposals: 24,
  mostEstimates: 96,
  items: { task: 24, plan: 64, thought: 64, output: 40, exec: 8 },
  plans: measured(1),
  thoughts: measured(0.5),
  reviewSeconds: {
    task: measured(0.1),
    plan: measured(0.1),
    thought: measured(0.2),
    output: measured(0.1),
    exec: measured(0.5),
  },
  waited: null,
  load: null,
  stepSeconds: measured(10),
  stages: [],
  checkpointBytes: measured(30e6),
  checkpointsKept: 5,
  firstCheckpointBytes: 30e6,
  memory: {
    trainer: measured(700e6),
    supervisor: { value: 150e6, source: 'estimated', from: { kind: 'rule' }, at: null, n: 0, load: null },
    totalBytes: 25e9,
    freeBytes: 15e9,
  },
  freeDiskBytes: 70e9,
  cores: 8,
};
