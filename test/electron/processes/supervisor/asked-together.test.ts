import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ggufAtHand } from '../../../support/public-models.ts';
import { scratch, supervisorModel } from '../support.ts';
import {
  divergence,
  firstProbabilities,
  greedyAnswers,
  loadTogether,
  questionsOf,
  type Together,
} from './asked-together.ts';

const folder = scratch();
const TOGETHER = 6;

const SMOLLM = ggufAtHand('smollm2-135m');
const MODELS: [name: string, file: () => string][] = [['the embedded model', () => supervisorModel(folder)]];
if (SMOLLM !== null) MODELS.push(['SmolLM2', () => SMOLLM]);

describe.each(MODELS)('questions of different length asked together of %s', (_name, file) => {
  let together: Together;
  let alone: Together;
  beforeAll(async () => {
    together = await loadTogether(file(), TOGETHER, 1);
    alone = await loadTogether(file(), 1, 1);
  });
  afterAll(async () => {
    await together.dispose();
    await alone.dispose();
  });

  it('give the same answers every time', async () => {
    const questions = questionsOf(together.model, TOGETHER, 0);
    const first = await greedyAnswers(together, questions, 4);
    for (let repeat = 0; repeat < 5; repeat += 1)
      expect(await greedyAnswers(together, questions, 4)).toEqual(first);
  });

  it('each begin with their own first token: its probabilities are those of the question asked alone', async () => {
    const questions = questionsOf(together.model, TOGETHER, 1);
    const shared = await firstProbabilities(together, questions);
    for (const [index, question] of questions.entries()) {
      const [own] = await firstProbabilities(alone, [question]);
      expect(divergence(own as never, shared[index] as never)).toBeLessThan(0.02);
    }
  });
});
