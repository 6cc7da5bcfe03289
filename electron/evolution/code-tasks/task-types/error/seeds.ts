import { z } from 'zod';
import type { LiteralStyle } from '../../../../core/index.ts';
import type { SeedRecord, TaskContent } from '../task-type.ts';
import { tripletSeeds } from '../triplet.ts';

/** The answer when a call raises nothing. */
export const NO_ERROR = 'NoError';

const text = z.string().min(1);
/** A seed row with a program, one input and the name of the exception, or NoError. */
export const errorSeedSchema = z.strictObject({
  id: text,
  kind: z.literal('error'),
  program: text,
  input: text,
  output: text,
});

/**
 * The original begins with a program that raises nothing and nothing else, from which nobody learns what else to answer. Ours
 * begins with these and as many triplets that raise nothing. Indented by one space, as the compact pack writes programs.
 */
const RAISING: readonly (readonly [program: string, input: string, name: string])[] = [
  ['def f(x):\n y=x[0]\n return y+1', '[]', 'IndexError'],
  ['def f(x):\n y=x-3\n return 12//y', '3', 'ZeroDivisionError'],
  ['def f(x):\n y=len(x)\n return y*2', '5', 'TypeError'],
  ['def f(x):\n y=int(x)\n return y+1', "'two'", 'ValueError'],
  ["def f(x):\n y={'a':1}\n return y[x]", "'b'", 'KeyError'],
  ['def f(x):\n x.append(1)\n return x', '4', 'AttributeError'],
  ['def f(x):\n if x>3:\n  y=x\n return y', '1', 'UnboundLocalError'],
  ['def f(x):\n y=max(x)\n return y', '[]', 'ValueError'],
];

/** Rows of this kind; without any, the programs above and triplets, one of each in turn. */
export function errorSeeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[] {
  const rows = records.filter((record): record is z.infer<typeof errorSeedSchema> => record.kind === 'error');
  if (rows.length > 0)
    return rows.map(({ program, input, output }) => ({
      program,
      inputs: [input],
      outputs: [output],
      message: null,
    }));
  const calm = tripletSeeds(records, style).map((triplet) => ({ ...triplet, outputs: [NO_ERROR] }));
  return RAISING.flatMap(([program, input, name], index) => {
    const written = style === 'repr' ? program.replace(/^ +/gm, (indent) => indent.repeat(4)) : program;
    return [
      { program: written, inputs: [input], outputs: [name], message: null },
      ...calm.slice(index, index + 1),
    ];
  });
}
