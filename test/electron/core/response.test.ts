import { describe, expect, it } from 'vitest';
import {
  findFences,
  parseResponse,
  readAnswerLiteral,
  readAnswerProgram,
} from '../../../electron/core/index.ts';

const whole = '<think><plan>two steps</plan>\nx=3 so y=6</think>\n<answer>6</answer>';

describe('a response', () => {
  it('has a plan, a thought and an answer', () => {
    expect(parseResponse(whole)).toEqual({
      plan: 'two steps',
      planSource: 'tag',
      thought: 'x=3 so y=6',
      answer: '6',
      formatOk: true,
    });
  });

  it('may have nothing but a plan in its think block', () => {
    expect(parseResponse('<think><plan>p</plan></think>\n<answer>\n1\n</answer>\n')).toMatchObject({
      plan: 'p',
      thought: null,
      answer: '1',
      formatOk: true,
    });
  });

  it.each([
    ['no think block', '<answer>6</answer>', false, false],
    ['answer first', '<answer>6</answer><think>x</think>', false, false],
    ['cut off', '<think>x</think><answer>6', false, false],
    ['two answers', '<think>x</think><answer>5</answer><answer>6</answer>', false, true],
    ['text after the answer', '<think>x</think><answer>6</answer> Done.', false, true],
    ['text before', 'Sure. <think>x</think><answer>6</answer>', false, false],
    ['text between', '<think>x</think> so <answer>6</answer>', false, false],
    ['a nested think tag', '<think>a<think>b</think></think><answer>6</answer>', false, true],
    ['white space around', ' \n<think>x</think>\n\n<answer>6</answer>\n', true, true],
    ['empty', '', false, false],
  ])('%s: strict %s', (_, text, strict, compat) => {
    expect(parseResponse(text).formatOk).toBe(strict);
    expect(parseResponse(text, 'azr-compat').formatOk).toBe(compat);
  });

  it('gives up its parts even when the format is broken, the last answer winning', () => {
    expect(parseResponse('<think>long reasoning that was cut')).toMatchObject({
      thought: 'long reasoning that was cut',
      answer: null,
    });
    expect(parseResponse('<answer>5</answer> wait <answer>6</answer>')).toMatchObject({
      answer: '6',
      thought: null,
    });
    expect(parseResponse('<think>forgot to close <answer>7</answer>')).toMatchObject({
      thought: 'forgot to close',
      answer: '7',
    });
  });

  const reasoning = 'The loop runs three times and each time it adds the index to the total. '.repeat(4);
  it('without a plan tag takes an opening list of at most a quarter of the words as the plan', () => {
    const list = '1. follow the loop\n2. add up';
    expect(parseResponse(`<think>${list}\n\n${reasoning}</think><answer>3</answer>`)).toMatchObject({
      plan: list,
      planSource: 'list',
      thought: reasoning.trim(),
    });
    expect(
      parseResponse(`<think>First follow the loop, then add.\n\n${reasoning}</think><answer>3</answer>`)
        .planSource,
    ).toBe('list');
  });
  it('has no plan when the list has no end, is most of the thought, or is not at the start', () => {
    expect(parseResponse(`<think>1. follow the loop ${reasoning}</think>`).plan).toBeNull();
    expect(parseResponse('<think>1. a b c d\n2. e f g\n\nDone.</think>').plan).toBeNull();
    expect(parseResponse(`<think>Hmm.\n1. a\n\n${reasoning}</think>`).plan).toBeNull();
  });
});

describe('fenced blocks', () => {
  it('keep their word and their indentation', () => {
    expect(findFences('a\n```Python\ndef f(x):\n    return x\n```\nb\n```\n1\n```')).toEqual([
      { word: 'python', body: 'def f(x):\n    return x', start: 2 },
      { word: '', body: '1', start: 41 },
    ]);
  });
  it('may stand in one line, be empty, or end behind their last line', () => {
    expect(findFences('```input 1, 2```\n```input\n```\n```input\n3```')).toEqual([
      { word: 'input', body: '1, 2', start: 0 },
      { word: 'input', body: '', start: 17 },
      { word: 'input', body: '3', start: 30 },
    ]);
  });
  it('may have lines that end in a carriage return', () => {
    expect(findFences('```python\r\ndef f(x):\r\n    return x\r\n```\r\n')).toMatchObject([
      { word: 'python' },
    ]);
  });
  it('are none when never closed, or in the middle of a line', () => {
    expect(findFences('```python\ndef f(x):')).toEqual([]);
    expect(findFences('use ```input\n1\n``` here')).toEqual([]);
  });
  it('with more backticks may hold shorter ones', () => {
    expect(findFences('````python\ns = """\n```\n"""\n````')[0]?.body).toBe('s = """\n```\n"""');
  });
});

describe('an answered literal', () => {
  it.each([
    ['```output\n1\n```\ntext\n```output\n2\n```', '2', '2'],
    ['# Output: [1]\n', '[1]', '[1]'],
    ['<output>3</output>', '3', '3'],
    ['  {1: 2}\n', '{1: 2}', '{1: 2}'],
    ['```python\n5\n```', '5', '```python\n5\n```'],
    ['output(7)', 'output(7)', '7'],
    ['The output is 8.', 'The output is 8.', '8'],
    ['```output\n[1,\n 2]\n```', '[1,\n 2]', '[1,\n 2]'],
  ])('%j is %j (compatible: %j)', (answer, strict, compat) => {
    expect(readAnswerLiteral(answer, 'output', 'strict')).toBe(strict);
    expect(readAnswerLiteral(answer, 'output', 'azr-compat')).toBe(compat);
  });
});

describe('an answered program', () => {
  it.each([
    [
      '```python\ndef f(x):\n return 1\n```\n```python\ndef f(x):\n return 2\n```',
      'def f(x):\n return 2',
      'def f(x):\n return 2',
    ],
    ['```py\ndef f(x):\n return x\n```', 'def f(x):\n return x', 'py\ndef f(x):\n return x'],
    ['```python\ndef f(x):\n return x\n```\n```input\n1\n```', 'def f(x):\n return x', 'input\n1'],
    ['def f(x):\n return x', 'def f(x):\n return x', null],
    ['I would return x', null, null],
    ['```python\n\n```', null, ''],
  ])('%j', (answer, strict, compat) => {
    expect(readAnswerProgram(answer, 'strict')).toBe(strict);
    expect(readAnswerProgram(answer, 'azr-compat')).toBe(compat);
  });
});
