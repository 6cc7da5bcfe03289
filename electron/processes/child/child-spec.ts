import type { Clock } from './clock.ts';
import type { Dialect } from './json-rpc.ts';
import type { Program, ProgramSpec } from './program.ts';
import type { SilenceLimits } from './silence-watch.ts';

export type ChildState = 'starting' | 'ready' | 'stalled' | 'stopping' | 'ended';

export type ChildSpec = {
  /** Used in every sentence about it: trainer, runner, supervisor. */
  name: string;
  command: string;
  args: string[];
  /** The whole environment: nothing is inherited beside it. */
  env: Record<string, string>;
  /**
   * Where the protocol runs. `stdio`: stdin and stdout, for programs that move stray prints to stderr before anything else.
   * `descriptor-3`: a socket of its own, which native code that prints to stdout cannot reach.
   */
  channel: 'stdio' | 'descriptor-3';
  dialect: Dialect;
  maxLineBytes: number;
  /** Appended to; holds whatever the process prints. */
  logFile: string;
  handshakeTimeoutMs: number;
  silence: SilenceLimits;
  onEvent(name: string, params: unknown): void;
  onState?(state: ChildState): void;
  clock: Clock;
  /** Starts the program; by default Node does. */
  launch?(spec: ProgramSpec): Program;
};
