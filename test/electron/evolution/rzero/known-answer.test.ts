import { describe, expect, it } from 'vitest';
import { computedAnswer } from '../../../../electron/evolution/frameworks/rzero/known-answer.ts';

describe('the answer to a question that is mere arithmetic', () => {
  it.each([
    ['What is 12 + 30, plus 4?', '46'],
    ['Compute $2 + 3 \\cdot 4$.', '14'],
    ['Find the value of (2 + 3) * 4 - 6/4', '37/2'],
    ['What is 7 divided by 21?', '1/3'],
    ['Evaluate: 2^3^2 =', '512'],
    ['What is -2^2?', '-4'],
    ['3 × 0.5 − 2 ÷ 4', '1'],
  ])('of "%s" is %s', (question, answer) => {
    expect(computedAnswer(question)).toBe(answer);
  });

  it.each([
    'What is the sum of the first 5 natural numbers?',
    'What is 5?',
    'What is 5 / 0?',
    'What is 2 + ?',
    'What is 2 + x?',
    'What is 9^9^9?',
    'What is 2^-1?',
    '12 apples + 3 apples',
    '((((1+2)',
    '',
  ])('is not known here of "%s"', (question) => {
    expect(computedAnswer(question)).toBeNull();
  });
});
