import { expect, it, vi } from 'vitest';
import { fetchGguf, missingModel, type PublicModel } from '../../../support/public-models.ts';
import {
  divergence,
  firstProbabilities,
  greedyAnswers,
  loadTogether,
  questionsOf,
} from './asked-together.ts';

vi.setConfig({ testTimeout: 1_800_000 });

const TOGETHER = 8;
const BATCHES = 4;
const REPEATS = 50;

for (const name of ['smollm2-135m', 'qwen2.5-coder-0.5b'] satisfies PublicModel[])
  it(`${BATCHES} batches of ${TOGETHER} questions to ${name} give the same bits in ${REPEATS} repeats, each with its own first token`, async (test) => {
    const file = fetchGguf(name);
    if (file === null) return test.skip(missingModel(name));
    const together = await loadTogether(file, TOGETHER, 2);
    const alone = await loadTogether(file, 1, 2);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const questions = questionsOf(together.model, TOGETHER, batch);
      const answers = await greedyAnswers(together, questions, 3);
      const shared = await firstProbabilities(together, questions);
      for (let repeat = 0; repeat < REPEATS; repeat += 1) {
        expect(await greedyAnswers(together, questions, 3), `batch ${batch}, repeat ${repeat}`).toEqual(
          answers,
        );
        if (repeat < 5) expect(await firstProbabilities(together, questions)).toEqual(shared);
      }
      for (const [index, question] of questions.entries()) {
        const [own] = await firstProbabilities(alone, [question]);
        expect(divergence(own as never, shared[index] as never)).toBeLessThan(0.05);
      }
    }
    await together.dispose();
    await alone.dispose();
  });
