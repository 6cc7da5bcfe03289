import { z } from 'zod';
import type { LiteralStyle } from '../../../../core/index.ts';
import { identityProgram } from '../triplet.ts';
import type { SeedRecord, TaskContent } from '../task-type.ts';

const text = z.string().min(1);
/** A seed row with a program, several inputs, their outputs and a message. */
export const problemSchema = z
  .strictObject({
    id: text,
    kind: z.literal('induction'),
    program: text,
    inputs: z.array(text).min(2),
    outputs: z.array(text).min(2),
    message: text,
  })
  .refine(
    (row) => row.inputs.length === row.outputs.length,
    'An induction seed needs as many outputs as inputs.',
  );

/** Every row of this kind; else the zero problem. */
export function problemSeeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[] {
  const problems = records
    .filter((record): record is z.infer<typeof problemSchema> => record.kind === 'induction')
    .map(({ program, inputs, outputs, message }) => ({ program, inputs, outputs, message }));
  return problems.length === 0 ? [zeroProblem(style)] : problems;
}

/** The zero triplet of induction: six values of different types that come back unchanged. */
export function zeroProblem(style: LiteralStyle): TaskContent {
  const spaced = [
    "'Hello world'",
    '1',
    "{'a': 1, 'b': 2}",
    '(1.1, 2.2, 3.3)',
    "'[[1, 0], [0, 1]]'",
    '1001101100010001',
  ];
  const values =
    style === 'repr'
      ? spaced
      : spaced.map((value) => (value.startsWith("'") ? value : value.replaceAll(' ', '')));
  return {
    program: identityProgram(style),
    inputs: values,
    outputs: values,
    message: 'Write a function that gives back the value it is called with.',
  };
}
