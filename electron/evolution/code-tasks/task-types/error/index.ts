import { z } from 'zod';
import { readAnswerName, type LiteralStyle } from '../../../../core/index.ts';
import type { CheckResult } from '../../../../processes/index.ts';
import { callFailure } from '../../checking/reasons.ts';
import type { GoldText } from '../../checking/gold-values.ts';
import {
  failed,
  passed,
  type VerificationPlan,
  type VerificationRules,
} from '../../checking/verification.ts';
import { EMPTY_VIEW } from '../../../../supervision/index.ts';
import type { SeedRecord, SolvableTask, TaskContent, TaskTypeDefinition } from '../task-type.ts';
import { proposesTriplets, tripletSeeds } from '../triplet.ts';

/** The answer when a call raises nothing. */
const NO_ERROR = 'NoError';

const someText = z.string().min(1);
/** A seed row with a program, one input and the name of the exception, or NoError. */
const errorSeedSchema = z.strictObject({
  id: someText,
  kind: z.literal('error'),
  program: someText,
  input: someText,
  output: someText,
});

/**
 * AZR's code_e, off in all of its scripts: given a program and an input, predict which exception the call raises, or that it
 * raises none. The gold is the name of the exception's class.
 */
export const error: TaskTypeDefinition = {
  ...proposesTriplets('error'),
  seedSchema: errorSeedSchema,
  seeds: errorSeeds,
  goldOf: exceptionName,
  solutionText: (pack, task) =>
    pack.render('solve-error', { program: task.program, input: task.inputs[0] ?? '' }),
  viewOf: (task) => ({ ...EMPTY_VIEW, program: task.program, inputs: task.inputs.slice(0, 1) }),
  planVerification: judgeName,
  goldsOf: (task) => task.outputs.map((text) => ({ kind: 'literal', text })),
};

/** The runner reports these when a value cannot be handed over or its own limit was met; they say nothing about the program. */
const NOT_THE_PROGRAM = new Set(['UnsupportedType', 'MemoryError']);
const CLASS_NAME = /^[A-Za-z_]\w*$/;
/** A class of the program's own may be called anything: NoError, or what is no name, for which the runner puts UnknownError. */
const UNFAIR_NAMES = new Set([NO_ERROR.toLowerCase(), 'unknownerror']);

/**
 * The class name of what the call raised, or NoError. The module body must run through, since its exceptions (a missing module,
 * say) depend on the machine. Every execution must end the same way: same class, same line, or same value.
 */
function exceptionName(check: CheckResult, call: number): GoldText {
  const outcome = check.calls[call];
  const raised = check.status === 'ok' && outcome?.status === 'error' ? (outcome.error?.type ?? '') : null;
  if (raised === null || NOT_THE_PROGRAM.has(raised)) {
    const failure = callFailure(check, call);
    if (failure !== null) return { ok: false, reason: failure };
  }
  if (!check.deterministic) return { ok: false, reason: 'non-deterministic' };
  if (raised === null) return { ok: true, text: NO_ERROR };
  return CLASS_NAME.test(raised) && !UNFAIR_NAMES.has(raised.toLowerCase())
    ? { ok: true, text: raised }
    : { ok: false, reason: 'not-comparable' };
}

/** Names are compared whatever their case, as in the original. */
function judgeName(task: SolvableTask, answer: string, { verifier }: VerificationRules): VerificationPlan {
  const name = readAnswerName(answer, verifier);
  if (name === '') return failed('no-answer');
  return name.toLowerCase() === task.outputs[0]?.toLowerCase() ? passed() : failed('wrong-value');
}

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
function errorSeeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[] {
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
