import { z } from 'zod';

/**
 * A Python value as canonical data: the only form in which values cross the sandbox boundary.
 * ints are hexadecimal text (≤ 20,000 bits), floats the 16 hex digits of the big-endian IEEE-754 double, bytes hex.
 * Sets are sorted by the JSON text of their items; dicts keep insertion order.
 */
export type EncodedValue =
  | ['n']
  | ['b', boolean]
  | ['i', string]
  | ['f', string]
  | ['z', string, string]
  | ['s', string]
  | ['y', string]
  | ['l', EncodedValue[]]
  | ['t', EncodedValue[]]
  | ['S', EncodedValue[]]
  | ['F', EncodedValue[]]
  | ['d', [EncodedValue, EncodedValue][]];

const hexInt = z.string().regex(/^-?0x[0-9a-f]{1,5000}$/);
const hexDouble = z.string().regex(/^[0-9a-f]{16}$/);

export const encodedValueSchema: z.ZodType<EncodedValue> = z.lazy(() =>
  z.union([
    z.tuple([z.literal('n')]),
    z.tuple([z.literal('b'), z.boolean()]),
    z.tuple([z.literal('i'), hexInt]),
    z.tuple([z.literal('f'), hexDouble]),
    z.tuple([z.literal('z'), hexDouble, hexDouble]),
    z.tuple([z.literal('s'), z.string()]),
    z.tuple([z.literal('y'), z.string().regex(/^([0-9a-f]{2})*$/)]),
    z.tuple([z.literal('l'), z.array(encodedValueSchema)]),
    z.tuple([z.literal('t'), z.array(encodedValueSchema)]),
    z.tuple([z.literal('S'), z.array(encodedValueSchema)]),
    z.tuple([z.literal('F'), z.array(encodedValueSchema)]),
    z.tuple([z.literal('d'), z.array(z.tuple([encodedValueSchema, encodedValueSchema]))]),
  ]),
) as z.ZodType<EncodedValue>;
