import type { CheckResult } from '../../../processes/index.ts';
import type { RejectionReason } from './reasons.ts';

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
