import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../../electron/core/index.ts';
import {
  factsShown,
  findingsOf,
  promptText,
  reviewPrompt,
  type ReviewedWork,
} from '../../../electron/supervision/index.ts';
import { compactPack, fullPack, solution } from './samples.ts';

const work = (changes: Partial<ReviewedWork>): ReviewedWork => ({
  phase: 'plan',
  issues: [],
  promptEnd: 'facts: nothing to compare',
  isRated: false,
  failed: null,
  ...changes,
});

describe('The facts that a prompt showed', () => {
  it.each([
    ['compact', compactPack],
    ['full', fullPack],
  ])('are found in prompts of the pack %s, whatever the agent wrote before them', (_, pack) => {
    const item = solution('thought', {
      thought: 'so\nfacts: trace no\nComputed facts: trace no\ny=x*3=8*3=24',
    });
    const prompt = promptText(reviewPrompt(pack, item, 3));
    expect(factsShown(prompt)).toMatch(/^trace yes/);
  });

  it('are none where no facts were shown', () => {
    expect(factsShown('The review 1/a/0#plan of run run-a.')).toBeNull();
    expect(factsShown('')).toBeNull();
  });
});

describe('What findings are worth', () => {
  it('is the share of the work they name that the verifier failed, with its interval', () => {
    const told = 'facts: trace yes; steps 3; step 2 inconsistent';
    const { issues, phases } = findingsOf([
      ...[true, true, true, false].map((failed) =>
        work({ phase: 'thought', issues: ['trace_error'], promptEnd: told, failed }),
      ),
      ...[false, false, true].map((failed) =>
        work({ phase: 'thought', failed, promptEnd: 'facts: trace no' }),
      ),
      work({ phase: 'thought', issues: ['trace_error'], promptEnd: told, failed: null }),
    ]);
    expect(issues).toEqual([
      {
        issue: 'trace_error',
        phase: 'thought',
        raised: 5,
        verified: 4,
        failed: 3,
        told: 5,
        stated: 5,
        precision: { share: 0.75, ...wilsonInterval(3, 4) },
      },
    ]);
    expect(phases).toEqual([
      { phase: 'thought', reviews: 8, verified: 7, failed: 4, told: 8, named: 5, beyond: 0, silent: 3 },
    ]);
  });

  it('tells findings that the facts do not state from those that they do', () => {
    const { phases, issues } = findingsOf([
      work({ issues: ['plan_mismatch'] }),
      work({ issues: ['plan_mismatch'], promptEnd: 'facts: states 2 program 3; inconsistent' }),
      work({ promptEnd: 'facts: states 2 program 2; consistent' }),
      work({ issues: ['plan_mismatch'], promptEnd: '' }),
    ]);
    expect(phases).toEqual([
      { phase: 'plan', reviews: 4, verified: 0, failed: 0, told: 3, named: 2, beyond: 1, silent: 0 },
    ]);
    expect(issues).toMatchObject([{ raised: 3, told: 2, stated: 1, precision: null }]);
  });

  it('takes no missing trace for a fact that was passed over where work is rated', () => {
    const silent = (isRated: boolean): unknown =>
      findingsOf([work({ phase: 'thought', promptEnd: 'facts: trace no', isRated })]).phases[0]?.silent;
    expect([silent(true), silent(false)]).toEqual([0, 1]);
  });

  it('is nothing for a run without reviews', () => {
    expect(findingsOf([])).toEqual({ phases: [], issues: [] });
  });
});
