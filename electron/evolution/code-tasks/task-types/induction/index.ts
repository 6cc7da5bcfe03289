import { z } from 'zod';
import { answerKind, CODE_TASK_TYPES, type TaskRecord } from '../../../../contract/index.ts';
import {
  compatBlocks,
  compatComments,
  fencedBodies,
  findFences,
  spansBetween,
  parseArguments,
  readAnswerProgram,
  type Compatibility,
  type LiteralStyle,
} from '../../../../core/index.ts';
import { returnedValue } from '../../checking/gold-values.ts';
import { importLines } from '../../checking/program.ts';
import {
  failed,
  readGolds,
  runCalls,
  sameAs,
  type VerificationPlan,
  type VerificationRules,
} from '../../checking/verification.ts';
import { EMPTY_VIEW } from '../../../../supervision/index.ts';
import { identityProgram } from '../triplet.ts';
import type {
  ProposalReading,
  ReadingAsk,
  SeedRecord,
  SolvableTask,
  TaskContent,
  TaskTypeDefinition,
} from '../task-type.ts';

const text = z.string().min(1);
/** A seed row with a program, several inputs, their outputs and a message. */
const problemSchema = z
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
function problemSeeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[] {
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

/** One input literal with the output literal the program gives for it. */
export type Pair = { input: string; output: string };

/** An induction task's pairs: the first half (rounded down) is shown to the solver, the rest verifies its program. */
export function splitPairs(task: Pick<TaskRecord, 'inputs' | 'outputs'>): { given: Pair[]; hidden: Pair[] } {
  const pairs = task.inputs.map((input, index) => ({ input, output: task.outputs[index] ?? '' }));
  const shown = Math.floor(pairs.length / 2);
  return { given: pairs.slice(0, shown), hidden: pairs.slice(shown) };
}

/** Types whose programs return a value; the programs of their buffers are what inductions are about. */
const SOURCES = CODE_TASK_TYPES.filter((name) => ['input', 'output'].includes(answerKind(name) ?? ''));

/** AZR's code_f: given examples and a message, write the program. It is right when it gives every hidden output. */
export const induction: TaskTypeDefinition = {
  name: 'induction',
  seedSchema: problemSchema,
  seeds: problemSeeds,
  drawBasis: (buffers, { seed, path }) => ({
    references: [],
    given: buffers.sampleProgram(SOURCES, seed, ...path),
  }),
  proposalText: (pack, { given, inductionInputs }) => {
    if (given === null)
      throw new RangeError('An induction proposal needs a program; the buffers it is drawn from are empty.');
    return pack.render('propose-induction', { program: given.program, inputs: String(inductionInputs) });
  },
  readProposal: readInputsAndMessage,
  writesProgram: false,
  goldOf: returnedValue,
  solutionText: (pack, task) => {
    const examples = splitPairs(task).given.map((pair, index) =>
      pack.render('example', { ...pair, number: String(index + 1) }),
    );
    return pack.render('solve-induction', { examples: examples.join('\n'), message: task.message ?? '' });
  },
  viewOf: (task) => ({ ...EMPTY_VIEW, examples: splitPairs(task).given, message: task.message }),
  planVerification,
  goldsOf: (task) => [
    { kind: 'program', source: task.program },
    ...splitPairs(task).hidden.map(({ output }) => ({ kind: 'literal' as const, text: output })),
  ],
};

/** The written program runs on every hidden input in one job. azr-compat puts the given program's imports in front, and ignores calls that gave nothing. */
function planVerification(task: SolvableTask, answer: string, rules: VerificationRules): VerificationPlan {
  const program = readAnswerProgram(answer, rules.verifier);
  if (program === null) return failed('no-program');
  const { hidden } = splitPairs(task);
  const golds = readGolds(hidden.map(({ output }) => output));
  const inputs = hidden.map(({ input }) => parseArguments(input, { extended: true }));
  const compat = rules.verifier === 'azr-compat';
  if (golds === null || hidden.length === 0 || inputs.some((input) => !input.ok))
    return failed('wrong-value');
  const source = compat ? [...importLines(task.program), program].join('\n') : program;
  const calls = inputs.map((input) => ({ args: input.ok ? input.values : [] }));
  return runCalls(source, calls, sameAs(golds, rules.verifier), {
    accuracy: rules.inductionReward,
    ignoreDied: compat,
  });
}

/**
 * Reads inputs and a message for the given program. The last inputs count when there are more than asked for, as in the original, whose
 * reader takes empty ones as well (code_reward.py: parse_inputs_message).
 */
function readInputsAndMessage(
  answer: string,
  { givenProgram, inductionInputs }: ReadingAsk,
  mode: Compatibility,
): ProposalReading {
  const fences = findFences(answer);
  const inputs =
    mode === 'azr-compat'
      ? compatBlocks(answer, 'input')
      : fencedBodies(fences, 'input')
          .map((input) => input.trim())
          .filter((input) => input !== '');
  if (inputs.length < inductionInputs) return { ok: false, reason: 'too-few-inputs' };
  const message = mode === 'azr-compat' ? compatMessage(answer) : fencedBodies(fences, 'message')[0];
  if (message === undefined || (mode === 'strict' && message.trim() === ''))
    return { ok: false, reason: 'no-message' };
  if (mode === 'strict' && /\bdef\s+\w+\s*\(|```/.test(message))
    return { ok: false, reason: 'message-has-code' };
  return {
    ok: true,
    proposal: {
      program: givenProgram ?? '',
      inputs: inputs.slice(-inductionInputs),
      message: message.trim(),
    },
  };
}

function compatMessage(answer: string): string | undefined {
  return (
    compatBlocks(answer, 'message')[0] ??
    spansBetween(answer, /<message>/gi, /<\/message>/gi)[0] ??
    compatComments(answer, 'Message')[0]
  );
}
