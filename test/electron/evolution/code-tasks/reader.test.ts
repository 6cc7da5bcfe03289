import { describe, expect, it } from 'vitest';
import { FORMAT_CAUSES, type CodeTaskType } from '../../../../electron/contract/index.ts';
import { reasonSentence } from '../../../../electron/evolution/code-tasks/checking/reasons.ts';
import {
  formatReason,
  proposalForm,
  readerOf,
  readResponse,
  solutionForm,
  type ReadResponse,
} from '../../../../electron/evolution/code-tasks/reader.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';

const fence = (word: string, body: string): string => `\`\`\`${word}\n${body}\n\`\`\``;
const LENIENT = { reader: 'lenient', validator: 'strict' } as const;
const solved = (
  text: string,
  type: CodeTaskType = 'deduction',
  cut = false,
  examples: string[] = [],
): ReadResponse => readResponse(LENIENT, text, cut, solutionForm(type, examples));
const proposed = (text: string, writesProgram = true, cut = false): ReadResponse =>
  readResponse(LENIENT, text, cut, proposalForm(writesProgram));
const program = 'def f(x):\n    return x';

describe('the lenient reader of solutions', () => {
  it.each([
    ['tags as in the strict form', `<think>a</think><answer>${fence('output', '5')}</answer>`],
    ['an answer tag that is never closed', `<think>a</think>\n<answer>\n${fence('output', '5')}`],
    ['a think tag that is never closed', `<think>a\n<answer>${fence('output', '5')}</answer>`],
    ['no tags at all', `a\n${fence('output', '5')}`],
    ['a block that the end of the text closes', 'a\n```output\n5'],
    ['words after the block', `a\n${fence('output', '5')}\nSo it is.`],
    ['the last of several blocks of the kind', `a\n${fence('output', '4')}\n${fence('output', '5')}`],
    ['the only block, without a word', `a\n${fence('', '5')}`],
    ['the only block, called python', `a\n${fence('python', '5')}`],
    ['nothing but the value', '5'],
    ['the only code span of the last line', 'x is `2`, y is `3`.\nThe output is `5`.'],
    ['a plain value between the tags', '<think>a</think><answer>5</answer>'],
  ])('takes %s', (_, text) => {
    expect(solved(text)).toMatchObject({ answer: fence('output', '5'), formatOk: true, cause: null });
  });

  it.each([
    ['nothing', ' \n', false, 'empty'],
    ['tags around nothing', '<think></think><answer></answer>', false, 'empty'],
    ['no block', 'It is 5.', false, 'no-block'],
    ['two code spans in the last line', '`4` or `5`', false, 'no-block'],
    ['a code span that is no value', 'It is `x + 1`.', false, 'no-block'],
    ['a value cut off', '5', true, 'cut-off'],
    ['a block of another kind', fence('input', '5'), false, 'wrong-block'],
    ['a program where a value was asked for', `${fence('python', program)}`, false, 'wrong-block'],
    ['two blocks without a word', `${fence('', '4')}\n${fence('', '5')}`, false, 'wrong-block'],
    ['a text cut off within the block', '```output\n[1, 2', true, 'cut-off'],
    ['a text cut off before it', 'First, x is', true, 'cut-off'],
  ])('refuses %s', (_, text, cut, cause) => {
    expect(solved(text, 'deduction', cut)).toMatchObject({ formatOk: false, cause });
  });

  it('refuses a copy of the value that the form shows, however it is spaced', () => {
    const shown = ["{'a': 1}"];
    expect(solved(fence('output', "{'a':1}"), 'deduction', false, shown)).toMatchObject({
      formatOk: false,
      cause: 'copied-example',
    });
    expect(solved(fence('output', "{'a': 2}"), 'deduction', false, shown).cause).toBeNull();
  });

  it('keeps what stands before the answer as the thought, and the plan apart', () => {
    expect(
      solved(
        `<think>\n<plan>follow x</plan>\nx is 5\n</think>\n<answer>\n${fence('output', '5')}\n</answer>`,
      ),
    ).toMatchObject({ plan: 'follow x', planSource: 'tag', thought: 'x is 5' });
    expect(solved(`x is 5\n${fence('output', '5')}`)).toMatchObject({ plan: null, thought: 'x is 5' });
  });

  it('wants arguments where an input is asked for, and a program where a function is', () => {
    expect(solved(fence('', "1, 'a'"), 'abduction').answer).toBe(fence('input', "1, 'a'"));
    expect(solved(`a\n${fence('py', program)}`, 'induction').answer).toBe(fence('python', program));
    expect(solved('5', 'induction').cause).toBe('no-block');
  });
});

describe('the lenient reader of proposals', () => {
  it('takes a program and an input without tags, whose reading is that of the strict form', () => {
    const { answer, thought } = proposed(
      `It adds.\n${fence('python', program)}\nand\n${fence('input', '1')}`,
    );
    expect(thought).toBe('It adds.');
    expect(
      definitionOf('deduction').readProposal(
        answer ?? '',
        { givenProgram: null, inductionInputs: 6 },
        'strict',
      ),
    ).toEqual({ ok: true, proposal: { program, inputs: ['1'], message: null } });
  });

  it('takes an input that the end of the text closes, unless it was cut off there', () => {
    const text = `${fence('python', program)}\n\`\`\`input\n1`;
    expect(proposed(text).cause).toBeNull();
    expect(proposed(text, true, true).cause).toBe('cut-off');
  });

  it.each([
    ['a call', "f(1, 'a)')", "1, 'a)'"],
    ['a printed call', 'print(f([1, 2]))', '[1, 2]'],
    ['a call whose value gets a name', 'out = f((1, 2))', '(1, 2)'],
  ])('takes the arguments of %s that ends the program for the input', (_, call, input) => {
    expect(proposed(fence('python', `${program}\n\n${call}`)).answer).toBe(
      `${fence('python', program)}\n${fence('input', input)}`,
    );
  });

  it.each([
    ['a program alone', ''],
    ['a call of another function', '\ng(1)'],
    ['a call without arguments', '\nf()'],
    ['a call with what is no value', '\nf(x)'],
  ])('refuses %s', (_, call) => {
    expect(proposed(fence('python', `${program}${call}`)).cause).toBe('wrong-block');
  });

  it('takes inputs and a message for a given program', () => {
    const { answer } = proposed(
      `${fence('input', '1')}\n${fence('input', '2')}\n${fence('message', 'echo')}`,
      false,
    );
    expect(
      definitionOf('induction').readProposal(
        answer ?? '',
        { givenProgram: program, inductionInputs: 2 },
        'strict',
      ),
    ).toEqual({ ok: true, proposal: { program, inputs: ['1', '2'], message: 'echo' } });
  });
});

describe('a reader', () => {
  it('belongs to the validator unless it is named', () => {
    expect(readerOf({ validator: 'strict' })).toBe('strict');
    expect(readerOf({ validator: 'azr-compat' })).toBe('azr-compat');
    expect(readerOf({ validator: 'azr-compat', reader: 'lenient' })).toBe('lenient');
  });

  it.each([
    ['no answer tag', 'a', 'no-tag'],
    ['an answer tag that is not closed', '<think>a</think><answer>5', 'tag-not-closed'],
    ['text around the tags', 'Sure. <think>a</think><answer>5</answer>', 'tag-order'],
    ['nothing', '', 'empty'],
  ])('that is strict says why: %s', (_, text, cause) => {
    const named = { reader: 'strict', validator: 'strict' } as const;
    const response = readResponse(named, text, false, solutionForm('deduction'));
    expect(response).toMatchObject({ formatOk: false, cause });
    expect(formatReason(named, response)).toBe(cause);
    expect(formatReason({ validator: 'strict' }, response)).toBe('bad-format');
  });

  it('has a sentence for each of its causes', () => {
    for (const cause of FORMAT_CAUSES) expect(reasonSentence(cause)).not.toBe(cause);
  });
});

describe('the lenient reader of calls and a message', () => {
  const six = ['1', '2', '3', '4', '5', '6'];
  const lines = six.map((each) => `f(${each})`).join('\n');
  const whole = [...six.map((each) => fence('input', each)), fence('message', 'It counts.')].join('\n');
  // As a model of half a billion parameters wrote them in a run.
  it.each([
    ['blocks as they were asked for', whole],
    ['all calls in one block', `${fence('input', lines)}\n${fence('message', 'It counts.')}`],
    ['arguments without the call', `${fence('input', six.join('\n'))}\n${fence('message', 'It counts.')}`],
    [
      'what it copied from the question',
      `\`\`\`input blocks\n${lines}\n\`\`\`\n\`\`\`message block\nIt counts.\n\`\`\``,
    ],
    ['a block that begins within another', `\`\`\`input blocks\n${lines}\n\`\`\`message\nIt counts.`],
    [
      'a message below a heading',
      `${fence('input', lines)}\n\nmessage block\n${fence('output', 'It counts.')}`,
    ],
    ['a message after a colon', `\`\`\`input\n${lines}\nmessage: It counts.\n\`\`\``],
    ['calls in a block of Python', `${fence('python', lines)}\n\n**Message**:\nIt counts.`],
    [
      'blocks on one line',
      `${six.map((each) => `\`\`\`input ${each}\`\`\``).join('\n')}\nMessage: It counts.`,
    ],
  ])('takes %s', (_, text) => {
    expect(proposed(text, false)).toMatchObject({ answer: whole, formatOk: true, cause: null });
  });

  it('keeps a value of several lines whole, and leaves to the run what is no call', () => {
    const two = `${fence('input', '[\n  1,\n  2\n]')}\n${fence('input', 'print(1)\nf(2)')}\n${fence('message', 'm')}`;
    expect(proposed(two, false).answer).toBe(two);
  });

  it.each([
    ['no message', fence('input', lines), false, 'wrong-block'],
    ['no calls', fence('message', 'It counts.'), false, 'wrong-block'],
    [
      'lines that are no calls',
      `${fence('python', 'x = 1\nf(x)')}\n${fence('message', 'm')}`,
      false,
      'wrong-block',
    ],
    ['a message cut off', `${fence('input', lines)}\n\`\`\`message\nIt cou`, true, 'cut-off'],
    ['calls cut off', '```input\nf(1)\nf(2', true, 'cut-off'],
  ])('refuses %s', (_, text, cut, cause) => {
    expect(proposed(text, false, cut)).toMatchObject({ formatOk: false, cause });
  });
});
