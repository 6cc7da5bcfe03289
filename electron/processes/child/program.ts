import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';

/** What is needed of a running program to manage it: the parts of Node's ChildProcess that ManagedChild uses. */
export type Program = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode'> & {
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** By descriptor; the protocol of `descriptor-3` programs runs on the fourth. */
  readonly stdio: readonly (
    | (NodeJS.ReadableStream & { destroy(): unknown })
    | (NodeJS.WritableStream & { destroy(): unknown })
    | Duplex
    | null
    | undefined
  )[];
  /** `error` when it could not be started, `exit` when it ended, `close` when its output is read as well. */
  once(event: 'error', hear: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: 'exit', hear: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'close', hear: () => void): unknown;
  /** Sends a signal to this program, and to its whole group when insisting with SIGKILL. Does nothing once it has ended. */
  signal(signal: NodeJS.Signals): void;
};

export type ProgramSpec = {
  command: string;
  args: string[];
  env: Record<string, string>;
  channel: 'stdio' | 'descriptor-3';
};

/** Starts a program without a shell in a process group of its own. */
export function spawnProgram({ command, args, env, channel }: ProgramSpec): Program {
  const child = spawn(command, args, {
    env,
    shell: false,
    detached: true,
    windowsHide: true,
    stdio: channel === 'stdio' ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  return Object.assign(child, {
    signal: (signal: NodeJS.Signals): void => {
      // Only while the process is not reaped, so that its number cannot belong to anybody else.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(signal === 'SIGKILL' && process.platform !== 'win32' ? -child.pid : child.pid, signal);
      } catch {
        // It ended in this instant.
      }
    },
  });
}

/** Starts one of our own Node programs, by the name of its module below processes/. */
export type NodeLauncher = (module: 'supervisor/worker', env: Record<string, string>) => Program;

let launcher: NodeLauncher | null = null;

/**
 * Has our own Node programs started by `launch` from now on. The desktop's executable is no Node, so there the shell must start
 * them; which way is right is a matter of the whole process, hence no parameter of each call that may be forgotten.
 */
export function launchNodeProgramsWith(launch: NodeLauncher | null): void {
  launcher = launch;
}

export const nodeLauncher = (): NodeLauncher | null => launcher;
