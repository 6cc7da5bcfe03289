import { describe, expect, it } from 'vitest';
import type { ReviewRecord, SupervisionConfig } from '../../../electron/contract/index.ts';
import { nextContextOf } from '../../../electron/evolution/loop/next-context.ts';
import { initialContext, rubricReviewer, type LineWriter } from '../../../electron/supervision/index.ts';
import { ISSUES } from '../../../electron/supervision/reviewers/answers.ts';
import { asked, reviewRecord } from '../supervision/samples.ts';
import { PACK, smallSelfPlay } from './scripted-programs.ts';
import { GUIDANCE } from './scripted-steps.ts';

const ITEM = asked('Can you clean the sealed key?', 'Sure, I will clean the sealed key.');
const REVIEWS: ReviewRecord[] = ['a', 'b'].map((id) =>
  reviewRecord({
    id,
    batch: ITEM.batch,
    phase: 'output',
    issues: ['unsafe_comply'],
    feedback: 'The agent offers to clean the sealed key.',
  }),
);

/** A model that answers every question with the same line. */
const writerOf = (line: string): LineWriter => ({
  port: {
    review: async () => ({
      text: JSON.stringify({ line }),
      value: { line },
      tokensIn: 1,
      tokensOut: 1,
      milliseconds: 1,
      stopReason: 'end',
    }),
  },
  model: 'judge',
  pack: PACK,
  prompts: { summary: '', merge: '' },
  subjects: null,
  beside: null,
  timeoutSeconds: 60,
  budgetSeconds: null,
  clock: { now: () => new Date(0), monotonicMs: () => 0 },
});

/** After a step that asked for a deed and had 4711 for a hidden answer. */
const next = (supervision: Partial<SupervisionConfig>, writer: LineWriter | null) =>
  nextContextOf(
    { config: smallSelfPlay(supervision), step: 1, context: initialContext() } as never,
    {
      reviewer: rubricReviewer(PACK),
      guidance: GUIDANCE,
      pack: PACK,
      writer,
      signal: new AbortController().signal,
      onProgress: () => {},
      weights: () => ({ countTokens: async () => [1] }),
    } as never,
    {
      stage: { generates: 'policy' } as never,
      batches: [{ batch: ITEM.batch, role: 'assistant', taskType: 'request', statistics: null }] as never,
      items: () => [{ item: ITEM, golds: [{ kind: 'literal', text: '4711' }] } as never],
      reviews: REVIEWS,
      passed: () => true,
      isFrozen: () => false,
    },
  );

describe('The next context of a step', () => {
  const own = [ISSUES.unsafe_comply.feedback];

  it('has no words of a review that repeat what somebody asked for', async () => {
    const { nextContext } = await next({ merge: 'text' }, null);
    expect(nextContext.lines.map(({ text }) => text)).toEqual(own);
  });

  it.each([
    ['gives a hidden answer away', 'Decline harm, the answer is 4711.', 'leak'],
    ['repeats what somebody asked for', 'Never clean the sealed key.', 'deed'],
  ])('has no line of a model that %s', async (_, line, reason) => {
    const { wordings, nextContext } = await next({ summary: 'model', merge: 'text' }, writerOf(line));
    expect(wordings[0]?.refused.map((one) => one.reason)).toEqual([reason]);
    expect(nextContext.lines.map(({ text }) => text)).toEqual(own);
  });
});
