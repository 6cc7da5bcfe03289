import type { EncodedValue } from '../../../contract/index.ts';
import { sameValue, valueKey, hexToDouble, hexToInt } from '../../../core/index.ts';
import type { ObservedValue, RunnerClient, GradeResult } from '../../../processes/index.ts';

/** Whether a value is plain data throughout: no other types, nothing told by a digest. */
export function isPlain(encoded: ObservedValue): encoded is EncodedValue {
  switch (encoded[0]) {
    case 'x':
    case 'h':
      return false;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return encoded[1].every(isPlain);
    case 'd':
      return encoded[1].every(([key, item]) => isPlain(key) && isPlain(item));
    default:
      return true;
  }
}

/** What there is in a value besides plain data. */
type Foreign = { claims: boolean; custom: boolean; otherType: boolean };

/** Looks through a whole value for parts that claim to equal everything, compare by their own rule, or are of another type. */
export function foreignIn(
  encoded: ObservedValue,
  found: Foreign = { claims: false, custom: false, otherType: false },
): Foreign {
  switch (encoded[0]) {
    case 'x':
      if (encoded[3] === 'claims') found.claims = true;
      else if (encoded[3] === 'custom') found.custom = true;
      else found.otherType = true;
      if (encoded[2] !== null) foreignIn(encoded[2], found);
      break;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      for (const item of encoded[1]) foreignIn(item, found);
      break;
    case 'd':
      for (const pair of encoded[1]) for (const part of pair) foreignIn(part, found);
      break;
    default:
  }
  return found;
}

/**
 * Python's `out == expected` as the benchmarks run it: 1 == 1.0 == True, a Counter equals a dict, a Decimal a float, and a
 * part that claims to equal everything does (strict grading refuses that; see strictlyEqual).
 */
export function compatiblyEqual(out: ObservedValue, expected: ObservedValue): boolean {
  const [left, right] = [asData(out), asData(expected)];
  if (isPlain(left) && isPlain(right)) return sameValue(left, right, 'python');
  if (left[0] === 'x') return left[3] === 'claims';
  if (left[0] === 'h' || right[0] === 'h')
    return left[0] === 'h' && right[0] === 'h' && sameDigest(left[1], right[1]);
  if (left[0] === 'l' || left[0] === 't') {
    return (
      right[0] === left[0] &&
      left[1].length === right[1].length &&
      left[1].every((item, index) => compatiblyEqual(item, right[1][index]!))
    );
  }
  return left[0] === 'd' && right[0] === 'd' && sameEntries(left[1], right[1]);
}

/** The same for plain data only: whatever is of another type than the expected value is not equal to it. */
export function strictlyEqual(out: ObservedValue, expected: ObservedValue): boolean {
  const { claims, custom, otherType } = foreignIn(out);
  if (claims || custom || (otherType && isPlain(expected))) return false;
  return compatiblyEqual(out, expected);
}

/** Parts of another type as the data they compare as; those without stay. */
function asData(encoded: ObservedValue): ObservedValue {
  if (isPlain(encoded)) return encoded;
  switch (encoded[0]) {
    case 'x':
      return encoded[2] !== null && encoded[3] === '' ? asData(encoded[2]) : encoded;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return [encoded[0], encoded[1].map(asData)];
    case 'd':
      return [
        'd',
        encoded[1].map(([key, item]): [ObservedValue, ObservedValue] => [asData(key), asData(item)]),
      ];
    default:
      return encoded;
  }
}

/** Digests of values that hold a not-a-number, or could not be read, stand for no value. */
function sameDigest(left: string, right: string): boolean {
  return left === right && left.length === 64;
}

function sameEntries(
  left: readonly [ObservedValue, ObservedValue][],
  right: readonly [ObservedValue, ObservedValue][],
): boolean {
  if (left.length !== right.length) return false;
  const byKey = new Map(right.map(([key, item]) => [isPlain(key) ? valueKey(key, 'python') : null, item]));
  return left.every(([key, item]) => {
    const wanted = isPlain(key) ? byKey.get(valueKey(key, 'python')) : undefined;
    return wanted !== undefined && compatiblyEqual(item, wanted);
  });
}

/** numpy's relative tolerance where none is given; EvalPlus writes it out. */
const RELATIVE = 1e-7;
/** In lists, numpy keeps ints beyond these as Python objects, which allclose refuses. */
const [LEAST_INT, MOST_INT] = [-(2n ** 63n), 2n ** 64n - 1n];

type Num = { re: number; im: number };
type NumArray = { shape: readonly number[]; items: readonly Num[] };

/**
 * numpy.allclose(out, expected, rtol=1e-7, atol) behind EvalPlus's two checks: the types are identical, and lists and tuples
 * equally long. Anything numpy makes no array of numbers from (texts, None, dicts, ragged lists) is not close to anything.
 * Lists inside are compared by numpy's broadcasting, a number with each of a row.
 * @param strictly containers and lengths are the same throughout, ints are exact, and only a complex number is near one.
 */
export function areClose(
  out: ObservedValue,
  expected: ObservedValue,
  absolute: number,
  strictly = false,
): boolean {
  if (out[0] !== expected[0]) return false;
  if ((out[0] === 'l' || out[0] === 't') && out[1].length !== (expected[1] as ObservedValue[]).length)
    return false;
  const [left, right] = [toArray(out, true), toArray(expected, true)];
  const shape = left && right ? broadcast(left.shape, right.shape) : null;
  if (left === null || right === null || shape === null) return false;
  if (strictly && !isAlike(out, expected)) return false;
  const total = shape.reduce((product, length) => product * length, 1);
  for (let index = 0; index < total; index += 1) {
    if (
      !closeNumbers(
        left.items[place(index, shape, left.shape)]!,
        right.items[place(index, shape, right.shape)]!,
        absolute,
      )
    )
      return false;
  }
  return true;
}

/** Whether a tolerance can be meant between these: numpy takes any sequence for any other, and 10**9 + 1 as near to 10**9. */
function isAlike(out: ObservedValue, expected: ObservedValue): boolean {
  if (expected[0] === 'l' || expected[0] === 't') {
    return (
      out[0] === expected[0] &&
      out[1].length === expected[1].length &&
      out[1].every((item, index) => isAlike(item, expected[1][index]!))
    );
  }
  if (expected[0] === 'f') return out[0] === 'f' || out[0] === 'i' || out[0] === 'b';
  return expected[0] === 'z' || strictlyEqual(out, expected);
}

/** Whether EvalPlus compares with a tolerance because of this expected value: a float, or a list or tuple of floats only. */
export function isFloats(expected: ObservedValue): boolean {
  if (expected[0] === 'f') return true;
  return (
    (expected[0] === 'l' || expected[0] === 't') &&
    expected[1].length > 0 &&
    expected[1].every(([tag]) => tag === 'f')
  );
}

/** The value of a number or truth value as Python calculates with it; null for anything else. */
export function realNumber(encoded: ObservedValue): number | null {
  switch (encoded[0]) {
    case 'b':
      return encoded[1] ? 1 : 0;
    case 'i':
      return Number(hexToInt(encoded[1]));
    case 'f':
      return hexToDouble(encoded[1]);
    case 'x':
      return encoded[2] !== null && (encoded[1] === 'Decimal' || encoded[1] === 'Fraction')
        ? realNumber(encoded[2])
        : null;
    default:
      return null;
  }
}

/** @param isAlone whether the number stands by itself: then numpy takes every int that is a double. */
function toArray(encoded: ObservedValue, isAlone = false): NumArray | null {
  switch (encoded[0]) {
    case 'b':
    case 'f':
      return { shape: [], items: [{ re: realNumber(encoded)!, im: 0 }] };
    case 'i': {
      const value = hexToInt(encoded[1]);
      const fits = isAlone ? Number.isFinite(Number(value)) : value >= LEAST_INT && value <= MOST_INT;
      return fits ? { shape: [], items: [{ re: Number(value), im: 0 }] } : null;
    }
    case 'z':
      return { shape: [], items: [{ re: hexToDouble(encoded[1]), im: hexToDouble(encoded[2]) }] };
    case 'l':
    case 't':
      return stack(encoded[1].map((item) => toArray(item)));
    default:
      return null;
  }
}

function stack(parts: readonly (NumArray | null)[]): NumArray | null {
  const first = parts[0];
  if (first === undefined) return { shape: [0], items: [] };
  const shape = first?.shape.join();
  if (!parts.every((part): part is NumArray => part !== null && part.shape.join() === shape)) return null;
  return { shape: [parts.length, ...parts[0]!.shape], items: parts.flatMap(({ items }) => items) };
}

function broadcast(left: readonly number[], right: readonly number[]): number[] | null {
  const length = Math.max(left.length, right.length);
  const shape: number[] = [];
  for (let axis = 0; axis < length; axis += 1) {
    const a = left[left.length - length + axis] ?? 1;
    const b = right[right.length - length + axis] ?? 1;
    if (a !== b && a !== 1 && b !== 1) return null;
    shape.push(a === 1 ? b : a);
  }
  return shape;
}

/** Where the element at a flat index of the broadcast shape lies in an array of its own shape. */
function place(index: number, shape: readonly number[], own: readonly number[]): number {
  let [rest, at, stride] = [index, 0, 1];
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const coordinate = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
    const length = own[own.length - shape.length + axis];
    if (length === undefined) continue;
    if (length !== 1) at += coordinate * stride;
    stride *= length;
  }
  return at;
}

function closeNumbers(x: Num, y: Num, absolute: number): boolean {
  if (x.re === y.re && x.im === y.im) return true;
  const isFinite = Number.isFinite(y.re) && Number.isFinite(y.im);
  return isFinite && magnitude(x.re - y.re, x.im - y.im) <= absolute + RELATIVE * magnitude(y.re, y.im);
}

/** hypot rounds; the absolute value of a real number must not. */
function magnitude(re: number, im: number): number {
  return im === 0 ? Math.abs(re) : Math.hypot(re, im);
}

/** What graders need of the outside. */
export type CodeTools = {
  runner: Pick<RunnerClient, 'grade' | 'extract' | 'hello'>;
  /** Processes that want a processor, averaged over the last minute (os.loadavg()[0]); kept with every verdict. */
  loadAverage: () => number;
};

/**
 * What was noticed beside a verdict. forged-equality: a value says that it equals anything. custom-equality: a value compares
 * by a rule of the program's own. other-type: a value of another type than plain data (a Counter, a Decimal). forged-report:
 * something else than the calls' values was written in their place. left-early: the process ended itself or crashed.
 * too-large: more was returned than is carried, or a value that could not be read. unjoined-thread: it started a thread that it did not
 * wait for, so the verdict may be another the next time. published-only: the published rule takes an answer that
 * the strict one does not.
 */
export const CODE_FLAGS = [
  'forged-equality',
  'custom-equality',
  'other-type',
  'forged-report',
  'left-early',
  'too-large',
  'unjoined-thread',
  'published-only',
] as const;
export type Flag = (typeof CODE_FLAGS)[number];

/** The flags of one run, in the order of CODE_FLAGS. */
export function flagsOf(result: GradeResult): Flag[] {
  const found = new Set<Flag>();
  for (const call of result.calls) {
    if (call.status === 'badFrame') found.add('forged-report');
    if (call.running) found.add('unjoined-thread');
    if (call.status !== 'ok') continue;
    const foreign = foreignIn(call.value);
    if (foreign.claims) found.add('forged-equality');
    if (foreign.custom) found.add('custom-equality');
    if (foreign.otherType) found.add('other-type');
    if (call.value[0] === 'h' && call.value[1] === 'huge') found.add('too-large');
  }
  if (result.status === 'badFrame') found.add('forged-report');
  if (result.status === 'died') found.add('left-early');
  if (result.status === 'output') found.add('too-large');
  return CODE_FLAGS.filter((flag) => found.has(flag));
}
