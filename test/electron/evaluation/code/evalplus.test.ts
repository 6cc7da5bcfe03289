import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJudge } from '../../../../electron/evaluation/code/evalplus/oracles.ts';
import {
  reviveMbpp,
  answerText,
  evalPlusPrompt,
  readEvalPlus,
} from '../../../../electron/evaluation/code/evalplus/task.ts';
import { parsePythonJson } from '../../../../electron/evaluation/code/values/python-json.ts';
import type { EncodedValue } from '../../../../electron/contract/index.ts';
import type { ObservedValue } from '../../../../electron/processes/index.ts';
import { useRunner } from '../../real-runner.ts';
import { ownTask, scratchFolder, toolsOf } from './support.ts';
import {
  AZR_LIMITS,
  EVALPLUS_LIMITS,
  gradeEvalPlus,
} from '../../../../electron/evaluation/code/evalplus/grade.ts';
import { ExpectedOutputs } from '../../../../electron/evaluation/code/evalplus/expected.ts';

const json = (text: string): EncodedValue => parsePythonJson(text);
const args = (text: string): EncodedValue[] => json(text)[1] as EncodedValue[];

describe('a task', () => {
  const line = {
    task_id: 'HumanEval/5',
    prompt: 'def f(x):\n',
    entry_point: 'f',
    canonical_solution: '    return x\n',
    base_input: [[1]],
    plus_input: [],
    atol: 0,
  };
  it('keeps the Python type of its inputs', () => {
    const task = readEvalPlus(
      JSON.stringify(line).replace('[[1]]', '[[1], [1.0], [123456789123456789]]'),
      'humaneval',
    );
    expect(task.baseInputs).toEqual([
      [['i', '0x1']],
      [['f', '3ff0000000000000']],
      [['i', '0x1b69b4bacd05f15']],
    ]);
    expect(task.reference).toBe('def f(x):\n    return x\n');
  });
  it.each([
    ['another data set', { task_id: 'Mbpp/2' }, /does not belong to HumanEval\+/],
    ['no prompt', { prompt: undefined }, /field prompt of HumanEval\/5/],
    ['inputs that are no lists', { base_input: [1] }, /base_input of HumanEval\/5 must be a list/],
    ['a text as tolerance', { atol: '0' }, /atol of HumanEval\/5/],
    ['no id', { task_id: undefined }, /task_id of a line/],
  ])('with %s is refused by name', (_, change, message) =>
    expect(() => readEvalPlus(JSON.stringify({ ...line, ...change }), 'humaneval')).toThrow(message),
  );
  it('that is no object, or no JSON, is refused', () => {
    expect(() => readEvalPlus('[]', 'mbpp')).toThrow(/must be a JSON object/);
    expect(() => readEvalPlus('{"a"', 'mbpp')).toThrow(/not JSON at character/);
  });
});

describe('inputs of MBPP get their types back', () => {
  it.each<[number, string, string]>([
    [2, '[[1],[2,3]]', 't(1) t(2,3)'],
    [63, '[[[1],[2]]]', 'l(t(1),t(2))'],
    [75, '[[[1]],[2]]', 'l(t(1)) l(2)'],
    [106, '[[1],[2]]', 'l(1) t(2)'],
    [115, '[[[1,2],[]]]', 'l(S(1,2),d())'],
    [250, '[[1],2]', 't(1) 2'],
    [259, '[[[1],[2]]]', 't(t(1),t(2))'],
    [278, '[[1,[2,[3]]]]', 't(1,t(2,l(3)))'],
    [307, '[[1],2,3]', 't(1) 2 3'],
    [580, '[[1,[2,[3]]]]', 't(1,t(2,t(3)))'],
    [722, '[{"a":[1]},2]', 'd(a:t(1)) 2'],
    [3, '[[1]]', 'l(1)'],
    [616, '["ab",[1]]', 't(a,b) t(1)'],
  ])('task %d: %s', (number, text, wanted) => {
    const show = (encoded: EncodedValue): string => {
      if (encoded[0] === 'd')
        return `d(${encoded[1].map(([key, value]) => `${show(key)}:${show(value)}`).join()})`;
      if (encoded[0] === 'l' || encoded[0] === 't' || encoded[0] === 'S')
        return `${encoded[0]}(${encoded[1].map(show).join()})`;
      return encoded[0] === 'i' ? String(Number(encoded[1])) : String(encoded[1]);
    };
    expect(reviveMbpp(number, args(text)).map(show).join(' ')).toBe(wanted);
  });
  it.each([
    ['"1j"', 0, 1],
    ['"(-0-2j)"', -0, -2],
    ['"3.5"', 3.5, 0],
    ['"(1e-5+2.5e-07j)"', 1e-5, 2.5e-7],
    ['4', 4, 0],
    ['"-1.5j"', 0, -1.5],
    ['"(3-4j)"', 3, -4],
  ])('complex(%s)', (text, real, imaginary) => {
    const [tag, a, b] = reviveMbpp(252, [json(text)])[0] as ['z', string, string];
    const number = (hex: string): number => Buffer.from(hex, 'hex').readDoubleBE();
    expect([tag, number(a), number(b)]).toEqual(['z', real, imaginary]);
  });
  it.each([
    [2, '[1]'],
    [252, '["x"]'],
    [722, '[[1]]'],
    [63, '[1]'],
    [124, '["1j","1"]'],
  ])('task %d refuses %s', (number, text) =>
    expect(() => reviveMbpp(number, args(text))).toThrow(/published form/),
  );
});

describe('the question', () => {
  const task = ownTask({ entry: 'f', solution: 'def f(x): return x', base: [[1]] });
  it('of a chat model ends inside an opened fence', () => {
    const question = evalPlusPrompt(task, 'chat');
    expect(question.prompt).toContain(`\`\`\`\n${task.prompt.trim()}\n\`\`\`\n`);
    expect(question.prefill.endsWith('```python\n')).toBe(true);
    expect(answerText(question, 'def f(x):\n\treturn x\n```\nIt works.')).toBe('def f(x):\n    return x');
  });
  it('of a base model is the prompt, and the answer goes on from it', () => {
    const question = evalPlusPrompt(task, 'base');
    expect(question).toMatchObject({ prompt: `${task.prompt.trim()}\n`, prefill: '' });
    expect(answerText(question, '    return x\ndef other(): pass')).toBe(
      `${task.prompt.trim()}\n    return x`,
    );
    expect(answerText(question, 'def f(x): return x\nprint(f(1))')).toBe(
      `${task.prompt.trim()}\ndef f(x): return x`,
    );
  });
});

describe('the verdict on an input', () => {
  const mbpp = (entry: string, atol = 0): ReturnType<typeof ownTask> =>
    ownTask({ entry, solution: `def ${entry}(): pass`, base: [], atol, dataset: 'mbpp' });
  const judge = (
    task: ReturnType<typeof ownTask>,
    rows: [ObservedValue, ObservedValue, string][],
  ): [boolean, boolean][] => {
    const decide = createJudge(task);
    return rows.map(([out, expected, input]) => {
      const { compatible, strict } = decide({ value: out }, { value: expected }, args(input));
      return [compatible, strict];
    });
  };
  const float = (value: number): EncodedValue => json(Number.isInteger(value) ? `${value}.0` : String(value));
  const int = (value: number): EncodedValue => json(String(value));

  it('has a tolerance from the first expected float on, for the rest of the run; strictly only there', () => {
    const near: ObservedValue = ['l', [['l', [float(0.5 + 1e-9)]]]];
    const nested: ObservedValue = ['l', [['l', [float(0.5)]]]];
    expect(
      judge(ownTask({ entry: 'f', solution: 'def f(): pass', base: [] }), [
        [near, nested, '[]'],
        [float(0.5 + 1e-9), float(0.5), '[]'],
        [near, nested, '[]'],
        [float(0.6), float(0.5), '[]'],
      ]),
    ).toEqual([
      [false, false],
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
  it('of are_equivalent is always good, of sum_div also zero, as published', () => {
    expect(judge(mbpp('are_equivalent'), [[['n'], ['b', true], '[]']])).toEqual([[true, false]]);
    expect(
      judge(mbpp('sum_div'), [
        [int(0), int(7), '[]'],
        [int(7), int(7), '[]'],
        [int(1), int(7), '[]'],
      ]),
    ).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
  });
  it('knows the second readings of surface_Area and digit_distance_nums', () => {
    expect(
      judge(mbpp('surface_Area'), [
        [int(33), int(33), '[3, 4]'],
        [int(35), int(33), '[3, 4]'],
        [float(35), int(33), '[3, 4]'],
        [['s', 'x'], int(33), '[3, 4]'],
        [int(34), int(33), '[3, 4]'],
      ]),
    ).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [false, false],
      [false, false],
    ]);
    expect(
      judge(mbpp('digit_distance_nums'), [
        [int(8), int(5), '[12, 345]'],
        [int(9), int(5), '[12, 345]'],
        [int(5), int(5), '[-1, 3]'],
      ]),
    ).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
  });
  it('is strictly good only between values that are built alike, whatever numpy is close to', () => {
    const rows = ownTask({ entry: 'f', solution: 'def f(): pass', base: [], atol: 1e-4 });
    const near = float(0.5 + 1e-9);
    const row = (item: ObservedValue): ObservedValue => ['l', [item]];
    const complex: EncodedValue = ['z', near[1] as string, float(1e-9)[1] as string];
    expect(
      judge(rows, [
        [row(row(near)), row(row(float(0.5))), '[]'],
        [row(['t', [near]]), row(row(float(0.5))), '[]'],
        [row(['l', []]), row(row(float(0.5))), '[]'],
        [row(row(row(near))), row(row(float(0.5))), '[]'],
        [row(near), row(row(float(0.5))), '[]'],
        [row(complex), row(float(0.5)), '[]'],
        [complex, complex, '[]'],
        [int(1_000_000_001), int(1_000_000_000), '[]'],
        [row(int(1_000_000_001)), row(int(1_000_000_000)), '[]'],
        [row(int(1)), row(float(1 + 1e-9)), '[]'],
      ]),
    ).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [true, false],
      [true, false],
      [true, false],
      [true, true],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });
  it('takes no other type for the second reading of a task', () => {
    const decimal: ObservedValue = ['x', 'Decimal', float(35), ''];
    expect(judge(mbpp('surface_Area'), [[decimal, int(33), '[3, 4]']])).toEqual([[true, false]]);
    expect(judge(mbpp('digit_distance_nums'), [[['x', 'int64', int(9), ''], int(5), '[12, 345]']])).toEqual([
      [true, false],
    ]);
  });
  it('of the tasks that ask for a set counts lists, tuples and sets; published, whatever one can be made of', () => {
    const decide = createJudge(mbpp('find_char_long'));
    const wanted: EncodedValue = ['S', [['s', 'a']]];
    const verdicts = (['l', 't', 'S', 'F', 's', 'd'] as const).map((kind) => {
      const value: ObservedValue =
        kind === 's' ? ['s', 'a'] : kind === 'd' ? ['d', [[['s', 'a'], ['n']]]] : [kind, [['s', 'a']]];
      const verdict = decide({ value, also: wanted }, { value: ['l', [['s', 'a']]], also: wanted }, []);
      return [kind, verdict.compatible, verdict.strict];
    });
    expect(verdicts).toEqual([
      ['l', true, true],
      ['t', true, true],
      ['S', true, true],
      ['F', true, true],
      ['s', true, false],
      ['d', true, false],
    ]);
  });
  it('of three tasks is only whether there was a result', () => {
    expect(
      judge(mbpp('check_str'), [
        [['x', 'Match', null, 'opaque'], ['x', 'Match', null, 'opaque'], '[]'],
        [['n'], ['n'], '[]'],
        [['b', true], ['x', 'Match', null, 'opaque'], '[]'],
        [['b', false], ['x', 'Match', null, 'opaque'], '[]'],
        [['s', 'no'], ['n'], '[]'],
      ]).map(([compatible]) => compatible),
    ).toEqual([true, true, true, false, false]);
  });
});

const runner = useRunner();
const folder = scratchFolder();

describe('grading', () => {
  const echo = ownTask({
    entry: 'echo',
    solution: 'def echo(x):\n    return x',
    base: [[1], [2]],
    plus: [[[3, 'x']], [4.5]],
  });
  it.each<[string, string, string, string]>([
    ['noise on stdout', 'def echo(x):\n    print("noise" * 100000)\n    return x', 'pass', 'pass'],
    ['float noise', 'def echo(x): return x if type(x) is not float else x + 1e-9', 'pass', 'pass'],
    ['a tuple for a list', 'def echo(x): return tuple(x) if type(x) is list else x', 'pass', 'fail'],
    [
      'a Decimal for a float',
      'from decimal import Decimal\ndef echo(x): return Decimal(x) if type(x) is float else x',
      'pass',
      'pass',
    ],
    [
      'numbers of numpy',
      'import numpy as np\ndef echo(x): return np.int64(x) if type(x) is int else x',
      'pass',
      'pass',
    ],
    ['reading standard input', 'def echo(x):\n    input()\n    return x', 'fail', 'fail'],
    ['an error in one input', 'def echo(x):\n    assert x != 2\n    return x', 'fail', 'pass'],
    ['another name', 'def other(x): return x', 'fail', 'fail'],
    ['a syntax error', 'def echo(x) return x', 'fail', 'fail'],
    [
      'changing its argument',
      'def echo(x):\n    y = x[:] if type(x) is list else x\n    if type(x) is list: x.clear()\n    return y',
      'pass',
      'pass',
    ],
  ])('%s', async (_, program, base, plus) => {
    expect(await gradeEvalPlus(echo, program, toolsOf(runner(), folder))).toMatchObject({
      base,
      plus,
      plusAndBase: base === 'pass' && plus === 'pass',
      loadAverage: 0.5,
      limits: EVALPLUS_LIMITS,
    });
  });

  it('an endless loop fails when its input has had its time', async () => {
    const started = performance.now();
    const limits = { leastSeconds: 0.5, referenceFactor: 4 };
    const grade = await gradeEvalPlus(
      echo,
      'def echo(x):\n    while x == 2: pass\n    return x',
      toolsOf(runner(), folder),
      { limits, perInput: true },
    );
    expect(grade).toMatchObject({ base: 'fail', plus: 'pass', limits });
    expect(grade.perInput).toEqual([
      { part: 'base', input: 0, status: 'ok', compatible: true, strict: true },
      { part: 'base', input: 1, status: 'timeout', compatible: false, strict: false },
      { part: 'plus', input: 0, status: 'ok', compatible: true, strict: true },
      { part: 'plus', input: 1, status: 'ok', compatible: true, strict: true },
    ]);
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it('a program that swallows its alarm is a timeout when the whole run has had its time', async () => {
    const stubborn =
      'import time\ndef echo(x):\n    while True:\n        try:\n            time.sleep(60)\n        except BaseException: pass';
    expect(
      await gradeEvalPlus(echo, stubborn, toolsOf(runner(), folder), {
        limits: { leastSeconds: 0.2, referenceFactor: 1 },
      }),
    ).toMatchObject({ base: 'timeout', plus: 'timeout' });
  });

  it('a reference that is slow gives everyone more time', async () => {
    const slow = ownTask({
      entry: 'slow',
      id: 'HumanEval/902',
      solution: 'def slow(n):\n    while n: n -= 1\n    return n',
      base: [[3_000_000]],
    });
    const expected = await toolsOf(runner(), folder).expected.of(slow);
    expect(expected.base[0]!.seconds).toBeGreaterThan(0.02);
    expect(AZR_LIMITS).toEqual({ leastSeconds: 10, referenceFactor: 8 });
  });

  it('a task without plus inputs passes them when its program can be loaded', async () => {
    const bare = ownTask({
      entry: 'echo',
      id: 'HumanEval/903',
      solution: 'def echo(x): return x',
      base: [[1]],
    });
    expect(await gradeEvalPlus(bare, 'def echo(x): return x', toolsOf(runner(), folder))).toMatchObject({
      base: 'pass',
      plus: 'pass',
    });
    expect(await gradeEvalPlus(bare, 'def other(x): return x', toolsOf(runner(), folder))).toMatchObject({
      base: 'fail',
      plus: 'fail',
    });
  });

  it('values of a million parts are compared', async () => {
    const large = ownTask({
      entry: 'row',
      id: 'HumanEval/904',
      solution: 'def row(n): return [i * 0.5 for i in range(n)]',
      base: [[1_000_000]],
      plus: [[20_000]],
    });
    const tools = toolsOf(runner(), folder);
    expect(
      await gradeEvalPlus(large, 'def row(n): return [i / 2 if i % 2 else i // 2 for i in range(n)]', tools),
    ).toMatchObject({ plusAndBase: true, strict: { plusAndBase: true } });
    expect(
      await gradeEvalPlus(large, 'def row(n): return [i * 0.5 for i in range(n - 1)] + [0]', tools),
    ).toMatchObject({ base: 'fail', plus: 'fail' });
  });
});

describe('expected outputs', () => {
  const task = ownTask({
    entry: 'f',
    id: 'HumanEval/910',
    solution: 'def f(x): return x + 1',
    base: [[1]],
    plus: [[2], [3]],
  });
  it('are computed once, kept in one file per task, and go on where they were cut off', async () => {
    const own = scratchFolder();
    let jobs = 0;
    const counting = {
      hello: runner().hello,
      grade: (job: Parameters<ReturnType<typeof runner>['grade']>[0]) => {
        jobs += 1;
        return runner().grade(job);
      },
    };
    const other = ownTask({ entry: 'f', id: 'HumanEval/911', solution: 'def f(x): return x', base: [[1]] });
    const outputs = new ExpectedOutputs({ runner: counting, folder: own, datasetHash: 'ABCDEF0123' });
    const seen: string[] = [];
    await outputs.prepare([task], (done, total, id) => seen.push(`${done}/${total} ${id}`));
    await new ExpectedOutputs({ runner: counting, folder: own, datasetHash: 'abcdef0123' }).prepare(
      [task, other],
      (done, total, id) => seen.push(`${done}/${total} ${id}`),
    );
    expect(seen).toEqual(['1/1 HumanEval/910', '1/2 HumanEval/910', '2/2 HumanEval/911']);
    expect(jobs).toBe(4);
    expect(readdirSync(outputs.folder).sort()).toEqual(['HumanEval-910.json', 'HumanEval-911.json']);
    expect(outputs.folder).toContain(`evalplus-abcdef0123-python-${runner().hello.python}`);
  });
  it('of another program, or damaged ones, are computed again', async () => {
    const own = scratchFolder();
    const outputs = new ExpectedOutputs({ runner: runner(), folder: own, datasetHash: 'abcdef0123' });
    await outputs.of(task);
    const path = join(outputs.folder, 'HumanEval-910.json');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
    expect((await outputs.of(task)).base[0]!.value).toEqual(['i', '0x2']);
    expect((await outputs.of({ ...task, reference: 'def f(x): return x + 2' })).base[0]!.value).toEqual([
      'i',
      '0x3',
    ]);
    expect(existsSync(path)).toBe(true);
  });
  it('stop with the task and the input where the reference fails', async () => {
    const broken = ownTask({
      entry: 'f',
      id: 'HumanEval/912',
      solution: 'def f(x): return 1 // x',
      base: [[1], [0]],
    });
    await expect(toolsOf(runner(), folder).expected.of(broken)).rejects.toThrow(
      'The reference solution of HumanEval/912 ended as ZeroDivisionError on base input 2',
    );
  });
  it('stop when asked to, keeping what there is', async () => {
    const own = scratchFolder();
    const outputs = new ExpectedOutputs({ runner: runner(), folder: own, datasetHash: 'abcdef0123' });
    const stop = new AbortController();
    await expect(
      outputs.prepare(
        [task, { ...task, id: 'HumanEval/913' }],
        () => stop.abort(new Error('enough')),
        stop.signal,
      ),
    ).rejects.toThrow('enough');
    expect(readdirSync(outputs.folder)).toEqual(['HumanEval-910.json']);
  });
  it('need a hash of the data set', () => {
    expect(() => new ExpectedOutputs({ runner: runner(), folder, datasetHash: '../x' })).toThrow(
      /is no hash/,
    );
  });
});
