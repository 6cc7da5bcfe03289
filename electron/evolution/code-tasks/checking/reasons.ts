import { FORMAT_CAUSE_SENTENCES } from '../../../contract/index.ts';
import type { CheckResult } from '../../../processes/index.ts';

/** Why a proposal is no task, or a solution no pass: one word per cause, kept in records, and its sentence for people. */
export const REASON_SENTENCES = {
  'bad-format': 'The response is not a think block followed by an answer block.',
  ...FORMAT_CAUSE_SENTENCES,
  'no-answer': 'The response has no answer block.',
  'no-program': 'The answer has no code block that defines a function.',
  'no-input': 'The answer has no input block.',
  'too-few-inputs': 'The answer has fewer input blocks than were asked for.',
  'no-message': 'The answer has no message block.',
  'message-has-code': 'The message contains code instead of describing the function.',
  'syntax-error': 'The program is not valid Python.',
  'no-parameters': 'The function takes no input.',
  'several-functions': 'The program defines more than the one function asked for.',
  'ambiguous-entry': 'The function cannot be renamed to f without changing what the program does.',
  'banned-module': 'The program imports a module that tasks may not use.',
  'banned-call': 'The program calls a function that tasks may not use, such as eval or open.',
  'not-a-literal': 'The input or answer is not a plain Python value.',
  raised: 'The program raised an exception.',
  timeout: 'The program did not finish in time.',
  memory: 'The program used too much memory.',
  died: 'The program ended its process or returned nothing readable.',
  'too-much-output': 'The program printed more than is allowed.',
  'not-run': 'The call was not reached because an earlier one did not finish.',
  'non-deterministic': 'The program gave different values for the same input.',
  'empty-output': 'The program returned None, so there is nothing to predict.',
  'unsupported-value': 'The program returned something that is no plain Python value.',
  'not-comparable':
    'What the program gives can equal no answer: NaN, or an exception whose class has no fair name.',
  'too-long': 'The returned value is longer than is allowed.',
  duplicate: 'The same task is in the buffer already.',
  'prompt-too-long': 'The task does not fit into a prompt.',
  'wrong-value': 'The value differs from the right one.',
  'wrong-type': 'The value would be right, were it not of another type.',
} as const;

export type RejectionReason = keyof typeof REASON_SENTENCES;

/** The sentence for a stored reason; a word this version does not know is shown as it is. */
export function reasonSentence(reason: string): string {
  return reason in REASON_SENTENCES ? REASON_SENTENCES[reason as RejectionReason] : reason;
}

/** What kept a call from giving a value; null when it gave one. */
export function callFailure(
  result: Pick<CheckResult, 'status' | 'error' | 'calls'>,
  index: number,
): RejectionReason | null {
  const call = result.calls[index];
  const reached = call !== undefined && call.status !== 'notRun';
  // A call that was not reached either waits behind one that failed, or the module body itself did not finish.
  if (!reached && result.calls.some(({ status }) => status !== 'ok' && status !== 'notRun')) return 'not-run';
  const { status, error } = reached ? call : result;
  switch (status) {
    case 'ok':
      return reached ? null : 'not-run';
    case 'error':
      return ERROR_REASONS[error?.type ?? ''] ?? 'raised';
    case 'timeout':
    case 'memory':
    case 'died':
      return status;
    case 'output':
      return 'too-much-output';
    case 'badFrame':
      return 'died';
    case 'notRun':
      return 'not-run';
  }
}

/** Exceptions that say something other than "the program raised one": the runner's own, and the ones its limits cause. */
const ERROR_REASONS: Record<string, RejectionReason> = {
  UnsupportedType: 'unsupported-value',
  MemoryError: 'memory',
  SyntaxError: 'syntax-error',
};
