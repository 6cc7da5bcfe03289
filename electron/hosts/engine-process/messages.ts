/** A connection that the shell's guard refused, for the air-gap log. */
export type BlockedAttempt = { url: string; method: string; resource: string; at: string };

/** A run that is at work, as the question before quitting names it. */
export type RunAtWork = { id: string; name: string; state: string; step: number; steps: number };

/** What a person is shown of a run that has ended while the window may be hidden. */
export type RunEnded = {
  id: string;
  name: string;
  state: 'done' | 'failed';
  reason: string | null;
  committedSteps: number;
  steps: number;
};

/** From the shell to the engine's process. `socket` messages carry the window's tRPC connections, by number. */
export type ToEngine =
  | { kind: 'socket'; id: number; what: 'open' | 'close' }
  | { kind: 'socket'; id: number; what: 'message'; text: string }
  | { kind: 'blocked'; attempt: BlockedAttempt }
  | { kind: 'askWork'; id: number }
  /** Pause every run after its step; `stepsFinished` tells when all are. */
  | { kind: 'finishSteps' }
  /** Stop everything, close the lab and end. */
  | { kind: 'close' }
  | ProgramEvent;

/** From the engine's process to the shell. */
export type FromEngine =
  | { kind: 'ready'; lab: string; takenUp: string[] }
  /** The lab cannot be opened; `sentence` says what to do. The process ends after it. */
  | { kind: 'failed'; sentence: string }
  | { kind: 'socket'; id: number; what: 'close' }
  | { kind: 'socket'; id: number; what: 'message'; text: string }
  | { kind: 'work'; id: number; runs: RunAtWork[] }
  | { kind: 'stepsFinished' }
  | { kind: 'runEnded'; run: RunEnded }
  | ProgramRequest;

/** Our own Node programs are started by the shell, since its executable runs no scripts by itself. */
export type ProgramRequest =
  | { kind: 'program'; id: number; what: 'start'; module: 'supervisor/worker'; env: Record<string, string> }
  | { kind: 'program'; id: number; what: 'signal'; signal: NodeJS.Signals };
export type ProgramEvent =
  /** With one port: the program's channel. */
  | { kind: 'program'; id: number; what: 'started'; pid: number }
  | { kind: 'program'; id: number; what: 'output'; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'program'; id: number; what: 'exited'; code: number };
