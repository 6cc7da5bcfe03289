import { z } from 'zod';
import type { CodeTaskType, TaskRecord } from '../../../contract/index.ts';
import {
  compatBlocks,
  compatComments,
  fencedBodies,
  findFences,
  spansBetween,
  PYTHON_WORDS,
  tidyProgram,
  type Compatibility,
  type LiteralStyle,
} from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import type { TaskBuffers } from '../buffers.ts';
import type {
  BasisDraw,
  ProposalBasis,
  ProposalReading,
  ProposalTextAsk,
  SeedRecord,
  TaskContent,
  TaskTypeDefinition,
} from './task-type.ts';

/**
 * What the types have in common whose tasks are triplets: a program, one input, and what comes of it. Their proposers see
 * references and write a program block and an input block.
 */

/** What every such type says of its proposer. */
export const proposesTriplets = (name: CodeTaskType) =>
  ({
    name,
    drawBasis: (buffers, draw) => drawReferences(name, buffers, draw),
    proposalText: (pack, ask) => tripletText(name, pack, ask),
    readProposal: (answer, _ask, mode) => readTriplet(answer, mode),
    writesProgram: true,
  }) satisfies Partial<TaskTypeDefinition>;

/** Different rows of the type's own buffer. */
function drawReferences(
  taskType: CodeTaskType,
  buffers: TaskBuffers,
  { seed, path, references }: BasisDraw,
): ProposalBasis {
  return { references: references ? buffers.sampleReferences(taskType, seed, ...path) : [], given: null };
}

/** Renders `propose-<type>` of a pack with every reference in it. */
function tripletText(
  taskType: CodeTaskType,
  pack: PromptPack,
  { references, bannedModules }: ProposalTextAsk,
): string {
  return pack.render(`propose-${taskType}`, {
    references: references.map((task, index) => referenceText(pack, task, index)).join(''),
    banned: bannedModules.join(', '),
  });
}

function referenceText(pack: PromptPack, task: TaskRecord, index: number): string {
  return pack.render('reference', {
    number: String(index + 1),
    program: task.program,
    input: task.inputs[0] ?? '',
    output: task.outputs[0] ?? '',
  });
}

/**
 * strict: the first python block and the first input block, in any order. azr-compat: the first block of any kind is the
 * program, so an input block in front breaks the proposal and the word of a `py` block becomes the program's first line; an
 * input may also follow an `# Input:` comment, and may be empty (code_reward.py: parse_code_input_output).
 */
function readTriplet(answer: string, mode: Compatibility): ProposalReading {
  const { program, input } = mode === 'strict' ? strictParts(answer) : compatParts(answer);
  if (program === undefined || !/^[ \t]*def[ \t]+[a-zA-Z_]\w*[ \t]*\(/m.test(program))
    return { ok: false, reason: 'no-program' };
  if (input === undefined || (mode === 'strict' && input.trim() === ''))
    return { ok: false, reason: 'no-input' };
  return { ok: true, proposal: { program: tidyProgram(program), inputs: [input.trim()], message: null } };
}

function strictParts(answer: string): { program: string | undefined; input: string | undefined } {
  const fences = findFences(answer);
  const program = fencedBodies(fences, ...PYTHON_WORDS)[0] ?? fencedBodies(fences, '')[0];
  return { program, input: fencedBodies(fences, 'input')[0] };
}

function compatParts(answer: string): { program: string | undefined; input: string | undefined } {
  return {
    program: spansBetween(answer, /```(?:python\s*)?/gi, /```/g)[0]?.trim(),
    input: compatBlocks(answer, 'input')[0] ?? compatComments(answer, 'Input')[0],
  };
}

const text = z.string().min(1);
/** A seed row with a program, one input and its output; every type of triplets may begin with it. */
export const tripletSchema = z.strictObject({
  id: text,
  kind: z.literal('triplet'),
  program: text,
  input: text,
  output: text,
});
type Triplet = Pick<z.infer<typeof tripletSchema>, 'program' | 'input' | 'output'>;

/** Every triplet row, so that it enters the buffer of each type that begins with triplets, as in the original; else the zero triplet. */
export function tripletSeeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[] {
  const triplets: Triplet[] = records.filter(
    (record): record is z.infer<typeof tripletSchema> => record.kind === 'triplet',
  );
  return (triplets.length === 0 ? [zeroTriplet(style)] : triplets).map(({ program, input, output }) => ({
    program,
    inputs: [input],
    outputs: [output],
    message: null,
  }));
}

/** Where evolution starts without any data: the identity function on a greeting (the zero triplet of AZR's paper). */
function zeroTriplet(style: LiteralStyle): Triplet {
  return { program: identityProgram(style), input: "'Hello world'", output: "'Hello world'" };
}

export function identityProgram(style: LiteralStyle): string {
  return style === 'repr' ? 'def f(x):\n    return x' : 'def f(x):\n return x';
}
