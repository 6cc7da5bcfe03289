import { describe, expect, it } from 'vitest';
import { PHASES } from '../../../electron/contract/index.ts';
import {
  canonicalJson,
  drawGate,
  drawPerson,
  gateNumber,
  editDistance,
  rolloutSeed,
  sampleWithoutReplacement,
  sha256Hex,
  shuffle,
  similarity,
  uniform,
  uniformIndex,
  weightedSample,
} from '../../../electron/core/index.ts';

describe('counter-based randomness', () => {
  it('repeats for the same path and differs for any other', () => {
    expect(uniform(1, 'a', 2)).toBe(uniform(1, 'a', 2));
    const draws = [
      uniform(1, 'a', 2),
      uniform(2, 'a', 2),
      uniform(1, 'a', '2'),
      uniform(1, 'a2'),
      uniform(1, 'a', 2, 0),
      uniform(1, 2, 'a'),
    ];
    expect(new Set(draws).size).toBe(draws.length);
  });

  it('has the value every later version must keep, or stored runs stop replaying', () => {
    expect(uniform(1, 'gate', 3, 'x', 'task')).toBe(
      Number(BigInt(`0x${sha256Hex('[1,"gate",3,"x","task"]').slice(0, 16)}`) >> 11n) / 2 ** 53,
    );
  });

  it('is uniform: chi-squared over 20 bins of 20,000 draws stays below its 99.99 % point', () => {
    const bins = Array.from({ length: 20 }, () => 0);
    for (let draw = 0; draw < 20_000; draw += 1) bins[uniformIndex(20, 7, 'chi', draw)]! += 1;
    expect(bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(52);
  });

  it('gives seeds that are safe integers', () => {
    for (let index = 0; index < 100; index += 1)
      expect(Number.isSafeInteger(rolloutSeed(Number.MAX_SAFE_INTEGER, 's', index))).toBe(true);
  });

  it('refuses paths that JSON would blur', () => {
    expect(() => uniform(1, Number.NaN)).toThrow(RangeError);
    expect(() => uniform(0.5)).toThrow(RangeError);
  });

  it('samples different positions, all of them when asked for too many', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    expect(new Set(sampleWithoutReplacement(items, 20, 3, 'p')).size).toBe(20);
    expect(shuffle(items, 3, 'q').toSorted((a, b) => a - b)).toEqual(items);
    expect(sampleWithoutReplacement(items, 99, 3).length).toBe(50);
  });

  it('shuffles into every order alike, and draws each place of a weighted sample anew', () => {
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6000; draw += 1) {
      const order = shuffle(['a', 'b', 'c'], 3, 'orders', draw).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    const chi = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect([counts.size, chi < 26]).toEqual([6, true]); // the 99.99 % point of five degrees of freedom
    const pairs = new Set<string>();
    for (let draw = 0; draw < 300; draw += 1)
      pairs.add(weightedSample(['a', 'b', 'c', 'd'], [1, 1, 1, 1], 2, 5, 'pairs', draw).join(''));
    expect(pairs.size).toBe(12);
  });

  it('draws by weight, without replacement, zero weights last', () => {
    let heavyFirst = 0;
    for (let draw = 0; draw < 4000; draw += 1) {
      const picked = weightedSample(['none', 'one', 'three'], [0, 1, 3], 3, 5, 'w', draw);
      if (picked[0] === 'three') heavyFirst += 1;
      expect(picked[2]).toBe('none');
    }
    expect(heavyFirst / 4000).toBeCloseTo(0.75, 1);
    expect(() => weightedSample(['a'], [-1], 1, 1)).toThrow(RangeError);
  });
});

describe('the review gate', () => {
  const keys = Array.from({ length: 4000 }, (_, index) => `1/gen_code_i/${index}`);

  it('is open never at 0 and always at 1', () => {
    for (const key of keys)
      for (const phase of PHASES) {
        expect(drawGate(1, 1, key, phase, 0)).toBe(false);
        expect(drawGate(1, 1, key, phase, 1)).toBe(true);
      }
  });

  it('only adds reviews when p grows', () => {
    for (const key of keys) {
      const open = [0.05, 0.3, 0.5, 0.9].map((p) => drawGate(4, 2, key, 'plan', p));
      expect(open).toEqual(open.toSorted((a, b) => Number(a) - Number(b)));
    }
  });

  it('opens at rate p, independently between phases', () => {
    const open = (phase: 'task' | 'output'): boolean[] => keys.map((key) => drawGate(9, 3, key, phase, 0.3));
    const [task, output] = [open('task'), open('output')];
    const rate = (flags: boolean[]): number => flags.filter(Boolean).length / flags.length;
    expect(Math.abs(rate(task) - 0.3)).toBeLessThan(0.03);
    expect(Math.abs(rate(task.map((flag, index) => flag && output[index]!)) - 0.09)).toBeLessThan(0.02);
  });

  it('has a number of its own for each seed, step, item and phase', () => {
    expect(gateNumber(7, 3, 'b/1', 'plan')).toBe(uniform(7, 'gate', 3, 'b/1', 'plan'));
    const numbers = [
      gateNumber(7, 3, 'b/1', 'plan'),
      gateNumber(8, 3, 'b/1', 'plan'),
      gateNumber(7, 4, 'b/1', 'plan'),
      gateNumber(7, 3, 'b/2', 'plan'),
      gateNumber(7, 3, 'b/1', 'thought'),
    ];
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("asks a person by a coin that the gate's says nothing about", () => {
    const open = keys.filter((key) => drawGate(9, 3, key, 'plan', 0.3));
    const asked = open.filter((key) => drawPerson(9, 3, key, 'plan', 0.3));
    expect(Math.abs(asked.length / open.length - 0.3)).toBeLessThan(0.05);
  });

  it('refuses a probability outside [0, 1]', () => {
    for (const p of [-0.1, 1.2, Number.NaN]) expect(() => drawGate(1, 1, 'a', 'task', p)).toThrow(RangeError);
  });
});

describe('canonical JSON', () => {
  it('does not depend on key order', () =>
    expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: -0 })).toBe('{"a":0,"b":[1,{"c":"é","d":null}]}'));
  it('throws where JSON would lose something', () => {
    for (const value of [
      undefined,
      Number.NaN,
      Infinity,
      { a: undefined },
      [undefined],
      new Array(1),
      1n,
      new Date(0),
      new Map(),
      () => 1,
    ]) {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    }
    expect(() => canonicalJson({ a: [0, { b: Number.NaN }] })).toThrow('$.a[1].b');
  });
});

describe('edit distance', () => {
  it('counts insertions, deletions and replacements', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance(['a', 'b'], ['b'])).toBe(1);
    expect(editDistance('😀', '😁')).toBe(1);
  });
  it('gives a similarity between 0 and 1', () => {
    expect([
      similarity('', ''),
      similarity('abc', 'abc'),
      similarity('abc', 'xyz'),
      similarity('ab', 'ad'),
    ]).toEqual([1, 1, 0, 0.5]);
  });
});

it('hashes text as UTF-8', () =>
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'));
