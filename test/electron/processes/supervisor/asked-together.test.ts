import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SupervisorClient } from '../../../../electron/processes/index.ts';
import { ggufAtHand, missingModel } from '../../../support/public-models.ts';
import { scratch, supervisorModel } from '../support.ts';
import { answersTogether, loadRows, questionsOf } from './asked-together.ts';
import { expectOwnFirstTokens, firstTokens } from './first-token.ts';

const folder = scratch();
const ROWS = 6;

const SMOLLM = ggufAtHand('smollm2-135m');
/** Once more, of a published model. */
const ONCE_MORE = { tags: ['full'] };
if (SMOLLM === null) it('asks SmolLM2 too', ONCE_MORE, (test) => test.skip(missingModel('smollm2-135m')));
else
  describe('questions of different length asked together of SmolLM2', ONCE_MORE, () =>
    askTogether(() => SMOLLM),
  );

describe('questions of different length asked together of the embedded model', () =>
  askTogether(() => supervisorModel(folder)));

function askTogether(file: () => string): void {
  let rows: SupervisorClient;
  beforeAll(async () => {
    rows = await loadRows(file(), ROWS, 1);
  }, 120_000);
  afterAll(() => rows.close());

  it('have the same answers every time and in every order, more of them than there are rows', async () => {
    const questions = questionsOf(ROWS + 3, 0);
    const first = await answersTogether(rows, questions);
    expect(new Set(first).size).toBeGreaterThan(3);
    for (let repeat = 1; repeat <= 2; repeat += 1)
      expect(await answersTogether(rows, questions, repeat)).toEqual(first);
  }, 120_000);

  it('each have their own first token, the one of the question asked alone', async () => {
    expectOwnFirstTokens(await firstTokens(file(), questionsOf(ROWS, 1), 1));
  }, 120_000);
}
