import type { EncodedValue } from '../../contract/index.ts';

/** Size limits of a value that crosses the sandbox boundary; the runner's encoder applies the same. */
export const ENCODED_VALUE_LIMITS = {
  depth: 64,
  nodes: 20_000,
  intBits: 20_000,
  textLength: 100_000,
} as const;

export type EncodedValueCheck = { ok: true; encoded: EncodedValue } | { ok: false; reason: string };

const HEX_INT = /^-?0x[0-9a-f]{1,5000}$/;
const HEX_DOUBLE = /^[0-9a-f]{16}$/;
const HEX_BYTES = /^([0-9a-f]{2})*$/;

/**
 * Checks data from an untrusted process against the form of encoded values and its size limits in one linear pass, so that every
 * later walk over the value may recurse freely.
 */
export function checkEncodedValue(value: unknown): EncodedValueCheck {
  let nodes = 0;
  const visit = (candidate: unknown, depth: number): string | null => {
    nodes += 1;
    if (nodes > ENCODED_VALUE_LIMITS.nodes)
      return `The value has more than ${ENCODED_VALUE_LIMITS.nodes} parts.`;
    if (depth > ENCODED_VALUE_LIMITS.depth)
      return `The value is nested more than ${ENCODED_VALUE_LIMITS.depth} levels deep.`;
    if (!Array.isArray(candidate))
      return 'An encoded value must be an array that starts with its type letter.';
    const [tag, first, second] = candidate as unknown[];
    const length = candidate.length;
    const fits = (test: boolean): string | null =>
      test ? null : `An encoded value of type ${JSON.stringify(tag)?.slice(0, 20)} is malformed.`;
    switch (tag) {
      case 'n':
        return fits(length === 1);
      case 'b':
        return fits(length === 2 && typeof first === 'boolean');
      case 'i':
        return fits(length === 2 && typeof first === 'string' && HEX_INT.test(first));
      case 'f':
        return fits(length === 2 && typeof first === 'string' && HEX_DOUBLE.test(first));
      case 'z':
        return fits(
          length === 3 &&
            typeof first === 'string' &&
            HEX_DOUBLE.test(first) &&
            typeof second === 'string' &&
            HEX_DOUBLE.test(second),
        );
      case 's':
        return fits(
          length === 2 && typeof first === 'string' && first.length <= ENCODED_VALUE_LIMITS.textLength * 2,
        );
      case 'y':
        return fits(
          length === 2 &&
            typeof first === 'string' &&
            first.length <= ENCODED_VALUE_LIMITS.textLength * 2 &&
            HEX_BYTES.test(first),
        );
      case 'l':
      case 't':
      case 'S':
      case 'F': {
        if (length !== 2 || !Array.isArray(first)) return fits(false);
        return visitAll(first, depth);
      }
      case 'd': {
        if (length !== 2 || !Array.isArray(first)) return fits(false);
        for (const entry of first as unknown[]) {
          if (!Array.isArray(entry) || entry.length !== 2) return fits(false);
          const problem = visitAll(entry, depth);
          if (problem !== null) return problem;
        }
        return null;
      }
      default:
        return 'An encoded value has an unknown type letter.';
    }
  };
  const visitAll = (items: readonly unknown[], depth: number): string | null => {
    for (const item of items) {
      const problem = visit(item, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  const reason = visit(value, 1);
  return reason === null ? { ok: true, encoded: value as EncodedValue } : { ok: false, reason };
}

export const encodedNone = (): EncodedValue => ['n'];
export const encodedBool = (value: boolean): EncodedValue => ['b', value];
export const encodedText = (value: string): EncodedValue => ['s', value];
export const encodedInt = (value: bigint | number): EncodedValue => {
  const big = BigInt(value);
  return ['i', big < 0n ? `-0x${(-big).toString(16)}` : `0x${big.toString(16)}`];
};
export const encodedFloat = (value: number): EncodedValue => ['f', doubleToHex(value)];

/** The integer written as `-0x1f`. */
export function hexToInt(text: string): bigint {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}

/** Big-endian IEEE-754 bytes of a double as 16 hexadecimal digits; every NaN becomes the quiet one. */
export function doubleToHex(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Number.isNaN(value) ? Number.NaN : value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

export function hexToDouble(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}
