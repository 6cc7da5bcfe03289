import { z } from 'zod';
import type { CodeTaskType, TaskRecord } from '../../../contract/index.ts';
import type { LiteralStyle } from '../../../core/index.ts';
import { importLines } from '../checking/program.ts';

const text = z.string().min(1);
const tripletSchema = z.strictObject({ id: text, kind: z.literal('triplet'), program: text, input: text, output: text });
const problemSchema = z.strictObject({ id: text, kind: z.literal('induction'), program: text, inputs: z.array(text).min(2), outputs: z.array(text).min(2), message: text })
  .refine((row) => row.inputs.length === row.outputs.length, 'An induction seed needs as many outputs as inputs.');

/** A row of a seed file: a program with one input and its output, or one with several and a message. */
export const seedRecordSchema = z.discriminatedUnion('kind', [tripletSchema, problemSchema]);
export type SeedRecord = z.infer<typeof seedRecordSchema>;
type Triplet = Pick<z.infer<typeof tripletSchema>, 'program' | 'input' | 'output'>;
type Problem = Pick<z.infer<typeof problemSchema>, 'program' | 'inputs' | 'outputs' | 'message'>;

/** Where evolution starts without any data: the identity function on a greeting (the zero triplet of AZR's paper). */
export function zeroTriplet(style: LiteralStyle): Triplet {
  return { program: identityProgram(style), input: "'Hello world'", output: "'Hello world'" };
}

/** The zero triplet of induction: six values of different types that come back unchanged. */
export function zeroProblem(style: LiteralStyle): Problem {
  const spaced = ["'Hello world'", '1', "{'a': 1, 'b': 2}", '(1.1, 2.2, 3.3)', "'[[1, 0], [0, 1]]'", '1001101100010001'];
  const values = style === 'repr' ? spaced : spaced.map((value) => (value.startsWith("'") ? value : value.replaceAll(' ', '')));
  return { program: identityProgram(style), inputs: values, outputs: values, message: 'Write a function that gives back the value it is called with.' };
}

function identityProgram(style: LiteralStyle): string {
  return style === 'repr' ? 'def f(x):\n    return x' : 'def f(x):\n return x';
}

/**
 * The tasks of step 0, at most `limit` rows per buffer (the first ones). Every triplet enters both the abduction and the
 * deduction buffer, as in the original. Where there is no row of a kind, the zero one stands in.
 */
export function seedTasks(records: readonly SeedRecord[], style: LiteralStyle, limit = Infinity): TaskRecord[] {
  const triplets: Triplet[] = records.filter((record) => record.kind === 'triplet').slice(0, limit);
  const problems: Problem[] = records.filter((record) => record.kind === 'induction').slice(0, limit);
  if (triplets.length === 0) triplets.push(zeroTriplet(style));
  if (problems.length === 0) problems.push(zeroProblem(style));
  const single = (taskType: CodeTaskType) => ({ program, input, output }: Triplet, index: number): TaskRecord =>
    seedTask(taskType, index, { program, inputs: [input], outputs: [output], message: null });
  return [
    ...triplets.map(single('abduction')), ...triplets.map(single('deduction')),
    ...problems.map(({ program, inputs, outputs, message }, index) => seedTask('induction', index, { program, inputs, outputs, message })),
  ];
}

function seedTask(taskType: CodeTaskType, index: number, content: Pick<TaskRecord, 'program' | 'inputs' | 'outputs' | 'message'>): TaskRecord {
  return { ...content, id: `seed/${taskType}/${index}`, taskType, step: 0, origin: 'seed', rolloutId: null, imports: importedModules(content.program), solveRate: null };
}

/** Modules named by the import lines of a seed program. */
function importedModules(program: string): string[] {
  return importLines(program).flatMap((line) => {
    const from = /^from\s+([\w.]+)\s+import\b/.exec(line);
    return from ? [from[1] as string] : line.replace(/^import\s+/, '').split(',').map((part) => part.trim().split(/\s+/)[0] as string);
  });
}
