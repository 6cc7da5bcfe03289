import { Failure, type FailureKind } from '../../contract/index.ts';

/** What a child process may say about an error beside its sentence. */
export type RemoteError = {
  kind: FailureKind;
  message: string;
  retryable?: boolean;
  hint?: string;
  detail?: unknown;
};

/** A failure that came from, or happened to, a child process. */
export class ProcessFailure extends Failure {
  /** Name of the process as used in sentences: trainer, runner or supervisor. */
  readonly process: string;
  /** Whether the very same request may succeed when it is sent again. */
  readonly retryable: boolean;
  /** Machine-readable particulars, for instance `{tokens, limit}` of a prompt that is too long. */
  readonly detail: unknown;

  constructor(process: string, error: RemoteError, options?: ErrorOptions) {
    super(error.kind, error.hint ? `${error.message} ${error.hint}` : error.message, 1, options);
    this.name = 'ProcessFailure';
    this.process = process;
    this.retryable = error.retryable ?? false;
    this.detail = error.detail;
  }
}

/** Every request that was open when its process went away ends so. */
export function isProcessLost(error: unknown): error is ProcessFailure {
  return error instanceof ProcessFailure && error.kind === 'processLost';
}
