import { describe, expect, it } from 'vitest';
import type { EncodedValue } from '../../../electron/contract/index.ts';
import { parseLiteral, sameValue, type ValueEquality } from '../../../electron/core/index.ts';

function same(left: string, right: string, equality: ValueEquality): boolean {
  const [a, b] = [left, right].map((text) => {
    const result = parseLiteral(text, { extended: true });
    if (!result.ok) throw new Error(result.reason);
    return result.encoded;
  });
  const answer = sameValue(a!, b!, equality);
  expect(sameValue(b!, a!, equality), 'equality is symmetric').toBe(answer);
  return answer;
}

describe('strict equality', () => {
  it.each([
    ['1', '1.0'],
    ['1', 'True'],
    ['0', 'False'],
    ['1.0', 'True'],
    ['1', '1+0j'],
    ['{1}', 'frozenset({1})'],
    ['{1}', '{True}'],
    ["'a'", "b'a'"],
    ['[1]', '(1,)'],
    ['{1: 2}', '{1.0: 2}'],
    ['None', 'False'],
    ['[]', '()'],
    ["'1'", '1'],
    ["['a,sb']", "['a', 'b']"],
  ])('%s is not %s', (left, right) => expect(same(left, right, 'strict')).toBe(false));

  it.each([
    ['0.0', '-0.0'],
    ['{1, 2}', '{2, 1}'],
    ["{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"],
    ['0x10', '16'],
    ['1e3', '1000.0'],
    ['-0.0+0j', '0j'],
    ['[{(1, 2): {3}}]', '[{(1, 2): {3}}]'],
  ])('%s is %s', (left, right) => expect(same(left, right, 'strict')).toBe(true));
});

describe("Python's equality", () => {
  it.each([
    ['1', '1.0'],
    ['1', 'True'],
    ['0', '-0.0'],
    ['1', '1+0j'],
    ['{1}', 'frozenset({True})'],
    ['{1: 0}', '{True: False}'],
    ['[1, (2.0,)]', '[True, (2,)]'],
    ['9007199254740992', '9007199254740992.0'],
  ])('%s == %s', (left, right) => expect(same(left, right, 'python')).toBe(true));

  it.each([
    ['[1]', '(1,)'],
    ["'a'", "b'a'"],
    ['9007199254740993', '9007199254740992.0'],
    ['1', "'1'"],
    ['0.1', '0'],
    ['inf', '-inf'],
    ['1j', '1'],
  ])('%s != %s', (left, right) => expect(same(left, right, 'python')).toBe(false));
});

it('sets and dicts are the same in whatever order a program hands them over', () => {
  const [one, two] = [
    ['i', '0x1'],
    ['i', '0x2'],
  ] as [EncodedValue, EncodedValue];
  for (const equality of ['strict', 'python'] as const) {
    for (const kind of ['S', 'F'] as const)
      expect(sameValue([kind, [one, two]], [kind, [two, one]], equality)).toBe(true);
    const [first, second] = [
      [one, two],
      [two, two],
    ] as [[EncodedValue, EncodedValue], [EncodedValue, EncodedValue]];
    expect(sameValue(['d', [first, second]], ['d', [second, first]], equality)).toBe(true);
  }
});

it('NaN equals nothing, itself included, however deep it lies', () => {
  for (const equality of ['strict', 'python'] as const) {
    for (const text of ['nan', '[nan]', '{nan}', '{1: (nan,)}'])
      expect(same(text, text, equality), text).toBe(false);
    expect(same('inf', 'inf', equality)).toBe(true);
  }
});
