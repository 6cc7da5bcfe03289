// @module-tag full
import { expect, it } from 'vitest';
import {
  CASES_RECORDED,
  difference,
  ownAnswer,
  recordedAnswers,
  referenceAnswers,
  textCase,
} from './support/text-cases.ts';

const CASES = 1_000;

it(`BLEU and groups agree with NLTK and scikit-learn in ${CASES} random cases, the recorded ones among them`, async () => {
  const cases = Array.from({ length: CASES }, (_, number) => textCase(number));
  const answers = referenceAnswers(cases);
  expect(answers.slice(0, CASES_RECORDED)).toEqual(recordedAnswers());
  for (const [number, one] of cases.entries())
    expect(difference(await ownAnswer(one), answers[number]!), `case ${number}`).toBeNull();
}, 600_000);

it('so they do for 300 texts at once', async () => {
  const texts = Array.from({ length: 60 }, (_, number) => textCase(number + CASES).texts)
    .flat()
    .slice(0, 300);
  const one = { texts, cut: 0.5 };
  expect(difference(await ownAnswer(one), referenceAnswers([one])[0]!)).toBeNull();
}, 600_000);
