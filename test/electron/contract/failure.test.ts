import { expect, it } from 'vitest';
import { Failure } from '../../../electron/contract/index.ts';
import { quotableLines } from '../../../electron/core/index.ts';

it('a failure breaks its own lines and none of what it quotes', () => {
  const failure = new Failure('badTask', 'Nothing of "a\nb" could be used.', 2, {
    details: ['Examples: “c\u001b[2J\n”', 'Change it.'],
  });
  expect(failure.message).toBe('Nothing of "a\nb" could be used.\nExamples: “c\u001b[2J\n”\nChange it.');
  expect(quotableLines(failure, 100)).toBe(
    'Nothing of "a\\u{a}b" could be used.\nExamples: “c\\u{1b}[2J\\u{a}”\nChange it.',
  );
  expect(quotableLines(failure, 7)).toBe('Nothing…\nExample…\nChange …');
});
