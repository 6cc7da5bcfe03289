import { describe, expect, it } from 'vitest';
import type { EvaluationPlanRecord, EvaluationScore } from '../../../../electron/contract/index.ts';
import { matrixOf } from '../../../../electron/evaluation/results/matrix.ts';
import type { Lab } from '../../../../electron/store/index.ts';
import { fillRun, inLab } from '../../store/support/in-lab.ts';

const sha256 = 'b'.repeat(64);
const request = { seed: null, limit: null, context: null, judge: null };

/** Three answers of a run's checkpoint at its start, of which `passed` pass. */
function evaluated(
  lab: Lab,
  runId: string,
  passed: number,
  { judge = null, protocol = 'usual' }: { judge?: string | null; protocol?: string } = {},
): void {
  const id = `of ${runId}${judge === null ? '' : ` by ${judge}`}`;
  const weights = lab.getCheckpoint(runId, 0)?.weightsSha256 ?? '';
  const plan: EvaluationPlanRecord = {
    subject: {
      id: `${runId}@0`,
      kind: 'checkpoint',
      label: `run ${runId}, step 0`,
      runId,
      step: 0,
      model: 'm',
      format: 'safetensors',
      sha256: weights,
    },
    suite: 'toy-refusal',
    group: 'toy',
    suiteVersion: '1',
    source: { dataset: null, sha256 },
    context: null,
    judge: judge === null ? null : { kind: 'gguf', name: judge, sha256, promptVersion: '1' },
    seed: 1,
    limit: 3,
    items: 3,
    grader: {},
    protocol: {
      name: protocol,
      version: '1',
      temperature: 1,
      topP: 1,
      maxNewTokens: 192,
      samples: 1,
      promptPack: 'compact',
    },
  };
  const score: EvaluationScore = {
    name: 'passed',
    value: passed / 3,
    low: 0,
    high: 1,
    unit: 'share',
    n: 3,
    better: 'higher',
    interval: 'wilson',
  };
  lab.beginEvaluation({ id, plan, weightsSha256: weights, planned: 3 });
  lab.putEvaluationItems(
    id,
    [0, 1, 2].map((ordinal) => ({
      ordinal,
      itemId: `i${ordinal}`,
      sample: 0,
      asked: [{ role: 'user' as const, content: 'q' }],
      target: null,
      text: 'answer',
      newTokens: 1,
      grade: {
        outcome: ordinal < passed ? ('passed' as const) : ('failed' as const),
        score: null,
        method: 'rules',
        reason: null,
        flags: [],
        judge: null,
        details: {},
      },
    })),
  );
  lab.finishEvaluation(id, [score], 10);
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
