import { describe, expect, it } from 'vitest';
import { Audits, type AuditTools } from '../../../electron/reviewing/audits.ts';
import { materialOf } from '../../../electron/reviewing/judge-material.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { inLab } from '../store/support/in-lab.ts';
import { makeCommit, makeReview, withRatedAnswers } from '../store/support/make-records.ts';

/** A step with rated answers and others, whose plans are reviewed and all of whose reviews are audited. */
function auditedStep(lab: Lab) {
  const commit = withRatedAnswers(makeCommit(1));
  const rated = commit.rollouts.filter(({ role }) => role === 'assistant');
  lab.commitStep('a', {
    ...commit,
    reviews: [...commit.reviews, ...rated.map((rollout) => makeReview(rollout, 'plan', 1))],
  });
  const tools = { store: lab, clock: { now: () => new Date(0) }, randomId: () => 'x', emit: () => {} };
  const audits = new Audits(tools as unknown as AuditTools);
  const plan = { runId: 'a', fromStep: 1, toStep: 1, perPhase: 50, phases: ['plan' as const], seed: 1 };
  const audit = audits.get(audits.create(plan).id);
  const itemOf = (rolloutId: string) => audit.items.find((item) => item.rolloutId === rolloutId)!;
  return {
    agent: (rolloutId: string) => audits.detail(audit.head.id, itemOf(rolloutId).ordinal).agent,
    told: (rolloutId: string) => materialOf(lab, audit, itemOf(rolloutId))?.outcome,
  };
}

describe('how an audited answer ended', () => {
  it('is what the user said who rated it, and a judge is told of no verifier', () =>
    inLab((lab) => {
      const { agent, told } = auditedStep(lab);
      expect(agent('1/pred_request/0')).toMatchObject({ outcome: 'satisfied', reason: null });
      expect(agent('1/pred_request/1')).toMatchObject({ outcome: 'dissatisfied', reason: null });
      expect([told('1/pred_request/0'), told('1/pred_request/1')]).toEqual([null, null]);
    }));

  it('is the verifier’s result where one verified it, and invalid with the reason where it could not be read', () =>
    inLab((lab) => {
      const { agent, told } = auditedStep(lab);
      const verified = makeCommit(1).rollouts.find(({ verdict }) => verdict.outcome === 'failed')!;
      expect(agent(verified.id)).toMatchObject({ outcome: 'failed', reason: null });
      expect(told(verified.id)).toBe('failed');
      const reason = 'The response is not a think block followed by an answer block.';
      expect(agent('1/pred_request/2')).toMatchObject({ outcome: 'invalid', reason });
      expect(told('1/pred_request/2')).toBe(`invalid: ${reason}`);
    }));
});
