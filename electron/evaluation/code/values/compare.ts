import type { EncodedValue } from '../../../contract/index.ts';
import { sameValue, valueKey } from '../../../core/index.ts';
import type { ObservedFrame } from '../../../processes/index.ts';

/** Whether a value is plain data throughout: no other types, nothing told by a digest. */
export function isPlain(frame: ObservedFrame): frame is EncodedValue {
  switch (frame[0]) {
    case 'x':
    case 'h':
      return false;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return frame[1].every(isPlain);
    case 'd':
      return frame[1].every(([key, item]) => isPlain(key) && isPlain(item));
    default:
      return true;
  }
}

/** What there is in a value besides plain data. */
export type Foreign = { claims: boolean; custom: boolean; otherType: boolean };

/** Looks through a whole value for parts that claim to equal everything, compare by their own rule, or are of another type. */
export function foreignIn(
  frame: ObservedFrame,
  found: Foreign = { claims: false, custom: false, otherType: false },
): Foreign {
  switch (frame[0]) {
    case 'x':
      if (frame[3] === 'claims') found.claims = true;
      else if (frame[3] === 'custom') found.custom = true;
      else found.otherType = true;
      if (frame[2] !== null) foreignIn(frame[2], found);
      break;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      for (const item of frame[1]) foreignIn(item, found);
      break;
    case 'd':
      for (const pair of frame[1]) for (const part of pair) foreignIn(part, found);
      break;
    default:
  }
  return found;
}

/**
 * Python's `out == expected` as the benchmarks run it: 1 == 1.0 == True, a Counter equals a dict, a Decimal a float, and a
 * part that claims to equal everything does (strict grading refuses that; see strictlyEqual).
 */
export function compatiblyEqual(out: ObservedFrame, expected: ObservedFrame): boolean {
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
export function strictlyEqual(out: ObservedFrame, expected: ObservedFrame): boolean {
  const { claims, custom, otherType } = foreignIn(out);
  if (claims || custom || (otherType && isPlain(expected))) return false;
  return compatiblyEqual(out, expected);
}

/** Parts of another type as the data they compare as; those without stay. */
export function asData(frame: ObservedFrame): ObservedFrame {
  if (isPlain(frame)) return frame;
  switch (frame[0]) {
    case 'x':
      return frame[2] !== null && frame[3] === '' ? asData(frame[2]) : frame;
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return [frame[0], frame[1].map(asData)];
    case 'd':
      return [
        'd',
        frame[1].map(([key, item]): [ObservedFrame, ObservedFrame] => [asData(key), asData(item)]),
      ];
    default:
      return frame;
  }
}

/** Digests of values that hold a not-a-number, or could not be read, stand for no value. */
function sameDigest(left: string, right: string): boolean {
  return left === right && left.length === 64;
}

function sameEntries(
  left: readonly [ObservedFrame, ObservedFrame][],
  right: readonly [ObservedFrame, ObservedFrame][],
): boolean {
  if (left.length !== right.length) return false;
  const byKey = new Map(right.map(([key, item]) => [isPlain(key) ? valueKey(key, 'python') : null, item]));
  return left.every(([key, item]) => {
    const wanted = isPlain(key) ? byKey.get(valueKey(key, 'python')) : undefined;
    return wanted !== undefined && compatiblyEqual(item, wanted);
  });
}
