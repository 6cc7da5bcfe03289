import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runConfigSchema, type CodeTaskType } from '../../../../electron/contract/index.ts';
import { proposerReward } from '../../../../electron/core/index.ts';
import {
  AnswerCounters,
  DiversityCounter,
  rewardedIntrinsics,
} from '../../../../electron/evolution/code-tasks/intrinsic.ts';
import { measureIntrinsics } from '../../../../electron/evolution/code-tasks/measured-intrinsics.ts';
import { typeMetrics } from '../../../../electron/evolution/code-tasks/metrics.ts';

/** What the original's functions measured; original_distances.py recorded it. Its distances are asked of the sandbox in test_run.py. */
const { surprises } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'original-distances.json'), 'utf8'),
) as { surprises: { answer: string; flat: number; hierarchical: number }[] };

const task = (taskType: CodeTaskType, id: string, inputs: string[], outputs: string[], program = '') => ({
  id,
  taskType,
  step: 1,
  origin: 'proposal' as const,
  rolloutId: id,
  program,
  inputs,
  outputs,
  message: null,
  imports: [],
  solveRate: null,
});

describe('measured as the original does', () => {
  it('the rarity of an answer is what the original gives, flat and hierarchical', () => {
    const counter = new DiversityCounter();
    for (const { answer, flat, hierarchical } of surprises) {
      expect(counter.surprise(answer, 'flat'), answer).toBeCloseTo(flat, 12);
      expect(counter.surprise(answer, 'hierarchical'), answer).toBeCloseTo(hierarchical, 12);
      counter.add(answer);
    }
  });

  it('only what solvers look for counts as an answer, and names of errors stand apart', () => {
    const counters = new AnswerCounters({ measures: 'azr-compat' });
    counters.add([
      task('abduction', 'a', ['1'], ['2']),
      task('deduction', 'b', ['3'], ['4']),
      task('error', 'c', ['5'], ['ValueError']),
      task('induction', 'd', ['6', '7'], ['8', '9']),
    ]);
    expect(typeMetrics(counters)).toMatchObject({
      'types/input_types/total_instances': 3,
      'types/output_types/total_instances': 3,
      'types/error_types/str/unique_count': 1,
    });
    const copied = counters.copy();
    copied.add([task('deduction', 'e', ['3'], ['4'])]);
    expect([counters.outputs.surprise('4', 'flat'), copied.outputs.surprise('4', 'flat')]).toEqual([
      1 - 1 / 3,
      0.5,
    ]);
  });

  it('a step holds proposals against those of the types before, and trees against each reference', async () => {
    const found = await measured({ measures: 'azr-compat' });
    expect(found.get('1')).toMatchObject({ answerDiversity: 1, editDistance: 0.375 });
    // The output of the induction task was that of the deduction task before it.
    expect(found.get('2')).toMatchObject({ outputDiversity: 0, inputDiversity: 1, editDistance: null });
    expect((await measured({})).get('2')).toMatchObject({ outputDiversity: 1, editDistance: null });
    expect((await measured({})).get('1')?.editDistance).toBeGreaterThan(0);
  });

  it('an induction task is rewarded for its inputs and outputs apart, and for nothing else', async () => {
    const values = {
      complexity: 1,
      editDistance: 1,
      halstead: 1,
      answerDiversity: 1,
      inputDiversity: 0.5,
      outputDiversity: 0.25,
    };
    const on = { coefficient: 0.5, max: 1 };
    const reward = (taskType: CodeTaskType, measures: 'tokens' | 'azr-compat'): number => {
      const config = azr({ measures, complexity: on, inputDiversity: on, outputDiversity: on });
      const intrinsic = rewardedIntrinsics(taskType, values, config.intrinsic);
      return proposerReward({ formatOk: true, valid: true, solveRate: 0.5, intrinsic }, config);
    };
    expect(reward('induction', 'azr-compat')).toBe(0.5 + 0.25 + 0.125);
    expect(reward('deduction', 'azr-compat')).toBe(0.5 + 0.5);
    expect(reward('induction', 'tokens')).toBe(0.5 + 0.5 + 0.25 + 0.125);
  });
});

type Intrinsic = Record<string, unknown>;
function azr(intrinsic: Intrinsic) {
  const { framework } = runConfigSchema.parse({ framework: { name: 'azr', intrinsic } });
  if (framework.name !== 'azr') throw new Error('The framework is another one.');
  return framework;
}

/** A deduction and an induction proposal of one step, measured before anything was counted. */
function measured(intrinsic: Intrinsic) {
  const proposal = (taskType: CodeTaskType, id: string, references: { program: string }[]) => ({
    request: { id, taskType, detail: { references } },
    found: { newTask: task(taskType, id, [id], ['5'], 'def f(x):\n    return x') },
  });
  const proposals = [
    proposal('induction', '2', []),
    proposal('deduction', '1', [{ program: 'a' }, { program: 'b' }]),
  ];
  const runner = {
    distances: (_program: string, references: readonly string[]) =>
      Promise.resolve(references.map((text) => (text === 'a' ? 0.25 : 0.5))),
  };
  const framework = azr(intrinsic);
  const run = { config: { framework }, state: { counters: new AnswerCounters(framework.intrinsic) } };
  type Given = Parameters<typeof measureIntrinsics>;
  return measureIntrinsics(
    run as unknown as Given[0],
    { runner } as unknown as Given[1],
    proposals as unknown as Given[2],
    new Set(),
  );
}
