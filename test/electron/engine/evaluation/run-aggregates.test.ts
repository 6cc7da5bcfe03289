import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationPlanRecord } from '../../../../electron/contract/index.ts';
import { fillRun } from '../../store/support/in-lab.ts';
import { storeEvaluation } from '../../store/support/stored-evaluation.ts';
import { makeLab, type Lab } from '../in-engine.ts';

const MATHS = ['aime24', 'aime25', 'amc23', 'math500', 'olympiadbench', 'minerva_math'];

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
  for (const run of ['whole', 'start', 'part', 'toy', 'none']) fillRun(lab.engine.store, run, 2);
  asked('whole', 1, 3, MATHS);
  asked('whole', 0, 1, MATHS);
  // Neither a toy suite nor a prompt with the run's context makes a later checkpoint the last one.
  asked('whole', 2, 4, ['toy-arithmetic'], { group: 'toy' });
  const context = { runId: 'whole', step: 2, hash: 'c'.repeat(64) };
  asked('whole', 2, 4, MATHS, { context });
  asked('start', 0, 2, MATHS);
  asked('part', 2, 2, ['harmbench'], { group: 'safety' });
  asked('toy', 1, 2, ['toy-arithmetic'], { group: 'toy' });
});
afterAll(() => lab.remove());

/** Four answers to each suite, of which the first `passed` pass. */
function asked(
  runId: string,
  step: number,
  passed: number,
  suites: readonly string[],
  plan: Partial<Omit<EvaluationPlanRecord, 'protocol'>> = {},
): void {
  for (const suite of suites)
    storeEvaluation(lab.engine.store, {
      id: `${suite} of ${runId} at ${step}${plan.context == null ? '' : ' under its context'}`,
      runId,
      step,
      passed: [0, 1, 2, 3].map((ordinal) => ordinal < passed),
      plan: { suite, group: 'maths', ...plan },
    });
}

describe('the aggregates of runs, as the list of runs asks for them', () => {
  it('are those of public suites at the last checkpoint that was asked them, beside those of the first one', async () => {
    const found = await lab.verbs.evaluations.ofRuns({ runIds: ['whole', 'start', 'part', 'toy', 'none'] });
    expect(found).toEqual({
      whole: [
        {
          name: 'math',
          step: 1,
          cell: expect.objectContaining({ value: 0.75, n: 24, state: 'complete' }),
          base: expect.objectContaining({ value: 0.25, n: 24 }),
        },
      ],
      start: [{ name: 'math', step: 0, cell: expect.objectContaining({ value: 0.5 }), base: null }],
      part: [
        {
          name: 'asr',
          step: 2,
          cell: expect.objectContaining({
            value: null,
            state: 'incomplete',
            why: expect.stringMatching(/salad/i),
          }),
          base: null,
        },
      ],
    });
  });

  it('are of the runs that were asked for', async () => {
    expect(Object.keys(await lab.verbs.evaluations.ofRuns({ runIds: ['start'] }))).toEqual(['start']);
  });
});
