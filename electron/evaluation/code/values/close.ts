import { hexToDouble, hexToInt } from '../../../core/index.ts';
import type { ObservedFrame } from '../../../processes/index.ts';

/** numpy's relative tolerance where none is given; EvalPlus writes it out. */
const RELATIVE = 1e-7;
/** In lists, numpy keeps ints beyond these as Python objects, which allclose refuses. */
const [LEAST_INT, MOST_INT] = [-(2n ** 63n), 2n ** 64n - 1n];

type Num = { re: number; im: number };
type NumArray = { shape: readonly number[]; items: readonly Num[] };

/**
 * numpy.allclose(out, expected, rtol=1e-7, atol) behind EvalPlus's two checks: the types are identical, and lists and tuples
 * equally long. Anything numpy makes no array of numbers from (texts, None, dicts, ragged lists) is not close to anything.
 * Lists inside are compared by numpy's broadcasting.
 */
export function areClose(out: ObservedFrame, expected: ObservedFrame, absolute: number): boolean {
  if (out[0] !== expected[0]) return false;
  if ((out[0] === 'l' || out[0] === 't') && out[1].length !== (expected[1] as ObservedFrame[]).length)
    return false;
  const [left, right] = [toArray(out, true), toArray(expected, true)];
  const shape = left && right ? broadcast(left.shape, right.shape) : null;
  if (left === null || right === null || shape === null) return false;
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

/** Whether EvalPlus compares with a tolerance because of this expected value: a float, or a list or tuple of floats only. */
export function isFloats(expected: ObservedFrame): boolean {
  if (expected[0] === 'f') return true;
  return (
    (expected[0] === 'l' || expected[0] === 't') &&
    expected[1].length > 0 &&
    expected[1].every(([tag]) => tag === 'f')
  );
}

/** The value of a number or truth value as Python calculates with it; null for anything else. */
export function realNumber(frame: ObservedFrame): number | null {
  switch (frame[0]) {
    case 'b':
      return frame[1] ? 1 : 0;
    case 'i':
      return Number(hexToInt(frame[1]));
    case 'f':
      return hexToDouble(frame[1]);
    case 'x':
      return frame[2] !== null && (frame[1] === 'Decimal' || frame[1] === 'Fraction')
        ? realNumber(frame[2])
        : null;
    default:
      return null;
  }
}

/** @param isAlone whether the number stands by itself: then numpy takes every int that is a double. */
function toArray(frame: ObservedFrame, isAlone = false): NumArray | null {
  switch (frame[0]) {
    case 'b':
    case 'f':
      return { shape: [], items: [{ re: realNumber(frame)!, im: 0 }] };
    case 'i': {
      const value = hexToInt(frame[1]);
      const fits = isAlone ? Number.isFinite(Number(value)) : value >= LEAST_INT && value <= MOST_INT;
      return fits ? { shape: [], items: [{ re: Number(value), im: 0 }] } : null;
    }
    case 'z':
      return { shape: [], items: [{ re: hexToDouble(frame[1]), im: hexToDouble(frame[2]) }] };
    case 'l':
    case 't':
      return stack(frame[1].map((item) => toArray(item)));
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
