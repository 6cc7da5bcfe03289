// @vitest-environment happy-dom
import { createIntl } from 'react-intl';
import { describe, expect, it } from 'vitest';
import type { Tripped, WireLimit } from '../../../electron/contract/index.ts';
import { placeLimits, wireMarks } from '../../../electron/figures/index.ts';
import { wiresOfAllSuites } from '../../../renderer/charts/index.ts';
import { english, type Translate } from '../../../renderer/i18n/index.ts';

const tripped = (step: number, suite = 'toy-refusal'): Tripped => ({
  runId: 'one',
  step,
  evaluationId: `e${step}`,
  wire: { suite, when: 'falls', by: 0.06, action: 'mark', certain: false },
  value: 0.5,
  base: 0.9,
  said: `after step ${step}`,
});
const falls = (value: number, suite = 'toy-refusal'): WireLimit => ({ suite, when: 'falls', value });
const words = {
  touched: ({ said }: Tripped): string => said,
  limit: ({ value }: WireLimit, runIds: readonly string[]) => ({
    label: `${value} of ${runIds.join(' and ')}`,
    short: String(value),
  }),
};
const onItsStep = (_: string, step: number): number => step;

describe('tripwires in a figure of scores', () => {
  const one = { runId: 'one', tripped: [tripped(2), tripped(4, 'toy-memory')], limits: [falls(0.84)] };

  it('are those of its suite, each where it was touched and at what it watches for', () => {
    expect(wireMarks([one], 'toy-refusal', onItsStep, words)).toEqual({
      marks: [{ x: 2, label: 'after step 2' }],
      limits: [{ y: 0.84, isFloor: true, label: '0.84 of one', short: '0.84' }],
    });
    expect(wireMarks([one], 'toy-memory', onItsStep, words)).toEqual({
      marks: [{ x: 4, label: 'after step 4' }],
      limits: [],
    });
    expect(wireMarks([one], null, onItsStep, words).marks.map(({ x }) => x)).toEqual([2, 4]);
  });

  it('lie where the axis has their step, and nowhere where it has none', () => {
    const hours = (_: string, step: number): number | null => (step === 2 ? 0.5 : null);
    expect(wireMarks([one], null, hours, words).marks).toEqual([{ x: 0.5, label: 'after step 2' }]);
  });

  it('that several runs have are one line, and others lines of their own', () => {
    const two = { runId: 'two', tripped: [], limits: [falls(0.84), falls(0.7)] };
    const above: WireLimit = { suite: 'toy-refusal', when: 'above', value: 0.84 };
    const three = { runId: 'three', tripped: [], limits: [above] };
    expect(
      wireMarks([one, two, three], 'toy-refusal', onItsStep, words).limits.map(({ label, isFloor }) => [
        label,
        isFloor,
      ]),
    ).toEqual([
      ['0.84 of one and two', true],
      ['0.7 of two', true],
      ['0.84 of three', false],
    ]);
  });

  it('that a run does not have leave a figure as it is drawn', () => {
    const plain = { runId: 'one', tripped: [], limits: [] };
    const [first, again] = [1, 2].map(() => wireMarks([plain], null, onItsStep, words));
    expect(again?.marks).toBe(first?.marks);
    expect(again?.limits).toBe(first?.limits);
  });

  it('that no share can touch have no line', () => {
    const beyond = { runId: 'one', tripped: [], limits: [falls(-0.01), falls(1.01), falls(0), falls(1)] };
    expect(wireMarks([beyond], null, onItsStep, words).limits.map(({ y }) => y)).toEqual([0, 1]);
  });
});

describe('tripwires in the figure of all suites of a run', () => {
  it('say of which suite they are, on the line and under the figure', () => {
    const intl = createIntl({ locale: 'en', messages: english });
    const t: Translate = (id, values) => intl.formatMessage({ id }, values);
    const limits = (['below', 'above', 'falls', 'rises'] as const).map((when): WireLimit => ({
      suite: 'toy-refusal',
      when,
      value: 0.84,
    }));
    const told = wiresOfAllSuites(t, 'one', { tripped: [tripped(2)], limits });
    expect(told.limits.map(({ short, label }) => `${short} | ${label}`)).toEqual([
      'toy-refusal < 84.0 % | Tripwire of toy-refusal: below 84.0 %',
      'toy-refusal > 84.0 % | Tripwire of toy-refusal: above 84.0 %',
      'toy-refusal ≤ 84.0 % | Tripwire of toy-refusal: 84.0 % or lower',
      'toy-refusal ≥ 84.0 % | Tripwire of toy-refusal: 84.0 % or higher',
    ]);
    expect(told.marks).toEqual([{ x: 2, label: 'after step 2' }]);
  });
});

describe('labels of lines along a figure', () => {
  const figure = { left: 100, top: 0, bottom: 200, height: 10 };
  const place = (...limits: [at: number, isFloor: boolean][]) =>
    placeLimits(
      limits.map(([at, isFloor]) => ({ at, isFloor, width: 40 })),
      figure,
    );

  it('stand on the side of their line that curves are not on, and on the other one at the edge of the figure', () => {
    expect(place([100, true])).toEqual([{ x: 104, y: 110 }]);
    expect(place([100, false])).toEqual([{ x: 104, y: 96 }]);
    expect(place([195, true])).toEqual([{ x: 104, y: 191 }]);
    expect(place([5, false])).toEqual([{ x: 104, y: 15 }]);
  });

  it('stand side by side where they would lie on each other', () => {
    expect(place([100, true], [104, true], [102, true], [130, true])).toEqual([
      { x: 104, y: 110 },
      { x: 152, y: 114 },
      { x: 200, y: 112 },
      { x: 104, y: 140 },
    ]);
  });
});
