import type { EncodedValue } from '../../contract/index.ts';
import { hexToDouble, hexToInt } from './encoded-value.ts';

/**
 * strict: types must match, so 1, 1.0 and True all differ, and a set differs from a frozenset.
 * python: Python's `==`, where 1 == 1.0 == True == (1+0j) and {1} == frozenset({1}).
 * In both, lists differ from tuples, sets and dicts ignore order, 0.0 equals -0.0, and NaN equals nothing. (In Python a
 * container holding the very same NaN object equals itself; values that crossed a process boundary have no identity.)
 */
export type ValueEquality = 'strict' | 'python';

/** Whether two values are equal. The only comparison that decides a reward; it runs in the host, never beside model code. */
export function sameValue(left: EncodedValue, right: EncodedValue, equality: ValueEquality): boolean {
  const key = valueKey(left, equality);
  return key !== null && key === valueKey(right, equality);
}

/** Text that two values share exactly when they are equal; null for a value that contains NaN and so equals nothing. */
export function valueKey(encoded: EncodedValue, equality: ValueEquality): string | null {
  switch (encoded[0]) {
    case 'n':
      return 'n';
    case 's':
      return `s${JSON.stringify(encoded[1])}`;
    case 'y':
      return `y${encoded[1]}`;
    case 'b':
      return equality === 'strict' ? `b${encoded[1]}` : integerKey(encoded[1] ? 1n : 0n);
    case 'i':
      return integerKey(hexToInt(encoded[1]));
    case 'f':
      return equality === 'strict'
        ? prefix('f', realKey(hexToDouble(encoded[1])))
        : realKey(hexToDouble(encoded[1]));
    case 'z':
      return complexKey(hexToDouble(encoded[1]), hexToDouble(encoded[2]), equality);
    case 'l':
      return wrap('[', itemKeys(encoded[1], equality));
    case 't':
      return wrap('(', itemKeys(encoded[1], equality));
    case 'S':
      return wrap('{', itemKeys(encoded[1], equality)?.sort());
    case 'F':
      return wrap(equality === 'strict' ? '<' : '{', itemKeys(encoded[1], equality)?.sort());
    case 'd':
      return wrap('d', entryKeys(encoded[1], equality)?.sort());
  }
}

function integerKey(value: bigint): string {
  return `i${value.toString(16)}`;
}

/** A whole double shares the key of the equal integer, so that 1.0 meets 1 when equality is Python's. */
function realKey(value: number): string | null {
  if (Number.isNaN(value)) return null;
  return Number.isInteger(value) ? integerKey(BigInt(value)) : `r${value}`;
}

function complexKey(real: number, imaginary: number, equality: ValueEquality): string | null {
  const realPart = realKey(real);
  const imaginaryPart = realKey(imaginary);
  if (realPart === null || imaginaryPart === null) return null;
  return equality === 'python' && imaginary === 0 ? realPart : `z${realPart},${imaginaryPart}`;
}

function itemKeys(items: readonly EncodedValue[], equality: ValueEquality): string[] | null {
  const keys: string[] = [];
  for (const item of items) {
    const key = valueKey(item, equality);
    if (key === null) return null;
    keys.push(key);
  }
  return keys;
}

function entryKeys(
  entries: readonly [EncodedValue, EncodedValue][],
  equality: ValueEquality,
): string[] | null {
  const keys: string[] = [];
  for (const [key, value] of entries) {
    const pair = itemKeys([key, value], equality);
    if (pair === null) return null;
    keys.push(pair.join(':'));
  }
  return keys;
}

const CLOSING = { '[': ']', '(': ')', '{': '}', '<': '>', d: 'D' } as const;

function wrap(open: keyof typeof CLOSING, keys: string[] | null | undefined): string | null {
  return keys ? `${open}${keys.join(',')}${CLOSING[open]}` : null;
}

function prefix(text: string, key: string | null): string | null {
  return key === null ? null : text + key;
}
