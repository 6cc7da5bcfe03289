/** An error a person can act on: one sentence that says what was wrong, where, and what to do. The command line prints it and exits with `exitCode`. */
export class Failure extends Error {
  readonly kind: string;
  /** 2 for wrong usage (bad flags, config or input files named on the command line), 1 otherwise. */
  readonly exitCode: 1 | 2;

  constructor(kind: string, message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.kind = kind;
    this.exitCode = exitCode;
  }
}
