import { readFileSync } from 'node:fs';
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

export type ExitReport = {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The kernel's out-of-memory killer struck while the process lived and the process died of SIGKILL. */
  outOfMemory: boolean;
  /** One sentence naming the process and what ended it. */
  sentence: string;
};

export type ExitFacts = {
  name: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether it was asked to end. */
  asked: boolean;
  /** The signal we sent, when the end was our doing. */
  sent: NodeJS.Signals | null;
  /** Kernel's count of out-of-memory kills when the process started and ended; null where the system does not tell. */
  oomKillsBefore: number | null;
  oomKillsAfter: number | null;
  /** Last line the process wrote to its log, empty when it wrote none. */
  lastLine: string;
};

const NATIVE_CRASH = new Set<NodeJS.Signals>(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']);
/** Exit code of a process that gave up because its GPU context is broken; CUDA cannot recover within a process. */
const GPU_LOST_CODE = 70;

/** Says in one sentence how a process ended. Pure. */
export function explainExit(facts: ExitFacts): ExitReport {
  const { code, signal } = facts;
  const killed = signal === 'SIGKILL' || code === 137;
  const outOfMemory =
    killed &&
    facts.sent === null &&
    facts.oomKillsBefore !== null &&
    facts.oomKillsAfter !== null &&
    facts.oomKillsAfter > facts.oomKillsBefore;
  return { code, signal, outOfMemory, sentence: sentence(facts, killed, outOfMemory) };
}

function sentence(facts: ExitFacts, killed: boolean, outOfMemory: boolean): string {
  const { name, code, signal, asked, sent, lastLine } = facts;
  const said = lastLine ? ` Its last words: ${lastLine.slice(0, 300)}` : '';
  if (asked && code === 0) return `The ${name} was stopped.`;
  if (sent !== null && signal === sent) return `The ${name} was stopped with ${sent}.`;
  if (outOfMemory)
    return `The ${name} was killed by the system because memory ran out; use a smaller model, batch or context.`;
  if (killed)
    return `The ${name} was killed from outside (SIGKILL); when nobody did that, memory most likely ran out.`;
  if (signal !== null && NATIVE_CRASH.has(signal))
    return `The ${name} crashed in native code (${signal}).${said}`;
  if (signal !== null) return `The ${name} was ended from outside by ${signal}.${said}`;
  if (code === GPU_LOST_CODE) return `The ${name} lost its GPU and had to end (exit code ${code}).${said}`;
  if (code === 0) return `The ${name} ended by itself before it was asked to.${said}`;
  return `The ${name} ended with exit code ${code}.${said}`;
}

/** Processes the kernel has killed for lack of memory since boot, or null where /proc/vmstat does not say. */
export function countOomKills(): number | null {
  try {
    const match = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'));
    return match ? Number(match[1]) : null;
  } catch {
    return null;
  }
}
