import { describe, expect, it } from 'vitest';
import { useRunner } from '../../real-runner.ts';
import { extractLiveCodeBench } from '../../../../electron/evaluation/code/livecodebench/prompt.ts';
import { sanitize } from '../../../../electron/evaluation/code/evalplus/task.ts';

const runner = useRunner();
const programOf = async (text: string, entry: string | null = 'f'): Promise<string> =>
  (await sanitize(text, entry, { runner: runner() })).program;

describe('the program in an answer, by the rules of EvalPlus,', () => {
  it.each<[string, string, string]>([
    [
      'is found among prose and fences',
      "Sure, here it is:\n```python\ndef f(x):\n    return x\n```\nIt's simple.",
      'def f(x):\n    return x',
    ],
    [
      'keeps imports and what the entry point reaches',
      'import math, os\nfrom typing import List\nLIMIT = 3\nUNUSED = 4\ndef helper(x):\n    return x + LIMIT\ndef other(x):\n    return x\ndef f(x: List[int]):\n    return helper(x)',
      'import math, os\nfrom typing import List\nLIMIT = 3\ndef helper(x):\n    return x + LIMIT\ndef f(x: List[int]):\n    return helper(x)',
    ],
    [
      'loses calls, loops and conditions of the top level',
      'def f(x):\n    return x\nprint(f(1))\nfor i in range(3):\n    f(i)\nif True:\n    f(2)',
      'def f(x):\n    return x',
    ],
    [
      'keeps the first of a name',
      'def f(x):\n    return 1\ndef f(x):\n    return 2',
      'def f(x):\n    return 1',
    ],
    [
      'drops functions that return nothing',
      'def show(x):\n    print(x)\ndef f(x):\n    show(x)\n    return x',
      'def f(x):\n    show(x)\n    return x',
    ],
    [
      'keeps classes that are reached',
      'class Node:\n    def __init__(self, v):\n        self.v = v\ndef f(x):\n    return Node(x).v',
      'class Node:\n    def __init__(self, v):\n        self.v = v\ndef f(x):\n    return Node(x).v',
    ],
    [
      'drops decorated definitions, as the original does',
      'import functools\n@functools.cache\ndef g(x):\n    return x\ndef f(x):\n    return g(x)',
      'import functools\ndef f(x):\n    return g(x)',
    ],
    [
      'drops lines from the future',
      'from __future__ import annotations\nimport re\ndef f(x):\n    return x',
      'import re\ndef f(x):\n    return x',
    ],
    [
      'reaches names in f-strings, defaults and annotations',
      'A = 1\nB = 2\nC = int\nD = 4\ndef f(x=A) -> C:\n    return f"{B}"',
      'A = 1\nB = 2\nC = int\ndef f(x=A) -> C:\n    return f"{B}"',
    ],
    [
      'takes the longest run of lines that is Python',
      'x = 1\ny = 2\nThis breaks it.\ndef f(x):\n    y = x\n    return y\n',
      'def f(x):\n    y = x\n    return y',
    ],
    [
      'knows two statements on a line, and characters of several bytes',
      'S = "é"; T = "ü"\ndef f(x):\n    return S + "ß"',
      'S = "é"\ndef f(x):\n    return S + "ß"',
    ],
    ['of one line is that line', 'def f(x): return x', 'def f(x): return x'],
    ['is the longest run where the entry point is missing', 'x = [1,\n2]\nprint(x)', 'x = [1,\n2]\nprint(x)'],
    [
      'is the first line where nothing is Python',
      "No code here, sorry!\nNone at all, I'm afraid.",
      'No code here, sorry!',
    ],
    ['is empty for an empty answer', '', ''],
  ])('%s', async (_, text, program) => expect(await programOf(text)).toBe(program));

  it('keeps every definition where no entry point is named', async () => {
    expect(await programOf('a, b = 1, 2\ndef f(x):\n    return x\ndef g(x):\n    return x', null)).toBe(
      'a, b = 1, 2\ndef f(x):\n    return x\ndef g(x):\n    return x',
    );
  });

  it('is found in a long and broken answer in reasonable time', async () => {
    const prose = Array.from({ length: 400 }, (_, n) => `Step ${n}: we don't know (yet`).join('\n');
    const started = performance.now();
    expect(await programOf(`${prose}\ndef f(x):\n    return x\n${prose}`)).toBe('def f(x):\n    return x');
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('of a text that ends the parser is told as a problem, and costs only itself', async () => {
    const [deep, fine] = await runner().extract([
      { text: `${'('.repeat(200_000)}\n1`, entry: 'f' },
      { text: 'def f(x):\n    return x', entry: 'f' },
    ]);
    expect(fine).toEqual({ program: 'def f(x):\n    return x' });
    expect(deep).toBeDefined();
  });
});

describe('the program in an answer, by the rules of LiveCodeBench,', () => {
  const FENCED = 'One:\n```python\na = 1\n```\ntwo:\n```\nb = 2\n```\nend';
  it.each<[string, string, string]>([
    ['lies between the last two fences', FENCED, 'b = 2'],
    ['is empty without fences', 'a = 1', ''],
    ['is empty with one fence', '```python\na = 1', ''],
    ['is prose where a third fence comes', '```\na\n```\nprose\n```', 'prose'],
    ['may follow a capitalised fence', '```Python\na = 1\n```', 'a = 1'],
  ])('generic: %s', (_, text, program) => expect(extractLiveCodeBench(text, 'generic')).toBe(program));

  it.each<[string, string, string]>([
    [
      'is the last python block inside the last answer tags',
      '<think>```python\nx\n```</think><answer>no</answer><answer>```python\na = 1\n```\n```python\nb = 2\n```</answer> ```python\nc\n```',
      'b = 2\n',
    ],
    ['is all of the answer without a block', '<answer>a = 1</answer>', 'a = 1'],
    ['is not found behind another fence', '<answer>```\na = 1\n```</answer>', '```\na = 1\n```'],
    [
      'is not found behind a capitalised fence',
      '<answer>```Python\na = 1\n```</answer>',
      '```Python\na = 1\n```',
    ],
    ['may lie in an answer that is not ended', 'thinking</think><answer>```python\na = 1\n```', 'a = 1\n'],
    ['may lie outside of any tags', '```python\na = 1\n```', 'a = 1\n'],
  ])('azr: %s', (_, text, program) => expect(extractLiveCodeBench(text, 'azr')).toBe(program));
});
