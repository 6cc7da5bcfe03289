import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { makeFolders, NO_FILES_LEFT } from '../../core/index.ts';
import { ProcessFailure } from './failures.ts';
import type { Clock, SilenceLimits } from './timing.ts';
import type { Dialect } from './json-rpc.ts';

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
  /** Aborting it ends the process at once, whatever it is doing; requests reject with `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Starts the program; by default Node does. */
  launch?(spec: ProgramSpec): Program;
};

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
  once(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** Sends a signal to this program, and to its whole group when insisting with SIGKILL. Does nothing once it has ended. */
  signal(signal: NodeJS.Signals): void;
};

export type ProgramSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  channel: 'stdio' | 'descriptor-3';
};

/** Starts a program without a shell in a process group of its own. */
export function spawnProgram({ name, command, args, env, channel }: ProgramSpec): Program {
  const child = spawn(command, args, {
    env,
    shell: false,
    detached: true,
    windowsHide: true,
    stdio: channel === 'stdio' ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // Without files left to open there are no pipes, and the child is none; Node says so later.
  if ((child.stdout as unknown) === undefined) {
    child.once('error', () => {});
    throw new ProcessFailure(name, {
      kind: 'processUnavailable',
      message: `The ${name} could not be started: ${NO_FILES_LEFT}`,
    });
  }
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

/** Taken over from the engine when set: where programs, homes, devices and compiled modules are. Everything else stays outside. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'NVIDIA_VISIBLE_DEVICES',
  'SystemRoot',
  'TEMP',
  'USERPROFILE',
  'NODE_COMPILE_CACHE',
];

/** The whole environment of a child: a short list of the engine's own variables and what the child needs. */
export function childEnvironment(
  own: Record<string, string>,
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = from[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, LANG: 'C.UTF-8', ...own };
}

/** For every Python child: no user packages, no hub, repeatable hashing, one line at a time. */
export function pythonEnvironment(moduleDir: string | null, threads: number): Record<string, string> {
  return childEnvironment({
    ...(moduleDir === null ? {} : { PYTHONPATH: moduleDir }),
    PYTHONHASHSEED: '0',
    PYTHONNOUSERSITE: '1',
    PYTHONUTF8: '1',
    PYTHONUNBUFFERED: '1',
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    TOKENIZERS_PARALLELISM: 'false',
    OMP_NUM_THREADS: String(threads),
    OMP_WAIT_POLICY: 'passive',
  });
}

/** What stays in memory for error sentences. */
const TAIL_BYTES = 8 * 1024;
/** A process that prints in a loop must not fill the disk. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Output of a child process that is no protocol: appended to a file, its last part kept in memory. */
export class ChildLog {
  readonly #file: WriteStream;
  #tail = Buffer.alloc(0);
  #written = 0;

  /** Creates the folder of `path` when needed. A log that cannot be written is dropped: it must never stop the process. */
  constructor(path: string) {
    try {
      makeFolders(dirname(path));
    } catch {
      // The stream below fails as well and says so to nobody: see above.
    }
    this.#file = createWriteStream(path, { flags: 'a' });
    this.#file.on('error', () => {});
  }

  /** Takes everything the stream says until it ends. */
  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.#add(chunk));
    stream.on('error', () => {});
  }

  /** A line of our own, for instance that the process started. */
  note(text: string): void {
    this.#write(Buffer.from(`--- ${text}\n`));
  }

  /** Last non-empty line, decoded leniently: a crashing process may cut a character in two. */
  lastLine(): string {
    const lines = this.#tail.toString('utf8').split('\n');
    return lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  }

  /** Everything still in memory, at most 8 KiB. */
  tail(): string {
    return this.#tail.toString('utf8');
  }

  close(): void {
    this.#file.end();
  }

  #add(chunk: Buffer): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
    this.#write(chunk);
  }

  #write(chunk: Buffer): void {
    if (this.#written > FILE_LIMIT_BYTES) return;
    this.#written += chunk.length;
    this.#file.write(chunk);
    if (this.#written > FILE_LIMIT_BYTES) this.#file.write('\n--- further output is not kept\n');
  }
}
