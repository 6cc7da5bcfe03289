import { expect, it } from 'vitest';
import { demoText } from '../../../electron/cli/commands/demo.ts';
import { wilsonInterval } from '../../../electron/core/index.ts';
import { DEMO_DEFAULTS, type DemoReport } from '../../../electron/experiments/index.ts';

it('a share of the demo into which a person’s verdicts went is marked', () => {
  const column = (arm: 'alone' | 'supervised', passed: number, overridden: number) => ({
    arm,
    withContext: false,
    outcomes: [{ suite: 'toy-refusal', passed, n: 5, overridden, interval: wilsonInterval(passed, 5) }],
  });
  const text = demoText({
    options: { ...DEMO_DEFAULTS, rewardedShare: 0 },
    labFolder: '/lab',
    database: '/lab/lab.sqlite',
    runs: [],
    columns: [column('alone', 4, 0), column('supervised', 2, 2)],
    contrasts: [],
    issues: [],
    lines: [],
    wording: {},
    cost: { byPhase: [], reviewSeconds: 0, hiddenSeconds: 0, stepRatio: 1 },
    seconds: { training: 1, evaluation: 1 },
  } as unknown as DemoReport);
  expect(text).toMatch(/toy-refusal +80 \[38–96\] +40 \[12–77\] o\n/);
  expect(text).toContain('o = with verdicts that a person overrode');
});
