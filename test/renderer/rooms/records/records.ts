import type { FullRecord, Review, Task } from '../../../../renderer/rooms/records/model/types.ts';

export const review = (part: Partial<Review> = {}): Review => ({
  id: '3/pred_code_o/1#plan', step: 3, batch: 'pred_code_o', phase: 'plan', rolloutId: '3/pred_code_o/1', status: 'done', gateProbability: 0.3, decision: 'retry', issues: ['vague-plan'],
  feedback: 'The plan names no step.', reviewer: 'rubric', model: null, prompt: 'Review the plan: add', leaks: [], tokensIn: 120, tokensOut: 14, milliseconds: 250, createdAt: '2026-01-01T00:00:00.000Z', ...part,
});

export const task = (part: Partial<Task> = {}): Task => ({
  id: 't1', taskType: 'deduction', step: 2, origin: 'proposal', rolloutId: '2/gen_code_o/4', program: 'def f(x):\n    return x + 1', inputs: ['1'], outputs: ['2'], message: null, imports: [], solveRate: 0.25, ...part,
});

/** A solved deduction with a review of its plan. */
export const record = (rollout: Partial<FullRecord['rollout']> = {}, rest: Partial<Omit<FullRecord, 'rollout'>> = {}): FullRecord => ({
  rollout: {
    id: '3/pred_code_o/1', step: 3, batch: 'pred_code_o', index: 1, sample: null, purpose: 'solve', role: 'solver', taskType: 'deduction', taskId: 't1', contextHash: '', user: 'Predict f(1).',
    text: '<plan>add</plan><think>1 + 1</think><answer>3</answer>', plan: 'add', thought: '1 + 1', answer: '3', formatOk: true, finish: 'stop', promptTokens: 20, newTokens: 12, logpMean: -0.5,
    verdict: { outcome: 'failed', reason: 'wrong-value', accuracy: 0, sandboxLevel: 'L3' }, reward: -0.5, advantage: -0.25, ...rollout,
  },
  reviews: [review()], task: task(), execReview: null, ...rest,
});
