import { describe, expect, it } from 'vitest';
import type { EvaluationPlanRecord } from '../../../../electron/contract/index.ts';
import { compareEvaluations } from '../../../../electron/evaluation/results/compare.ts';
import { matrixOf } from '../../../../electron/evaluation/results/matrix.ts';
import type { Lab } from '../../../../electron/store/index.ts';
import { fillRun, inLab } from '../../store/support/in-lab.ts';
import { SET_SHA256, storeEvaluation } from '../../store/support/stored-evaluation.ts';

const request = { seed: null, limit: null, context: null, judge: null };

/** Three answers of a run's checkpoint at its start, of which `passed` pass. */
function evaluated(
  lab: Lab,
  runId: string,
  passed: number,
  {
    judge = null,
    protocol = 'usual',
    step = 0,
    context = null,
    version = '1',
  }: {
    judge?: string | null;
    protocol?: string;
    step?: number;
    context?: EvaluationPlanRecord['context'];
    version?: string;
  } = {},
): void {
  const under = context === null ? '' : ' under its context';
  const id = `of ${runId}${step === 0 ? '' : ` at ${step}`}${under}${judge === null ? '' : ` by ${judge}`}`;
  storeEvaluation(lab, {
    id,
    runId,
    step,
    passed: [0, 1, 2].map((ordinal) => ordinal < passed),
    protocol,
    plan: {
      suiteVersion: version,
      context,
      judge: judge === null ? null : { kind: 'gguf', name: judge, sha256: SET_SHA256, promptVersion: '1' },
      limit: 3,
    },
  });
}

describe('The matrix of two runs that began with the same weights', () => {
  it("shows each run its own evaluation, and the other one's where it has none", () =>
    inLab((lab) => {
      fillRun(lab, 'b', 0);
      const idsOf = (): (string | undefined)[] =>
        matrixOf(lab, { ...request, subjects: ['a@0', 'b@0'] }).rows[0]?.cells.map(
          (cell) => cell?.evaluationIds[0],
        ) ?? [];
      evaluated(lab, 'a', 1);
      expect(idsOf()).toEqual(['of a', 'of a']);
      evaluated(lab, 'b', 2);
      expect(idsOf()).toEqual(['of a', 'of b']);
    }));
});

describe('The matrix of one suite under two versions of its rules', () => {
  it('marks the newer score against the older one and says what to do', () =>
    inLab((lab) => {
      fillRun(lab, 'b', 0);
      const shown = () => matrixOf(lab, { ...request, subjects: ['a@0', 'b@0'] });
      evaluated(lab, 'a', 1);
      evaluated(lab, 'b', 2);
      expect(shown()).toMatchObject({ warnings: [] });
      expect(shown().rows[0]?.cells.map((cell) => cell?.marks)).toEqual([[], []]);
      lab.removeEvaluation('of b');
      evaluated(lab, 'b', 2, { version: '2' });
      expect(shown().rows[0]?.cells.map((cell) => cell?.marks)).toEqual([[], ['rules']]);
      expect(shown().warnings.join()).toMatch(/versions 1 and 2 .* evaluate the older ones again/);
    }));
});

describe('The matrix of what two judges decided', () => {
  it('is asked for one of them, and tells which there are and how each suite was asked', () =>
    inLab((lab) => {
      const shown = (judge: string | null) => matrixOf(lab, { ...request, judge, subjects: ['a@0'] });
      evaluated(lab, 'a', 1, { judge: 'strict', protocol: 'azr' });
      evaluated(lab, 'a', 2, { judge: 'mild' });
      expect(shown('strict').rows[0]?.cells[0]?.evaluationIds).toEqual(['of a by strict']);
      expect(shown('mild').rows[0]?.cells[0]?.evaluationIds).toEqual(['of a by mild']);
      expect(shown('nobody').rows).toEqual([]);
      expect(shown(null).judges.toSorted()).toEqual(['mild', 'strict']);
      expect([shown('strict').protocols, shown('mild').protocols]).toEqual([
        { 'toy-refusal': 'azr' },
        { 'toy-refusal': 'usual' },
      ]);
    }));
});

describe('The matrix of both ways of asking', () => {
  const keys = (lab: Lab, subjects: string[]) =>
    matrixOf(lab, { ...request, context: 'both', subjects }).columns.map(({ key }) => key);

  it('has a second column only where a context had a line', () =>
    inLab((lab) => {
      const lines = [0, 1].map((step) => lab.getContext('a', step + 1)?.lines.length ?? 0);
      expect([lines[0], (lines[1] ?? 0) > 0]).toEqual([0, true]);
      expect(keys(lab, ['a@0', 'a@1'])).toEqual(['a@0', 'a@1', 'a@1~context']);
    }, 1));

  it('shows the weights’ figures under a context without a line, and says so', () =>
    inLab((lab) => {
      evaluated(lab, 'a', 1);
      const { columns, rows } = matrixOf(lab, { ...request, context: 'run', subjects: ['a@0'] });
      expect([columns[0]?.emptyContext, rows[0]?.cells[0]?.evaluationIds]).toEqual([true, ['of a']]);
    }));

  it('tells how a cell differs from that of its base, paired by item', () =>
    inLab((lab) => {
      evaluated(lab, 'a', 1);
      evaluated(lab, 'a', 3, { step: 1 });
      const shown = matrixOf(lab, { ...request, context: 'both', subjects: ['a@0', 'a@1'], changes: true });
      expect(shown.columns[1]?.base).toBe('a@0');
      const [, cell] = shown.rows[0]?.cells ?? [];
      expect(cell?.change).toMatchObject({ value: expect.closeTo(2 / 3), n: 3, method: 'paired' });
      // Two of three gained, none lost: Newcombe's method 10 for paired shares, by the engine's own rule for flips.
      const { low, high } = compareEvaluations(lab, 'of a', 'of a at 1');
      expect([cell?.change?.low, cell?.change?.high]).toEqual([low, high]);
    }, 1));

  const changeOfBoth = (lab: Lab, counts: 'passed' | 'failed', before: string, after: string) => {
    for (const [step, answers] of [before, after].entries())
      storeEvaluation(lab, {
        id: `at ${step}`,
        runId: 'a',
        step,
        samples: 3,
        counts,
        passed: [...answers].map((letter) => letter === 'p'),
      });
    const { rows } = matrixOf(lab, { ...request, subjects: ['a@0', 'a@1'], changes: true });
    return {
      change: rows[0]?.cells[1]?.change,
      found: compareEvaluations(lab, 'at 0', 'at 1'),
    };
  };

  it('finds the same change as comparing answer by answer where items have several answers', () =>
    inLab((lab) => {
      const { change, found } = changeOfBoth(lab, 'passed', 'pppfffpffppf', 'pppppffffppp');
      expect(change).toEqual({
        value: found.difference,
        low: found.low,
        high: found.high,
        n: 4,
        method: 'paired',
      });
    }, 1));

  it('mirrors it where the score counts failures, also from one half of them to another half', () =>
    inLab((lab) => {
      const { change, found } = changeOfBoth(lab, 'failed', 'ppppppffffff', 'pppfffpppfff');
      expect(change).toMatchObject({ value: 0, n: 4, method: 'paired' });
      expect([change?.low, change?.high]).toEqual([-found.high, -found.low]);
    }, 1));

  it('counts failures on both sides where one of them is at one half', () =>
    inLab((lab) => {
      const { change, found } = changeOfBoth(lab, 'failed', 'ppppppffffff', 'pppppppppfff');
      expect([change?.value, change?.low, change?.high]).toEqual([
        -found.difference,
        -found.high,
        -found.low,
      ]);
    }, 1));
});
