import { describe, expect, it } from 'vitest';
import { PHASES, type AuditPlan, type Phase } from '../../../../electron/contract/index.ts';
import {
  drawAudit,
  middleSteps,
  PAPER_PHASES,
  wantedOf,
  type AuditCandidate,
} from '../../../../electron/supervision/index.ts';

const candidates = (steps: number, perCell: number): AuditCandidate[] =>
  Array.from({ length: steps }, (_, at) => at + 1).flatMap((step) =>
    PHASES.flatMap((phase) =>
      Array.from({ length: perCell }, (_each, index): AuditCandidate => ({
        id: `${step}/pred_code_o/${index}#${phase}`,
        rolloutId: `${step}/pred_code_o/${index}`,
        step,
        batch: 'pred_code_o',
        phase,
        status: 'done',
        decision: index % 2 === 0 ? 'continue' : 'retry',
        leaks: [],
        reviewer: 'llama',
        model: 'm',
      })),
    ),
  );
const plan = (changes: Partial<AuditPlan> = {}): AuditPlan => ({
  runId: 'r',
  fromStep: 1,
  toStep: 20,
  perPhase: 2,
  phases: [...PAPER_PHASES],
  seed: 3,
  ...changes,
});

describe("The paper's sample", () => {
  it('is 160 reviews: two of each phase but exec from each of the middle twenty steps', () => {
    const steps = middleSteps(60);
    expect(steps).toEqual({ fromStep: 21, toStep: 40 });
    const sample = drawAudit(plan(steps), candidates(60, 5));
    expect([sample.length, wantedOf(plan(steps))]).toEqual([160, 160]);
    const cells = new Map<string, number>();
    for (const { step, phase } of sample)
      cells.set(`${step}/${phase}`, (cells.get(`${step}/${phase}`) ?? 0) + 1);
    expect(new Set(cells.values())).toEqual(new Set([2]));
    expect(sample.some(({ phase }) => phase === 'exec')).toBe(false);
  });

  it.each([
    [0, 1, 0],
    [1, 1, 1],
    [7, 1, 7],
    [20, 1, 20],
    [24, 3, 22],
    [25, 3, 22],
  ])('of a run of %i steps covers steps %i to %i', (committed, fromStep, toStep) => {
    expect(middleSteps(committed)).toEqual({ fromStep, toStep });
  });
});

describe('Drawing a sample', () => {
  it('gives the same reviews in the same order for the same seed, whatever order they are stored in', () => {
    const all = candidates(20, 6);
    expect(drawAudit(plan(), all.toReversed())).toEqual(drawAudit(plan(), all));
    expect(drawAudit(plan({ seed: 4 }), all)).not.toEqual(drawAudit(plan(), all));
  });

  it('mixes steps and phases, so that a tired rater does not bend one of them', () => {
    const order = drawAudit(plan(), candidates(20, 6)).map(({ step }) => step);
    const rises = order.filter((step, at) => at > 0 && step >= (order[at - 1] ?? 0)).length;
    expect(rises / order.length).toBeLessThan(0.75);
  });

  it('draws each review of a cell about equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 600; seed += 1)
      for (const { reviewId } of drawAudit(plan({ toStep: 1, phases: ['plan'], seed }), candidates(1, 6)))
        counts.set(reviewId, (counts.get(reviewId) ?? 0) + 1);
    // 200 expected each; five standard deviations of a binomial.
    for (const count of counts.values())
      expect(Math.abs(count - 200)).toBeLessThan(5 * Math.sqrt(600 * (1 / 3) * (2 / 3)));
    expect(counts.size).toBe(6);
  });

  it('takes what there is where a phase was reviewed less often', () => {
    expect(drawAudit(plan({ perPhase: 9 }), candidates(20, 3))).toHaveLength(20 * 4 * 3);
  });

  it('can be about one record alone', () => {
    const rolloutId = '4/pred_code_o/1';
    const sample = drawAudit(plan({ fromStep: 4, toStep: 4, rolloutId }), candidates(20, 6));
    expect(sample.map((item) => item.rolloutId)).toEqual([rolloutId, rolloutId, rolloutId, rolloutId]);
    expect(wantedOf(plan({ fromStep: 4, toStep: 4, rolloutId }))).toBe(4);
  });

  it('leaves out what was not answered and what people answered, and keeps what the guard held back', () => {
    const [first, second, third, fourth] = candidates(1, 4).filter(
      ({ phase }: { phase: Phase }) => phase === 'plan',
    ) as [AuditCandidate, AuditCandidate, AuditCandidate, AuditCandidate];
    const sample = drawAudit(plan({ perPhase: 9 }), [
      { ...first, status: 'failed', decision: null },
      { ...second, reviewer: 'human' },
      { ...third, status: 'quarantined', leaks: ['a', 'b'] },
      fourth,
    ]);
    expect(sample.map(({ reviewId }) => reviewId).sort()).toEqual([third.id, fourth.id].sort());
    expect(sample.find(({ reviewId }) => reviewId === third.id)).toMatchObject({
      status: 'quarantined',
      leaks: 2,
    });
  });
});
