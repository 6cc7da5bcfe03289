import { describe, expect, it } from 'vitest';
import type { EncodedValue } from '../../../electron/contract/index.ts';
import {
  checkEncodedValue,
  encodedFloat,
  encodedInt,
  parseArguments,
  parseLiteral,
  renderLiteral,
} from '../../../electron/core/index.ts';

function frameOf(text: string, extended = false): EncodedValue {
  const result = parseLiteral(text, { extended });
  if (!result.ok) throw new Error(`${text}: ${result.reason}`);
  return result.encoded;
}

function reasonOf(text: string): string {
  const result = parseLiteral(text);
  if (result.ok) throw new Error(`${text} was read as ${JSON.stringify(result.encoded)}`);
  return result.reason;
}

describe('a Python literal is read as data', () => {
  it.each<[string, EncodedValue]>([
    ['-1_000', encodedInt(-1000)],
    ['0x_1F', encodedInt(31)],
    ['0o17', encodedInt(15)],
    ['0b101', encodedInt(5)],
    ['00', encodedInt(0)],
    ['1.', encodedFloat(1)],
    ['.5', encodedFloat(0.5)],
    ['1_0.5e1_0', encodedFloat(1.05e11)],
    ['1e400', encodedFloat(Infinity)],
    ['-0.0', encodedFloat(-0)],
    ['True', ['b', true]],
    ['None', ['n']],
    ['1, 2', ['t', [encodedInt(1), encodedInt(2)]]],
    ['(1,)', ['t', [encodedInt(1)]]],
    ['(1)', encodedInt(1)],
    ['()', ['t', []]],
    ['{}', ['d', []]],
    ['set()', ['S', []]],
    ['frozenset()', ['F', []]],
    ['\'a\' "b"', ['s', 'ab']],
    ["r'\\n'", ['s', '\\n']],
    ["'''a\nb'''", ['s', 'a\nb']],
    ["'\\x41\\u00e9\\U0001F600\\101\\q'", ['s', 'Aé😀A\\q']],
    ["b'\\xff' rb'\\x'", ['y', 'ff5c78']],
    ["'a\\\nb'", ['s', 'ab']],
    ['# first\n[1, # one\n\n 2,\n]\n# last', ['l', [encodedInt(1), encodedInt(2)]]],
  ])('%s', (text, frame) => expect(frameOf(text)).toEqual(frame));

  it('equal keys and items merge as Python merges them', () => {
    expect(renderLiteral(frameOf("{'a': 1, 1: 2, 1.0: 3, True: 4}"), 'repr')).toBe("{'a': 1, 1: 4}");
    expect(renderLiteral(frameOf('{1, True, 1.0, 2}'), 'repr')).toBe('{1, 2}');
  });

  it('collections classes become plain values only when asked for', () => {
    expect(reasonOf("Counter({'a': 1})")).toContain('Counter');
    for (const text of [
      "Counter({'a': 1})",
      "defaultdict(<class 'int'>, {'a': 1})",
      "OrderedDict([('a', 1)])",
    ]) {
      expect(renderLiteral(frameOf(text, true), 'compact')).toBe("{'a':1}");
    }
    expect(frameOf('defaultdict(int)', true)).toEqual(['d', []]);
    expect(renderLiteral(frameOf('[deque([1, 2]), inf, -inf, nan, float("-inf")]', true), 'compact')).toBe(
      '[[1,2],inf,-inf,nan,-inf]',
    );
  });
});

describe('anything that is not data is refused with a sentence', () => {
  it.each([
    '',
    '   ',
    '1 2',
    '1\n2',
    '1,\n2',
    'x',
    'f(1)',
    'list(range(1,3))',
    "__import__('os')",
    '0) or (True',
    '1 if 2 else 3',
    '1+2',
    '-True',
    '--1',
    '[1',
    '[1 for x in y]',
    '{*a}',
    '{1: 2, 3}',
    '{[1]: 2}',
    '{{}}',
    '{([],)}',
    "f'{1}'",
    "ur'a'",
    "'a' b'b'",
    "'\\x1'",
    "'\\U00110000'",
    "'\\N{DASH}'",
    "'open",
    "'a\nb'",
    '007',
    '1__0',
    '1_',
    '0x',
    '1.2.3',
    '1a',
    "b'é'",
    'lambda: 1',
    'a.b',
    'set([1])',
    'nan',
    '"\\ud83d\\ude00"',
    '"\\ud83d" "\\ude00"',
    'x\0',
    '…',
    '[,]',
  ])('%j', (text) => expect(reasonOf(text)).toMatch(/^[^\n]{5,180}\.$/));

  it('size, depth, node and digit limits hold', () => {
    expect(reasonOf(`'${'a'.repeat(65_536)}'`)).toContain('64 KiB');
    expect(reasonOf('['.repeat(65) + ']'.repeat(65))).toContain('64 levels');
    expect(checkEncodedValue(frameOf('['.repeat(64) + ']'.repeat(64))).ok).toBe(true);
    expect(reasonOf(`[${'1,'.repeat(20_000)}]`)).toContain('20000 parts');
    expect(reasonOf('1'.repeat(4301))).toContain('4300 digits');
    expect(reasonOf(`0x${'f'.repeat(5001)}`)).toContain('20000 bits');
  });

  it('hostile nesting costs no more than its length', () => {
    const started = performance.now();
    for (const opening of ['[', '(', '{', '-', '{1:', "b'", '#', '\\', 'f(', 'frozenset('])
      parseLiteral(opening.repeat(60_000 / opening.length));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('call arguments', () => {
  it('are positional values, with free line breaks and a trailing comma', () => {
    expect(parseArguments("1,\n 'a', [2,\n3],")).toEqual({
      ok: true,
      values: [encodedInt(1), ['s', 'a'], ['l', [encodedInt(2), encodedInt(3)]]],
    });
    expect(parseArguments('# nothing')).toEqual({ ok: true, values: [] });
  });

  it('may not be named, starred, computed or close the call', () => {
    for (const text of ['x=1', '*a', '**a', '1 2', ',', '1)+(2', 'g()'])
      expect(parseArguments(text).ok, text).toBe(false);
  });
});

describe('a frame from an untrusted process', () => {
  it('is accepted only in the exact format', () => {
    const bad: unknown[] = [
      null,
      'x',
      [],
      ['n', 1],
      ['b', 1],
      ['i', '1'],
      ['i', '0xG'],
      ['f', '00'],
      ['s', 1],
      ['y', 'a'],
      ['l', 1],
      ['l', [1]],
      ['d', [[['n']]]],
      ['q'],
    ];
    for (const frame of bad) expect(checkEncodedValue(frame).ok, JSON.stringify(frame)).toBe(false);
  });

  it('is refused when too deep or too large, in linear time', () => {
    let deep: unknown = ['n'];
    for (let level = 0; level < 5000; level += 1) deep = [['l', 't', 'S', 'F'][level % 4], [deep]];
    const result = checkEncodedValue(deep);
    expect(result.ok ? '' : result.reason).toContain('64 levels');
    expect(checkEncodedValue(['l', Array.from({ length: 20_000 }, () => ['n'])]).ok).toBe(false);
  });
});
