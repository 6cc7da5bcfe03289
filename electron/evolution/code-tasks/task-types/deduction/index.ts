import type { EncodedValue } from '../../../../contract/index.ts';
import { parseLiteral, readAnswerLiteral, renderLiteral, encodedText } from '../../../../core/index.ts';
import { returnedValue } from '../../checking/gold-values.ts';
import {
  differenceOf,
  failed,
  isTrue,
  passed,
  readGolds,
  runCalls,
  type VerificationPlan,
} from '../../checking/verification.ts';
import { EMPTY_VIEW } from '../../../../supervision/index.ts';
import type { SolvableTask, TaskTypeDefinition } from '../task-type.ts';
import { proposesTriplets, tripletSchema, tripletSeeds } from '../triplet.ts';

/** AZR's code_o: given a program and an input, predict the output. Nothing has to run to know whether the prediction is right. */
export const deduction: TaskTypeDefinition = {
  ...proposesTriplets('deduction'),
  seedSchema: tripletSchema,
  seeds: tripletSeeds,
  goldOf: returnedValue,
  solutionText: (pack, task) =>
    pack.render('solve-deduction', { program: task.program, input: task.inputs[0] ?? '' }),
  viewOf: (task) => ({ ...EMPTY_VIEW, program: task.program, inputs: task.inputs.slice(0, 1) }),
  planVerification: (task, answer, rules) =>
    rules.verifier === 'azr-compat' ? planEvaluated(task, answer) : judgeValue(task, answer),
  goldsOf: (task) => task.outputs.map((text) => ({ kind: 'literal', text })),
};

function judgeValue(task: SolvableTask, answer: string): VerificationPlan {
  const golds = readGolds([task.outputs[0] ?? '']);
  const read = parseLiteral(readAnswerLiteral(answer, 'output', 'strict'), { extended: true });
  if (!read.ok) return failed('not-a-literal');
  if (golds === null) return failed('wrong-value');
  const difference = differenceOf(read.encoded, golds[0] as EncodedValue);
  return difference === null ? passed() : failed(difference);
}

/** The original evaluates both texts and compares with ==; here inside of the sandbox, unlike there. */
function planEvaluated(task: SolvableTask, answer: string): VerificationPlan {
  const [gold, given] = [task.outputs[0] ?? '', readAnswerLiteral(answer, 'output', 'azr-compat')].map(
    (text) => `eval(${renderLiteral(encodedText(text), 'repr')})`,
  );
  return runCalls('', [{ expression: `${gold} == ${given}` }], isTrue);
}
