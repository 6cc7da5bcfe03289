import { parseArguments, readAnswerLiteral } from '../../../../core/index.ts';
import { returnedValue } from '../../checking/gold-values.ts';
import { ENTRY } from '../../checking/program.ts';
import {
  failed,
  isTrue,
  readGolds,
  runCalls,
  sameAs,
  type VerificationPlan,
} from '../../checking/verification.ts';
import { EMPTY_VIEW } from '../../../../supervision/index.ts';
import type { SolvableTask, TaskTypeDefinition } from '../task-type.ts';
import { proposesTriplets, tripletSchema, tripletSeeds } from '../triplet.ts';

/** AZR's code_i: given a program and an output, find an input that gives it. Any that does is right, so the program runs on it. */
export const abduction: TaskTypeDefinition = {
  ...proposesTriplets('abduction'),
  seedSchema: tripletSchema,
  seeds: tripletSeeds,
  goldOf: returnedValue,
  solutionText: (pack, task) =>
    pack.render('solve-abduction', { program: task.program, output: task.outputs[0] ?? '' }),
  viewOf: (task) => ({ ...EMPTY_VIEW, program: task.program, output: task.outputs[0] ?? null }),
  planVerification: (task, answer, rules) =>
    rules.verifier === 'azr-compat' ? planPasted(task, answer) : planCall(task, answer),
  goldsOf: (task) => task.inputs.map((text) => ({ kind: 'literal', text })),
};

/** strict: the answer is read as data and becomes the arguments of a call; values are compared outside of the sandbox, with types. */
function planCall(task: SolvableTask, answer: string): VerificationPlan {
  const golds = readGolds([task.outputs[0] ?? '']);
  const read = parseArguments(readAnswerLiteral(answer, 'input', 'strict'), { extended: true });
  if (!read.ok) return failed('not-a-literal');
  if (read.values.length === 0) return failed('no-answer');
  if (golds === null) return failed('wrong-value');
  return runCalls(task.program, [{ args: read.values }], sameAs(golds, 'strict'));
}

/** The original's template: one line `gold == f(answer)`; text before the last line makes the line a syntax error. */
function planPasted(task: SolvableTask, answer: string): VerificationPlan {
  const pasted = readAnswerLiteral(answer, 'input', 'azr-compat');
  if (pasted.includes('\n') || task.outputs[0]?.trim() === '') return failed('syntax-error');
  return runCalls(task.program, [{ expression: `${task.outputs[0]} == ${ENTRY}(${pasted})` }], isTrue);
}
