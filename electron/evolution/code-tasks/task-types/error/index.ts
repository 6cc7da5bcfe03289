import { readAnswerName } from '../../../../core/index.ts';
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
import type { SolvableTask, TaskTypeDefinition } from '../task-type.ts';
import { proposesTriplets } from '../triplet.ts';
import { errorSeeds, errorSeedSchema, NO_ERROR } from './seeds.ts';

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
