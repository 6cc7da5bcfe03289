import { describe, expect, it } from 'vitest';
import { runConfigSchema, type Tripwire } from '../../../electron/contract/index.ts';
import { watchTripwires, wiresOfRun } from '../../../electron/evaluation/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { inLab } from '../store/support/in-lab.ts';
import { makeCommit, makeConfig, makeInitial } from '../store/support/make-records.ts';
import { storeEvaluation } from '../store/support/stored-evaluation.ts';

const wire = (when: Tripwire['when'], by: number, part: Partial<Tripwire> = {}): Tripwire => ({
  suite: 'toy-refusal',
  when,
  by,
  action: 'mark',
  certain: false,
  ...part,
});

/** A run of two steps with these tripwires. */
function wiredRun(lab: Lab, tripwires: readonly Tripwire[]): string {
  const evaluation = { every: 2, suites: ['toy-refusal'], items: 4, tripwires };
  const config = runConfigSchema.parse({ ...makeConfig('wired'), evaluation });
  lab.createRun({ id: 'w', config, folder: 'runs/w' });
  lab.putInitial('w', makeInitial());
  for (const step of [1, 2]) lab.commitStep('w', makeCommit(step, 12));
  return 'w';
}

const evaluated = (
  lab: Lab,
  step: number,
  passed: readonly boolean[],
  part: Partial<Parameters<typeof storeEvaluation>[1]> = {},
): void => storeEvaluation(lab, { id: `eval ${step}`, runId: 'w', step, passed, ...part });

describe('what tripwires put into curves of scores', () => {
  it('is the value itself, or its distance from the weights that the run began with', () =>
    inLab((lab) => {
      const runId = wiredRun(lab, [
        wire('below', 0.3),
        wire('above', 0.9),
        wire('falls', 0.5),
        wire('rises', 0.25, { certain: true }),
      ]);
      evaluated(lab, 0, [true, true, true, false]);
      evaluated(lab, 2, [true, false, false, false]);
      expect(wiresOfRun(lab, runId).limits).toEqual([
        { suite: 'toy-refusal', when: 'below', value: 0.3 },
        { suite: 'toy-refusal', when: 'above', value: 0.9 },
        { suite: 'toy-refusal', when: 'falls', value: 0.25 },
        { suite: 'toy-refusal', when: 'rises', value: 1 },
      ]);
    }));

  it('are the touched ones with what was said, and no limit before the score it counts from', () =>
    inLab((lab) => {
      const below = wire('below', 0.3);
      const runId = wiredRun(lab, [below, wire('falls', 0.5)]);
      evaluated(lab, 2, [true, false, false, false]);
      const services = { store: lab, emit: () => {} } as unknown as Parameters<typeof watchTripwires>[0];
      const touched = watchTripwires(services, runId, [below], 2);
      expect(touched.map(({ step }) => step)).toEqual([2]);
      expect(wiresOfRun(lab, runId)).toEqual({
        tripped: touched,
        limits: [{ suite: 'toy-refusal', when: 'below', value: 0.3 }],
      });
    }));

  it('is no limit where the score that is watched is not the share that passed', () =>
    inLab((lab) => {
      const runId = wiredRun(lab, [wire('above', 0.5), wire('above', 0.5, { score: 'something else' })]);
      evaluated(lab, 0, [true, true, false, false], { counts: 'failed' });
      evaluated(lab, 2, [true, false, false, false], { counts: 'failed' });
      expect(wiresOfRun(lab, runId).limits).toEqual([]);
    }));

  it('is nothing for a run without tripwires, or one that was not evaluated', () =>
    inLab((lab) => {
      expect(wiresOfRun(lab, 'a')).toEqual({ tripped: [], limits: [] });
      expect(wiresOfRun(lab, wiredRun(lab, [wire('below', 0.3)]))).toEqual({ tripped: [], limits: [] });
    }));
});
