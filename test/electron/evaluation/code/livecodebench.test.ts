import { execFileSync } from 'node:child_process';

import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toEnd } from '../../../../electron/core/index.ts';
import {
  compareOutputs,
  decimalKey,
} from '../../../../electron/evaluation/code/livecodebench/compare-lines.ts';
import {
  textOfPickle,
  erratumOf,
  readProblem,
  testsOf,
  type LiveCodeBenchProblem,
} from '../../../../electron/evaluation/code/livecodebench/problem.ts';
import type { GradeRow } from '../../../../electron/evaluation/suites/graded-suite.ts';
import { liveCodeBench } from '../../../../electron/evaluation/suites/imported/livecodebench.ts';
import { gradeRow } from '../grade-row.ts';
import { root } from '../../real-runner.ts';
import { hasShared, sharedLines } from './support.ts';
import { inWindow, liveCodeBenchPrompt } from '../../../../electron/evaluation/code/livecodebench/prompt.ts';

const PYTHON = join(root, '.venv/bin/python');
const pickled = (expression: string, protocol: number): Buffer =>
  execFileSync(
    PYTHON,
    [
      '-I',
      '-c',
      `import pickle, sys\nsys.stdout.buffer.write(pickle.dumps(${expression}, protocol=${protocol}))`,
    ],
    { maxBuffer: 1 << 26 },
  );
const textOf = (text: string): string =>
  `[{"input": ${JSON.stringify(text)}, "output": "", "testtype": "stdin"}]`;

describe('a packed text', () => {
  it.each([
    ['of protocol 2', '"plain"', 2],
    ['of protocol 3', '"plain"', 3],
    ['of protocol 4', '"plain"', 4],
    ['of protocol 5', '"plain"', 5],
    ['with more than a byte of length', '"x" * 300', 4],
    ['with a frame', '"x" * 70000', 4],
    ['beyond ASCII', '"é😀" * 10', 4],
    ['that is empty', '""', 4],
  ])('%s is read', (_, expression, protocol) => {
    expect(textOfPickle(pickled(expression, protocol))).toBe(
      execFileSync(PYTHON, [
        '-I',
        '-c',
        `import sys\nsys.stdout.buffer.write((${expression}).encode())`,
      ]).toString(),
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'a call',
      'type("A", (), {"__reduce__": lambda self: (print, ("run",))})()',
      /byte \d+: (?:opcode 0x|there is a second text)/,
    ],
    ['a list', '["a"]', /opcode 0x5d/],
    ['a number', '7', /opcode 0x4b/],
    ['bytes', 'b"a"', /opcode 0x/],
    ['two texts', '("a", "b")', /second text/],
    ['None', 'None', /opcode 0x4e/],
    ['a dict', '{"a": 1}', /opcode 0x7d/],
  ])('that is %s is refused with the byte', (_, expression, message) =>
    expect(() => textOfPickle(pickled(expression, 4))).toThrow(message),
  );

  const good = pickled('"plain"', 4);
  it.each<[string, Buffer, RegExp]>([
    ['is cut off', good.subarray(0, good.length - 2), /byte 2: a frame is longer/],
    ['goes on after its end', Buffer.concat([good, Buffer.from([0x2e])]), /something follows/],
    ['is empty', Buffer.alloc(0), /byte 0: they end too early/],
    ['is broken UTF-8', Buffer.from([0x80, 4, 0x8c, 1, 0xff, 0x94, 0x2e]), /byte 4: the text is not UTF-8/],
    ['is of a protocol to come', Buffer.from([0x80, 9, 0x2e]), /byte 0: the protocol/],
    [
      'claims a length beyond its end',
      Buffer.from([0x80, 4, 0x8d, 255, 255, 255, 255, 255, 255, 255, 255, 0x2e]),
      /beyond the end/,
    ],
    ['holds nothing', Buffer.from([0x80, 4, 0x2e]), /byte 2: they hold no text/],
  ])('that %s is refused', (_, bytes, message) => expect(() => textOfPickle(bytes)).toThrow(message));
});

const ROW = {
  question_title: 'A title',
  question_content: 'A statement',
  platform: 'leetcode',
  question_id: 2808,
  contest_id: 'weekly',
  contest_date: '2024-08-03T00:00:00',
  starter_code: 'class Solution:\n    def go(self, x):\n        ',
  difficulty: 'hard',
  public_test_cases: '[{"input": "1", "output": "2", "testtype": "functional"}]',
  private_test_cases: '[]',
  metadata: '{"func_name": "go"}',
};

describe('a problem', () => {
  it('has a text as id, and its tests in order, however they are packed', () => {
    const packed = deflateSync(pickled(JSON.stringify(textOf('é')), 4)).toString('base64');
    const problem = readProblem(JSON.stringify({ ...ROW, private_test_cases: packed }), 'Line 1');
    expect(problem).toMatchObject({
      id: '2808',
      functionName: 'go',
      platform: 'leetcode',
      difficulty: 'hard',
    });
    expect(testsOf(problem)).toEqual([
      { input: '1', output: '2', kind: 'functional' },
      { input: 'é', output: '', kind: 'stdin' },
    ]);
  });
  it.each<[string, object, RegExp]>([
    ['an unknown platform', { platform: 'topcoder' }, /Line 7 is no LiveCodeBench problem: platform/],
    ['no statement', { question_content: undefined }, /question_content/],
    ['metadata that is no JSON', { metadata: '{' }, /metadata of Line 7 is not JSON/],
  ])('with %s is refused', (_, change, message) =>
    expect(() => readProblem(JSON.stringify({ ...ROW, ...change }), 'Line 7')).toThrow(message),
  );
  it.each<[string, string, RegExp]>([
    ['neither JSON nor compressed', 'AAAA', /private tests of 2808 are neither/],
    ['compressed but not packed', deflateSync(Buffer.from('hello')).toString('base64'), /refused at byte 0/],
    [
      'packed but no tests',
      deflateSync(pickled('"{}"', 4)).toString('base64'),
      /private tests of 2808 are not a list/,
    ],
  ])('whose private tests are %s is refused by name', (_, privateTests, message) => {
    expect(() =>
      testsOf(readProblem(JSON.stringify({ ...ROW, private_test_cases: privateTests }), 'Line 1')),
    ).toThrow(message);
  });
  it('is asked in two ways', () => {
    const problem = readProblem(JSON.stringify(ROW), 'Line 1');
    expect(liveCodeBenchPrompt(problem, 'generic')).toMatchObject({
      answersPerProblem: 10,
      temperature: 0.2,
      topP: 0.95,
      maxNewTokens: 2000,
      testSeconds: 6,
    });
    expect(liveCodeBenchPrompt(problem, 'generic').messages[1]!.content).toContain(
      `\`\`\`python\n${ROW.starter_code}\n\`\`\``,
    );
    const azr = liveCodeBenchPrompt({ ...problem, starterCode: '' }, 'azr');
    expect(azr).toMatchObject({ answersPerProblem: 1, temperature: 0, maxNewTokens: 8096, testSeconds: 60 });
    expect(azr.messages).toHaveLength(1);
    expect(azr.messages[0]!.content).toMatch(/YOUR CODE HERE[^]*Assistant: <think>$/);
  });
});

describe('outputs', () => {
  it.each<[string, string, boolean]>([
    ['3', '3\n', true],
    ['  3 \n', '3', true],
    ['1.50', '1.5', true],
    ['1e3 2', '1000 2.0', true],
    ['0.30000000000000004', '0.3', false],
    ['a  b', 'a b', false],
    ['1  2', '1 2', true],
    ['1\n\n2', '1\n2', false],
    ['-0', '0', true],
    ['0.0', '-0.00', true],
    ['Infinity', 'inf', true],
    ['nan', 'nan', true],
    ['nan 1', 'NaN 1', false],
    ['1_000', '1000', true],
    ['', '', true],
    ['1 2', '1', false],
    ['Yes', 'YES', false],
    ['50000000000000000', '50000000000000001', false],
    ['1\u00a02', '1 2', true],
    ['\ufeff1', '1', false],
    ['+5', '5', true],
    ['.5', '0.5', true],
    ['5.', '5', true],
    ['.', '0', false],
  ])('%j and %j', (printed, expected, same) =>
    expect(toEnd(compareOutputs(printed, expected)).same).toBe(same),
  );

  it('say where they differ', () => {
    expect(toEnd(compareOutputs('1\n2\n3', '1\n5\n3'))).toEqual({ same: false, why: 'line', line: 1 });
    expect(toEnd(compareOutputs('1\n2', '1\n2\n3'))).toEqual({ same: false, why: 'lineCount', line: 2 });
  });

  it('compare numbers as Python decimals do', () => {
    const words = [
      '0',
      '-0',
      '1',
      '1.0',
      '10',
      '1e1',
      '0.1',
      '1e-1',
      '.1',
      '1.',
      '00012',
      '12',
      '-12.500',
      '-12.5',
      '1e400',
      '1e-400',
      '1E+2',
      '100',
      'inf',
      '-inf',
      'Infinity',
      'abc',
      '1e',
      '--1',
      '1.2.3',
      '1_0',
      '0x1',
      '12e-1',
      '1.20',
      '+1',
      ...['0', '1', '10', '0.01', '00100'].flatMap((digits) =>
        [
          '999999999999999998',
          '999999999999999999',
          '1000000000000000000',
          '0000000000000000000002',
          '-1999999999999999996',
          '-1999999999999999997',
          '-1999999999999999998',
          '9'.repeat(60),
        ].map((exponent) => `${digits}e${exponent}`),
      ),
    ];
    const wanted = JSON.parse(
      execFileSync(
        PYTHON,
        [
          '-I',
          '-c',
          'import json,sys\nfrom decimal import Decimal\nw=json.load(sys.stdin)\ndef d(x):\n    try: return Decimal(x)\n    except Exception: return None\nprint(json.dumps([[d(a) is not None and d(b) is not None and d(a)==d(b) for b in w] for a in w]))',
        ],
        { input: JSON.stringify(words), encoding: 'utf8' },
      ),
    ) as boolean[][];
    const got = words.map((left) =>
      words.map((right) => decimalKey(left) !== null && decimalKey(left) === decimalKey(right)),
    );
    expect(got).toEqual(wanted);
  });
});

describe('scores', () => {
  const answers = (
    {
      id,
      title = id,
      solved,
      ...rest
    }: { id: string; title?: string; solved: boolean; platform?: string; difficulty?: string },
    item: number,
  ): GradeRow[] =>
    Array.from({ length: 10 }, (_, sample) => ({
      ...gradeRow(
        10 * item + sample,
        solved ? 'passed' : 'failed',
        {
          details: {
            platform: 'atcoder',
            difficulty: 'easy',
            contestDate: '2024-08-03T00:00:00',
            erratum: erratumOf({ id, title }),
            ...rest,
          },
        },
        id,
      ),
      sample,
    }));
  it('come whole, without errata, and by difficulty and platform', () => {
    const rows = [
      { id: 'a', solved: true },
      { id: 'abc311_c', solved: false },
      { id: '2808', title: 'Find the Peaks', platform: 'leetcode', difficulty: 'hard', solved: false },
      { id: 'abc337_e', difficulty: 'hard', solved: false },
    ].flatMap(answers);
    const scores = new Map(liveCodeBench.scores(rows, 1).map((score) => [score.name, score]));
    expect(scores.get('pass@1')).toMatchObject({ value: 0.25, n: 4 });
    expect(scores.get('pass@5')).toMatchObject({ value: 0.25, n: 4 });
    expect(scores.get('without known faulty problems, pass@1')).toMatchObject({ value: 1, n: 1 });
    expect(scores.get('2024-08-01 to 2025-02-01, pass@1')).toMatchObject({ value: 0.25, n: 4 });
    expect(scores.get('easy, pass@1')).toMatchObject({ value: 0.5, n: 2 });
    expect(scores.get('medium, pass@1')).toMatchObject({ value: null, n: 0 });
    expect(scores.get('hard, pass@1')).toMatchObject({ value: 0, n: 2 });
    expect(scores.get('leetcode, pass@1')).toMatchObject({ n: 1 });
    expect(scores.get('codeforces, pass@1')).toMatchObject({ value: null, n: 0 });
    expect(scores.get('atcoder, pass@1')).toMatchObject({ n: 3 });
    expect(['abc311_c', 'abc337_e', 'a'].map((id) => erratumOf({ id, title: id }))).toEqual([
      'severalAnswers',
      'interactive',
      null,
    ]);
    expect(erratumOf({ id: '2808', title: 'Find the Peaks' })).toBe('severalAnswers');
    expect(erratumOf({ id: 'own', title: 'x' }, { own: 'badTests' })).toBe('badTests');
  });
  it('can be of a window of dates, its ends included', () => {
    const rows = [
      '2024-07-31T23:59:59',
      '2024-08-01T00:00:00',
      '2025-01-31T10:00:00',
      '2025-02-01T00:00:00',
      '2025-02-01T00:00:01',
    ].map((contestDate) => ({ contestDate }));
    expect(inWindow(rows, { from: '2024-08-01', to: '2025-02-01' })).toHaveLength(3);
    expect(inWindow(rows, {})).toHaveLength(5);
    expect(() => inWindow(rows, { from: 'soon' })).toThrow(/"soon" is no date/);
  });
  it.skipIf(!hasShared)('have 279 problems in the usual window of release v5 (in ../shared/data)', () => {
    const statements = sharedLines('livecodebench/release_v5_statements.jsonl.gz').map(
      (line) =>
        JSON.parse(line) as {
          contest_date: string;
          platform: LiveCodeBenchProblem['platform'];
          question_id: string;
          question_title: string;
        },
    );
    const rows = statements.map(({ contest_date }) => ({ contestDate: contest_date }));
    expect(rows).toHaveLength(880);
    expect(inWindow(rows, { from: '2024-08-01', to: '2025-02-01' })).toHaveLength(279);
    expect(
      statements.filter(
        ({ question_id, question_title }) => erratumOf({ id: question_id, title: question_title }) !== null,
      ),
    ).toHaveLength(14);
  });
});
