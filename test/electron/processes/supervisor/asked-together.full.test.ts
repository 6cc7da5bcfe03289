// @module-tag full
import { expect, it, vi } from 'vitest';
import { fetchGguf, missingModel, type PublicModel } from '../../../support/public-models.ts';
import { answersTogether, loadRows, questionsOf } from './asked-together.ts';
import { expectOwnFirstTokens, firstTokens } from './first-token.ts';

vi.setConfig({ testTimeout: 7_200_000 });

const ROWS = 8;
const BATCHES = 4;
const REPEATS = 50;
const REPEATED = ['smollm2-135m', 'qwen2.5-coder-0.5b'] satisfies PublicModel[];

for (const name of REPEATED)
  it(`${BATCHES} batches of ${ROWS} questions to ${name} have the same answers in ${REPEATS} repeats`, async (test) => {
    const file = fetchGguf(name);
    if (file === null) return test.skip(missingModel(name));
    const rows = await loadRows(file, ROWS, 2);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const questions = questionsOf(ROWS, batch);
      const answers = await answersTogether(rows, questions);
      for (let repeat = 1; repeat < REPEATS; repeat += 1)
        expect(await answersTogether(rows, questions, repeat), `batch ${batch}, repeat ${repeat}`).toEqual(
          answers,
        );
    }
    await rows.close();
  });

// The largest too, among whose answers the first tokens were seen to be taken.
for (const name of [...REPEATED, 'qwen2.5-coder-1.5b'] satisfies PublicModel[])
  it(`each question asked together of ${name} has its own first token, within rounding`, async (test) => {
    const file = fetchGguf(name);
    if (file === null) return test.skip(missingModel(name));
    for (let batch = 0; batch < BATCHES; batch += 1)
      expectOwnFirstTokens(await firstTokens(file, questionsOf(ROWS, batch), 2));
  });
