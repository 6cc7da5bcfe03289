import type { EncodedValue } from '../../../../contract/index.ts';
import { parseLiteral, readAnswerLiteral, renderLiteral, encodedText } from '../../../../core/index.ts';
import { returnedValue } from '../../checking/gold-values.ts';
import { ENTRY } from '../../checking/program.ts';
import {
  differenceOf,
  failed,
  isTrue,
  judgeCalls,
  passed,
  readGolds,
  type VerificationPlan,
} from '../../checking/verification.ts';
import { EMPTY_VIEW } from '../../../../supervision/index.ts';
import type { SolvableTask, TaskTypeDefinition } from '../task-type.ts';
import { drawReferences, readTriplet, tripletSchema, tripletSeeds, tripletText } from '../triplet.ts';

const NAME = 'deduction';

/** AZR's code_o: given a program and an input, predict the output. Nothing has to run to know whether the prediction is right. */
export const deduction: TaskTypeDefinition = {
  name: NAME,
  seedSchema: tripletSchema,
  seeds: tripletSeeds,
  drawBasis: (buffers, draw) => drawReferences(NAME, buffers, draw),
  proposalText: (pack, ask) => tripletText(NAME, pack, ask),
  readProposal: (answer, _ask, mode) => readTriplet(answer, mode),
  writesProgram: true,
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
  const calls = [{ expression: `${gold} == ${given}` }];
  return {
    kind: 'run',
    job: { program: '', entry: ENTRY, calls },
    judge: (result) => judgeCalls(result, calls.length, isTrue),
  };
}
