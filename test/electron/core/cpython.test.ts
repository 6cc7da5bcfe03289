import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { EncodedValue } from '../../../electron/contract/index.ts';
import {
  doubleToHex,
  encodedFloat,
  encodedInt,
  parseLiteral,
  renderLiteral,
  sameValue,
  uniform,
  uniformIndex,
} from '../../../electron/core/index.ts';

/**
 * Compares reading, writing and equality of literals with CPython's own, in one Python process. The script builds each value from its frame,
 * takes repr(), reads our text back with ast.literal_eval, and compares neighbours with ==.
 */
const SCRIPT = String.raw`
import ast, json, struct, sys
def double(h): return struct.unpack('>d', bytes.fromhex(h))[0]
def build(f):
    t = f[0]
    if t == 'n': return None
    if t in 'bs': return f[1]
    if t == 'i': return int(f[1], 16)
    if t == 'f': return double(f[1])
    if t == 'z': return complex(double(f[1]), double(f[2]))
    if t == 'y': return bytes.fromhex(f[1])
    if t == 'd': return {build(k): build(v) for k, v in f[1]}
    return {'l': list, 't': tuple, 'S': set, 'F': frozenset}[t](build(x) for x in f[1])
def frame(v):
    t = type(v)
    if v is None: return ['n']
    if t is bool: return ['b', v]
    if t is int: return ['i', hex(v)]
    if t is float: return ['f', struct.pack('>d', v).hex()]
    if t is complex: return ['z', struct.pack('>d', v.real).hex(), struct.pack('>d', v.imag).hex()]
    if t is str: return ['s', v]
    if t is bytes: return ['y', v.hex()]
    if t is dict: return ['d', [[frame(k), frame(x)] for k, x in v.items()]]
    items = [frame(x) for x in v]
    if t in (set, frozenset): items.sort(key=lambda x: json.dumps(x, separators=(',', ':')))
    return [{list: 'l', tuple: 't', set: 'S', frozenset: 'F'}[t], items]
out = []
job = json.load(sys.stdin)
previous = None
for entry in job['values']:
    value = build(entry['frame'])
    out.append({'repr': repr(value), 'frame': frame(value), 'equalsPrevious': value == previous,
                'compact': frame(ast.literal_eval(entry['compact'])) if entry['readable'] else None})
    previous = value
texts = []
for text in job['texts']:
    try: texts.append(frame(ast.literal_eval(text.strip())))
    except (SyntaxError, ValueError, TypeError, OverflowError, MemoryError, RecursionError): texts.append(None)
json.dump({'values': out, 'texts': texts}, sys.stdout)
`;

function runPython(job: unknown): {
  values: { repr: string; frame: EncodedValue; equalsPrevious: boolean; compact: EncodedValue | null }[];
  texts: (EncodedValue | null)[];
} {
  const done = spawnSync('.venv/bin/python', ['-I', '-W', 'ignore', '-c', SCRIPT], {
    input: JSON.stringify(job),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (done.status !== 0)
    throw new Error(`The Python reference failed: ${done.error?.message ?? done.stderr}`);
  return JSON.parse(done.stdout);
}

/** Characters with a settled meaning since Unicode 9, so that no engine's tables differ on them. */
const CHARACTERS = [
  ...'abcXYZ019 \'"\\\n\r\t\0\x07\x1b\x7f\x80\xa0\xad\xe9\u0378\u0301\u200b\u2028\u202e\u3000\ufeff\ufffe\ue000中ßЖ',
  '😀',
  '\u{10ffff}',
  '\u{e0001}',
  '\ud800',
  '\udfff',
];
const DOUBLES = [
  0,
  -0,
  1,
  -1.5,
  0.1,
  1e15,
  1e16,
  123456789012345680,
  1e22,
  1e-4,
  1e-5,
  5e-324,
  1.7976931348623157e308,
  Infinity,
  -Infinity,
  9007199254740992,
  1 / 3,
  2.5e-7,
  1e21,
  1e100,
];

function draw(path: (string | number)[], hashable = false): EncodedValue {
  const pick = (size: number, ...more: (string | number)[]): number =>
    uniformIndex(size, 11, ...path, ...more);
  const double = (name: string): number => {
    const choice = pick(3, name, 'how');
    if (choice === 0) return DOUBLES[pick(DOUBLES.length, name)]!;
    const digits = uniform(11, ...path, name, 'digits') * 2 - 1;
    return choice === 1
      ? Number((digits * 1000).toFixed(pick(4, name, 'places')))
      : digits * 10 ** (pick(40, name, 'power') - 20);
  };
  const many = (size: number, itemsHashable: boolean): EncodedValue[] =>
    Array.from({ length: pick(size, 'size') }, (_, index) => draw([...path, index], itemsHashable));
  const kinds = [
    'n',
    'b',
    'i',
    'f',
    'z',
    's',
    'y',
    ...(path.length > 4 ? [] : ['t', 'F', ...(hashable ? [] : ['l', 'S', 'd', 'l', 'd'])]),
  ];
  switch (kinds[pick(kinds.length, 'kind')]) {
    case 'n':
      return ['n'];
    case 'b':
      return ['b', pick(2) === 1];
    case 'i':
      return encodedInt(BigInt(pick(2 ** 40) - 2 ** 39) ** BigInt(1 + pick(6, 'power')));
    case 'f':
      return encodedFloat(double('f'));
    // Python itself reads its (1-0j) back as 1+0j and its -2j as -0-2j, so zero parts are kept to where repr() is faithful.
    case 'z':
      return ['z', doubleToHex(double('re') || 1), doubleToHex(double('im') + 0)];
    case 's':
      return [
        's',
        Array.from(
          { length: pick(9, 'length') },
          (_, index) => CHARACTERS[pick(CHARACTERS.length, index)],
        ).join(''),
      ];
    case 'y':
      return [
        'y',
        Array.from({ length: pick(6, 'length') }, (_, index) =>
          pick(256, index).toString(16).padStart(2, '0'),
        ).join(''),
      ];
    case 't':
      return ['t', many(4, hashable)];
    case 'F':
      return ['F', many(4, true)];
    case 'S':
      return ['S', many(4, true)];
    case 'd':
      return ['d', many(4, true).map((key, index) => [key, draw([...path, 'value', index])])];
    default:
      return ['l', many(5, false)];
  }
}

/** repr() orders sets by hash and inf is no literal for Python: such values are compared after reading, or not offered to it. */
const hasSetOrder = (frame: EncodedValue): boolean => /\["[SF]",\[\[.*\],\[/.test(JSON.stringify(frame));
const ownFrame = (text: string): EncodedValue | string => {
  const result = parseLiteral(text, { extended: true });
  return result.ok ? result.encoded : result.reason;
};

const VALUES = 2400;
const frames = Array.from({ length: VALUES }, (_, index) => draw(['value', index]));
const compact = frames.map((frame) => renderLiteral(frame, 'compact'));
/** Texts one edit away from a literal: both readers must take or refuse each alike. */
const broken = frames.slice(0, 2000).map((frame, index) => {
  const text = renderLiteral(frame, index % 2 === 0 ? 'repr' : 'compact');
  const at = uniformIndex(text.length, 12, 'at', index);
  const insert = [
    '',
    ' ',
    '\n',
    ',',
    '(',
    ')',
    '-',
    '_',
    '0',
    'j',
    '"',
    "'",
    '\\',
    '{',
    ':',
    '.',
    'b',
    '#',
    '+',
    'e1',
  ][uniformIndex(20, 12, 'insert', index)]!;
  return text.slice(0, at) + insert + text.slice(at + uniformIndex(2, 12, 'drop', index));
});
const python = runPython({
  values: frames.map((frame, index) => ({
    frame,
    compact: compact[index],
    readable: !/inf|frozenset/.test(compact[index]!),
  })),
  texts: broken,
});

it(`CPython's repr of ${VALUES} values is written character by character`, () => {
  let compared = 0;
  for (const { repr, frame } of python.values) {
    if (hasSetOrder(frame)) continue;
    compared += 1;
    expect(renderLiteral(frame, 'repr')).toBe(repr);
  }
  expect(compared).toBeGreaterThan(VALUES / 2);
});

it("CPython's repr is read back as the same value", () => {
  for (const { repr, frame } of python.values) expect(ownFrame(repr), repr).toEqual(frame);
});

it('the compact style means the same to CPython and to us', () => {
  for (const [index, { compact: read, frame }] of python.values.entries()) {
    if (read !== null) expect(read, compact[index]).toEqual(frame);
    expect(ownFrame(compact[index]!), compact[index]).toEqual(frame);
  }
});

it("python equality is CPython's ==", () => {
  let equal = 0;
  for (const [index, entry] of python.values.entries()) {
    if (index === 0) continue;
    const ours = sameValue(entry.frame, python.values[index - 1]!.frame, 'python');
    expect(ours, `${entry.repr} == ${python.values[index - 1]!.repr}`).toBe(entry.equalsPrevious);
    equal += Number(ours);
  }
  expect(equal).toBeGreaterThan(10);
});

it('a text one edit away from a literal is taken or refused as ast.literal_eval does', () => {
  let accepted = 0;
  for (const [index, text] of broken.entries()) {
    const ours = parseLiteral(text);
    const theirs = python.texts[index] ?? null;
    if (ours.ok && theirs !== null) expect(ours.encoded, text).toEqual(theirs);
    else if (ours.ok) expect(text, 'taken by us alone').toContain('frozenset(');
    else if (theirs !== null)
      expect(ours.reason, text).toMatch(/A sign must be followed|surrogates in a row/);
    accepted += Number(ours.ok && theirs !== null);
  }
  expect(accepted).toBeGreaterThan(200);
});
