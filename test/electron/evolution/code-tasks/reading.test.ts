import { describe, expect, it } from 'vitest';
import type { CodeTaskType } from '../../../../electron/contract/index.ts';
import type { Compatibility } from '../../../../electron/core/index.ts';
import {
  REASON_SENTENCES,
  reasonSentence,
} from '../../../../electron/evolution/code-tasks/checking/reasons.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';
import { type ProposalReading } from '../../../../electron/evolution/code-tasks/task-types/task-type.ts';

type Ask = { taskType: CodeTaskType; givenProgram: string | null; inductionInputs: number };
const TRIPLET: Ask = { taskType: 'deduction', givenProgram: null, inductionInputs: 6 };
const INDUCTION: Ask = { taskType: 'induction', givenProgram: 'def f(x):\n return x', inductionInputs: 3 };
const readProposal = (answer: string, { taskType, ...ask }: Ask, mode: Compatibility): ProposalReading =>
  definitionOf(taskType).readProposal(answer, ask, mode);
const program = 'def f(x):\n return x';
const fence = (word: string, body: string): string => `\`\`\`${word}\n${body}\n\`\`\`\n`;
const summary = (reading: ProposalReading): unknown =>
  reading.ok ? [reading.proposal.program, ...reading.proposal.inputs] : reading.reason;

describe('a proposed triplet', () => {
  it.each([
    ['in the usual order', fence('python', program) + fence('input', '1'), [program, '1'], [program, '1']],
    ['input first', fence('input', '1') + fence('python', program), [program, '1'], 'no-program'],
    ['a py block', fence('py', program) + fence('input', '1'), [program, '1'], [`py\n${program}`, '1']],
    ['an upper-case word', fence('PYTHON', program) + fence('input', '1'), [program, '1'], [program, '1']],
    ['a block without a word', fence('', program) + fence('input', '1'), [program, '1'], [program, '1']],
    [
      'the first of two programs and inputs',
      fence('python', program) + fence('input', '1') + fence('python', 'def g(x): 1') + fence('input', '2'),
      [program, '1'],
      [program, '1'],
    ],
    ['input as a comment', `${fence('python', program)}# Input: 1\n`, 'no-input', [program, '1']],
    ['no function', fence('python', 'f = lambda x: x') + fence('input', '1'), 'no-program', 'no-program'],
    ['no input', fence('python', program), 'no-input', 'no-input'],
    ['an empty input', `${fence('python', program)}\`\`\`input\n\n\`\`\``, 'no-input', [program, '']],
    ['nothing', '', 'no-program', 'no-program'],
  ])('%s', (_, answer, strict, compat) => {
    expect(summary(readProposal(answer, TRIPLET, 'strict'))).toEqual(strict);
    expect(summary(readProposal(answer, TRIPLET, 'azr-compat'))).toEqual(compat);
  });
});

describe('a proposed induction task', () => {
  const inputs = (count: number): string =>
    Array.from({ length: count }, (_, index) => fence('input', String(index))).join('');

  it('takes the last inputs and the message, around the given program', () => {
    expect(readProposal(inputs(5) + fence('message', 'echo'), INDUCTION, 'strict')).toEqual({
      ok: true,
      proposal: { program, inputs: ['2', '3', '4'], message: 'echo' },
    });
  });
  it('needs enough inputs and a message', () => {
    expect(summary(readProposal(inputs(2) + fence('message', 'm'), INDUCTION, 'strict'))).toBe(
      'too-few-inputs',
    );
    expect(summary(readProposal(inputs(3), INDUCTION, 'strict'))).toBe('no-message');
  });
  it('may not give the program away in the message, which the original allows', () => {
    const answer = inputs(3) + fence('message', 'write def f(x): return x');
    expect(summary(readProposal(answer, INDUCTION, 'strict'))).toBe('message-has-code');
    expect(readProposal(answer, INDUCTION, 'azr-compat').ok).toBe(true);
  });
  it('in compatible mode may tag or comment the message', () => {
    expect(readProposal(`${inputs(3)}<message>m</message>`, INDUCTION, 'azr-compat')).toMatchObject({
      ok: true,
      proposal: { message: 'm' },
    });
    expect(summary(readProposal(`${inputs(3)}<message>m</message>`, INDUCTION, 'strict'))).toBe('no-message');
  });
});

it('every reason has one sentence, and an unknown word is shown as it is', () => {
  for (const [word, sentence] of Object.entries(REASON_SENTENCES)) {
    expect(word).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z][^.]*\.$/);
  }
  expect(reasonSentence('from-the-future')).toBe('from-the-future');
});
