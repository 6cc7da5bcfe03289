import { z } from 'zod';

/**
 * A Python value as canonical data: the only form in which values cross the sandbox boundary.
 * ints are hexadecimal text (≤ 20,000 bits), floats the 16 hex digits of the big-endian IEEE-754 double, bytes hex.
 * Sets are sorted by the JSON text of their items; dicts keep insertion order.
 */
export type Frame =
  | ['n']
  | ['b', boolean]
  | ['i', string]
  | ['f', string]
  | ['z', string, string]
  | ['s', string]
  | ['y', string]
  | ['l', Frame[]]
  | ['t', Frame[]]
  | ['S', Frame[]]
  | ['F', Frame[]]
  | ['d', [Frame, Frame][]];

const hexInt = z.string().regex(/^-?0x[0-9a-f]{1,5000}$/);
const hexDouble = z.string().regex(/^[0-9a-f]{16}$/);

export const frameSchema: z.ZodType<Frame> = z.lazy(() =>
  z.union([
    z.tuple([z.literal('n')]),
    z.tuple([z.literal('b'), z.boolean()]),
    z.tuple([z.literal('i'), hexInt]),
    z.tuple([z.literal('f'), hexDouble]),
    z.tuple([z.literal('z'), hexDouble, hexDouble]),
    z.tuple([z.literal('s'), z.string()]),
    z.tuple([z.literal('y'), z.string().regex(/^([0-9a-f]{2})*$/)]),
    z.tuple([z.literal('l'), z.array(frameSchema)]),
    z.tuple([z.literal('t'), z.array(frameSchema)]),
    z.tuple([z.literal('S'), z.array(frameSchema)]),
    z.tuple([z.literal('F'), z.array(frameSchema)]),
    z.tuple([z.literal('d'), z.array(z.tuple([frameSchema, frameSchema]))]),
  ]),
) as z.ZodType<Frame>;
