import { describe, expect, it } from 'vitest';
import {
  contrastsOf,
  DEMO_DEFAULTS,
  demoConfigs,
  demoDefaults,
  type DemoColumn,
} from '../../../electron/experiments/demo/demo.ts';
import { configOf } from '../../../electron/experiments/study/arms.ts';
import { DEMO_FRAMEWORKS, PRESETS } from '../../../electron/evolution/index.ts';

const column = (arm: DemoColumn['arm'], withContext: boolean, passed: number, n = 100): DemoColumn => ({
  arm,
  withContext,
  outcomes: [
    {
      suite: 'toy-refusal',
      items: Array.from({ length: n }, (_, index) => ({
        itemId: String(index),
        text: '',
        passed: index < passed,
        reason: null,
        newTokens: 1,
      })),
    },
  ] as unknown as DemoColumn['outcomes'],
});

describe('the demo', () => {
  it('gives the supervised arm a positive difference where it passes more than the one alone', () => {
    const [contrast] = contrastsOf([
      column('alone', false, 29),
      column('supervised', false, 49),
      column('supervised', true, 100),
    ]);
    expect(contrast?.difference).toBeCloseTo(0.2, 10);
    expect(contrast?.interval.low).toBeGreaterThan(0);
    expect(contrast?.interval.high).toBeLessThan(0.35);
  });

  const options = {
    framework: 'azr',
    steps: 24,
    seed: 3,
    rewardedShare: 0.25,
    probability: 0.3,
    reviewer: 'llama',
    items: 10,
    points: 6,
  } as const;

  it('has its context worded by the model, or by rule where that is asked for, and differs in nothing else', () => {
    const [model, rule] = [
      demoConfigs({ ...options, merge: 'model' }),
      demoConfigs({ ...options, merge: 'rule' }),
    ];
    expect(model.alone).toEqual(rule.alone);
    expect(rule.supervised.supervision).toMatchObject({ merge: 'guidance' });
    expect(model.supervised).toEqual({
      ...rule.supervised,
      supervision: { ...rule.supervised.supervision, summary: 'model', merge: 'model' },
    });
  });

  it.each(DEMO_FRAMEWORKS)(
    'of %s says of plans without a program that there is nothing to compare, where the study asks as it was published',
    (framework) => {
      const { supervised } = demoConfigs({ ...options, framework, merge: 'rule' });
      expect(supervised.supervision.nothingToCompare).toBe('say');
      const study = configOf(
        { arm: 'supervised', rewardedShare: 0.25, seed: 101 },
        { framework, steps: 40, every: 10 },
      );
      expect(study.supervision.nothingToCompare).toBe('ask');
    },
  );

  it('of another framework takes its preset, its steps and the suites of what is practised there', () => {
    expect(DEMO_FRAMEWORKS).toEqual(['azr', 'rzero']);
    const [usual, other] = DEMO_FRAMEWORKS.map((name) => demoDefaults(name));
    expect(usual).toEqual(DEMO_DEFAULTS);
    const { supervised } = demoConfigs(other!);
    expect(supervised).toMatchObject({
      steps: PRESETS['rzero-demo'].steps,
      policy: { model: 'embedded-questions' },
      rewardedPrompts: { share: 0.25 },
      evaluation: { suites: ['toy-questions', 'toy-refusal', 'toy-memory'] },
    });
    expect(demoConfigs(usual!).supervised.evaluation?.suites).toEqual([
      'toy-deduction',
      'toy-refusal',
      'toy-memory',
    ]);
  });

  it.each([
    [24, 6, 4],
    [10, 4, 3],
    [3, 6, 1],
  ])('of %i steps has both arms asked at %i points: every %i steps', (steps, points, every) => {
    for (const config of Object.values(demoConfigs({ ...options, merge: 'rule', steps, points })))
      expect(config.evaluation).toMatchObject({ every, items: 10, contexts: ['none', 'run'] });
  });

  it('differs between its arms in nothing but the review probabilities and the name', () => {
    const { alone, supervised } = demoConfigs({ ...options, merge: 'rule' });
    expect({
      ...supervised,
      name: alone.name,
      supervision: { ...supervised.supervision, phases: alone.supervision.phases },
    }).toEqual(alone);
    expect(Object.values(alone.supervision.phases)).toEqual([0, 0, 0, 0, 0]);
    expect(Object.values(supervised.supervision.phases)).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
  });
});
