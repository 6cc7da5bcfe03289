import { expect, it } from 'vitest';
import { outcomesAround } from '../../../electron/live/index.ts';
import { inLab } from '../store/support/in-lab.ts';
import { makeCommit, withRatedAnswers } from '../store/support/make-records.ts';

it('around a change of the context, answers that a user rated are counted as satisfied, and only verified ones as passed', () =>
  inLab((lab) => {
    lab.commitStep('a', withRatedAnswers(makeCommit(1)));
    lab.commitStep('a', withRatedAnswers(makeCommit(2)));
    const around = outcomesAround(lab, 'a', 2, 1);
    const assistant = around.find(({ role }) => role === 'assistant');
    expect(assistant).toMatchObject({
      before: { n: 3, passed: null, satisfied: 1 },
      after: { n: 3, passed: null, satisfied: 1 },
      passChange: null,
      satisfiedChange: { difference: 0 },
    });
    const solver = around.find(({ role }) => role === 'solver');
    const trained = lab
      .listRollouts('a', 1)
      .filter(({ role, reward }) => role === 'solver' && reward !== null);
    expect(solver).toMatchObject({
      before: {
        n: trained.length,
        passed: trained.filter(({ verdict }) => verdict.outcome === 'passed').length,
        satisfied: null,
      },
      passChange: { difference: 0 },
      satisfiedChange: null,
    });
  }));
