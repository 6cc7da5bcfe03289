import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EncodedValue } from '../../../../electron/contract/index.ts';
import {
  areClose,
  isFloats,
  compatiblyEqual,
  strictlyEqual,
} from '../../../../electron/evaluation/code/values/compare.ts';
import { parsePythonJson } from '../../../../electron/evaluation/code/values/python-json.ts';
import { isObserved, type ObservedValue } from '../../../../electron/processes/index.ts';
import { root } from '../../real-runner.ts';

const python = (code: string, input: string): unknown =>
  JSON.parse(
    execFileSync(join(root, '.venv/bin/python'), ['-I', '-c', code], {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    }),
  );

describe('JSON as Python reads it', () => {
  it.each<[string, EncodedValue]>([
    ['1', ['i', '0x1']],
    ['1.0', ['f', '3ff0000000000000']],
    ['-0', ['i', '0x0']],
    ['-0.0', ['f', '8000000000000000']],
    ['1e2', ['f', '4059000000000000']],
    ['123456789012345678901234567890', ['i', '0x18ee90ff6c373e0ee4e3f0ad2']],
    ['NaN', ['f', '7ff8000000000000']],
    ['-Infinity', ['f', 'fff0000000000000']],
    ['"a\\u00e9\\ud83d\\ude00\\n\\/"', ['s', 'aé😀\n/']],
    ['"\\ud800"', ['s', '\ud800']],
    ['true', ['b', true]],
    ['null', ['n']],
    ['[]', ['l', []]],
    [
      ' [ 1 , [ ] ] ',
      [
        'l',
        [
          ['i', '0x1'],
          ['l', []],
        ],
      ],
    ],
    [
      '{"b": 1, "a": 2, "b": 3}',
      [
        'd',
        [
          [
            ['s', 'b'],
            ['i', '0x3'],
          ],
          [
            ['s', 'a'],
            ['i', '0x2'],
          ],
        ],
      ],
    ],
  ])('%s', (text, frame) => expect(parsePythonJson(text)).toEqual(frame));

  it.each([
    '',
    '[1,]',
    '[1 2]',
    '{"a"}',
    '{a: 1}',
    '01',
    '1.',
    '.5',
    '+1',
    '"abc',
    '"\\x41"',
    '"\u0001"',
    '[1] 2',
    'nul',
    '--1',
    `${'['.repeat(600)}`,
    '"\\u12g4"',
  ])('%s is refused with the place', (text) => {
    expect(() => parsePythonJson(text)).toThrow(/not JSON at character \d+/);
  });
});

const one: EncodedValue = ['i', '0x1'];
const half: ObservedValue = ['x', 'Decimal', ['f', '3fe0000000000000'], ''];
const digest = (letter: string): ObservedValue => ['h', letter.repeat(64)];
const claims: ObservedValue = ['x', 'All', null, 'claims'];

describe('equality', () => {
  it.each<[string, ObservedValue, ObservedValue, boolean, boolean]>([
    ['1 and True', one, ['b', true], true, true],
    ['[1] and (1,)', ['l', [one]], ['t', [one]], false, false],
    ['Decimal("0.5") and 0.5', half, ['f', '3fe0000000000000'], true, false],
    ['[Decimal("0.5")] and [0.5]', ['l', [half]], ['l', [['f', '3fe0000000000000']]], true, false],
    [
      'a Counter and a dict',
      ['x', 'Counter', ['d', [[['s', 'a'], one]]], ''],
      ['d', [[['s', 'a'], one]]],
      true,
      false,
    ],
    [
      'a Counter and a Counter',
      ['x', 'Counter', ['d', [[['s', 'a'], one]]], ''],
      ['x', 'Counter', ['d', [[['s', 'a'], one]]], ''],
      true,
      true,
    ],
    [
      'an inexact Decimal and its float',
      ['x', 'Decimal', ['f', '3fb999999999999a'], 'inexact'],
      ['f', '3fb999999999999a'],
      false,
      false,
    ],
    ['what claims everything and 1', claims, one, true, false],
    ['a list of it and a list', ['l', [claims, one]], ['l', [['n'], one]], true, false],
    ['a list of it and a longer list', ['l', [claims]], ['l', [one, one]], false, false],
    [
      'a dict with it and a dict',
      ['d', [[one, claims]]],
      ['d', [[['f', '3ff0000000000000'], ['n']]]],
      true,
      false,
    ],
    ['a type of its own rule and 1', ['x', 'A', null, 'custom'], one, false, false],
    ['two large equal values', digest('a'), digest('a'), true, true],
    ['two large values', digest('a'), digest('b'), false, false],
    ['large ones with a not-a-number', ['h', 'nan'], ['h', 'nan'], false, false],
    ['unreadable ones', ['h', 'huge'], ['h', 'huge'], false, false],
    ['a large value and a small one', digest('a'), one, false, false],
    ['NaN and NaN', ['f', '7ff8000000000000'], ['f', '7ff8000000000000'], false, false],
    ['{1, 2} and frozenset', ['S', [one, ['i', '0x2']]], ['F', [['i', '0x2'], one]], true, true],
  ])('of %s', (_, left, right, compatible, strict) => {
    expect([compatiblyEqual(left, right), strictlyEqual(left, right)]).toEqual([compatible, strict]);
  });

  it.each([
    [['q']],
    [['i', '1']],
    [['x', 'A', null, '']],
    [['x', 'A', null, 'yes']],
    [['h', 'abc']],
    [['l', [['n', 1]]]],
    ['n'],
    [null],
    [['d', [[['n']]]]],
  ])('knows that %j is no observed value', (value) => {
    expect(isObserved(value)).toBe(false);
  });
});

/** Values in JSON, written with their Python type by a wrapper where JSON has none. */
const NUMPY_JUDGE = `
import json, sys, numpy as np
def make(v):
    if isinstance(v, dict):
        (k, x), = v.items()
        return {"t": lambda: tuple(map(make, x)), "z": lambda: complex(*x), "S": lambda: set(map(make, x)), "d": lambda: {"a": 1}, "n": lambda: None, "i": lambda: int(x)}[k]()
    return [make(i) for i in v] if isinstance(v, list) else v
out = []
for a, b, atol in json.load(sys.stdin):
    try:
        x, y = make(a), make(b)
        assert type(x) == type(y)
        if isinstance(y, (list, tuple)): assert len(x) == len(y)
        with np.errstate(all="ignore"): out.append(bool(np.allclose(x, y, rtol=1e-07, atol=atol)))
    except Exception:
        out.append(False)
print(json.dumps(out))
`;

type Made = number | string | boolean | Made[] | { [tag: string]: unknown };
const floatText = (value: number): string => (/^-?\d+$/.test(String(value)) ? `${value}.0` : String(value));

function jsonOf(value: unknown): string {
  if (typeof value === 'number') return floatText(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, part]) => `"${key}":${jsonOf(part)}`)
      .join()}}`;
  return JSON.stringify(value);
}

function frameOf(value: Made): EncodedValue {
  if (typeof value === 'number') return parsePythonJson(floatText(value));
  if (typeof value === 'string') return ['s', value];
  if (typeof value === 'boolean') return ['b', value];
  if (Array.isArray(value)) return ['l', value.map(frameOf)];
  const [[tag, part]] = Object.entries(value) as [[string, unknown]];
  switch (tag) {
    case 't':
      return ['t', (part as Made[]).map(frameOf)];
    case 'S':
      return ['S', (part as Made[]).map(frameOf)];
    case 'z':
      return [
        'z',
        ...(part as number[]).map((number) => frameOf(number)[1] as string),
      ] as unknown as EncodedValue;
    case 'i':
      return parsePythonJson(part as string);
    case 'd':
      return ['d', [[['s', 'a'], one]]];
    default:
      return ['n'];
  }
}

describe('closeness', () => {
  it('is what numpy says, on pairs of every kind', () => {
    const int = (text: string): Made => ({ i: text });
    const values: Made[] = [
      0.5,
      0.5 + 1e-9,
      0.5 + 1e-5,
      -0.25,
      1e300,
      1e300 * (1 + 5e-8),
      int('1'),
      int('2'),
      int('9007199254740993'),
      int('9007199254740992'),
      int('18446744073709551615'),
      int('18446744073709551616'),
      true,
      false,
      'a',
      { n: 0 },
      { d: 0 },
      { S: [0.5] },
      { z: [0.5, 1] },
      { z: [0.5, 1.000000001] },
      { z: [0.5, 0] },
      [],
      { t: [] },
      [0.5],
      [0.5 + 1e-9],
      { t: [0.5] },
      [0.5, 0.25],
      [0.5, int('1')],
      [0.5, true],
      ['a'],
      [0.5, 'a'],
      [{ n: 0 }],
      [[0.5], [0.25]],
      [[0.5 + 1e-9], [0.25]],
      [
        [0.5, 0.5],
        [0.25, 0.25],
      ],
      [[0.5], [0.25, 1]],
      [[[0.5]], [[0.25]]],
      [{ t: [0.5, 0.25] }],
      [{ t: [0.5, 0.25 + 1e-9] }],
      [0.5, [0.25]],
      [[], []],
      [{ z: [0.5, 0] }],
      [int('1'), int('-1')],
      [int('18446744073709551616')],
      [0.5, 0.25, 0.125],
    ];
    const cases = values.flatMap((left) =>
      values.flatMap(
        (right) =>
          [
            [left, right, 1e-6],
            [left, right, 1e-4],
          ] as [Made, Made, number][],
      ),
    );
    const wanted = python(NUMPY_JUDGE, jsonOf(cases)) as boolean[];
    const got = cases.map(([left, right, atol]) => areClose(frameOf(left), frameOf(right), atol));
    expect(
      cases.flatMap((pair, index) => (got[index] === wanted[index] ? [] : [[pair, wanted[index]]])),
    ).toEqual([]);
    expect(wanted.filter(Boolean).length).toBeGreaterThan(60);
  });

  it.each<[ObservedValue, boolean]>([
    [['f', '3fe0000000000000'], true],
    [['l', [['f', '3fe0000000000000']]], true],
    [['t', [['f', '3fe0000000000000']]], true],
    [['l', []], false],
    [['l', [['f', '3fe0000000000000'], one]], false],
    [one, false],
    [['l', [['l', [['f', '3fe0000000000000']]]]], false],
  ])('begins with floats: %j is %s', (frame, floats) => expect(isFloats(frame)).toBe(floats));
});
