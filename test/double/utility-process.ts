import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { theApp } from './app.ts';
import { portOf, type DoublePort } from './ports.ts';
import { record } from './record.ts';
import { cloned } from './strict.ts';

type ForkOptions = {
  env?: NodeJS.ProcessEnv;
  stdio?: 'pipe' | 'inherit' | 'ignore';
  serviceName?: string;
  cwd?: string;
};
/** What travels between this process and a utility process of the stand-in. */
export type UtilityWire =
  | { message: unknown; ports: number[] }
  | { port: number; data: unknown }
  | { port: number; closed: true };

/** While an `exit` is told. */
let isCleaningUp = false;

class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;
  readonly #ports = new Set<number>();
  #killed = false;

  constructor(
    file: string,
    args: string[],
    { env = process.env, stdio = 'inherit', serviceName = 'Node Utility Process', cwd }: ForkOptions,
  ) {
    super();
    this.#child = fork(file, args, {
      execArgv: ['--import', new URL('./utility-child.ts', import.meta.url).href],
      env: { ...env },
      cwd,
      serialization: 'advanced',
      stdio: ['ignore', stdio, stdio, 'ipc'],
    });
    record.processes.push({ file, service: serviceName, pid: this.#child.pid });
    this.#child.on('spawn', () => this.emit('spawn'));
    this.#child.on('message', (wire) => this.#take(wire as UtilityWire));
    this.#child.on('exit', (code, signal) => {
      for (const id of this.#ports) portOf(id)?.close();
      isCleaningUp = true;
      try {
        this.emit(
          'exit',
          this.#killed && signal !== null ? 0 : (code ?? constants.signals[signal ?? 'SIGTERM']),
        );
      } finally {
        isCleaningUp = false;
      }
      theApp.emit(
        'child-process-gone',
        {},
        {
          type: 'Utility',
          reason: signal === null && code === 0 ? 'clean-exit' : 'abnormal-exit',
          serviceName,
        },
      );
    });
    // A message to a process that has just ended is lost, as in Electron.
    this.#child.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }
  get stdout(): Readable | null {
    return this.#child.stdout;
  }
  get stderr(): Readable | null {
    return this.#child.stderr;
  }
  kill(): boolean {
    return (this.#killed = this.#child.kill());
  }

  postMessage(message: unknown, transfer: DoublePort[] = []): void {
    if (isCleaningUp)
      throw new Error('a message to a process from within the end of another has ended Electron');
    this.#send({ message: cloned(message), ports: transfer.map(({ id }) => id) });
    for (const port of transfer) {
      this.#ports.add(port.id);
      port.handTo({
        send: (id, data) => this.#send({ port: id, data }),
        closed: (id) => this.#send({ port: id, closed: true }),
      });
    }
  }

  #send(wire: UtilityWire): void {
    if (this.#child.connected) this.#child.send(wire as object, () => {});
  }

  #take(wire: UtilityWire): void {
    if ('message' in wire) this.emit('message', wire.message);
    else if ('closed' in wire) portOf(wire.port)?.close();
    else portOf(wire.port)?.postMessage(wire.data);
  }
}

export const utilityProcess = {
  fork(file: string, args: string[] = [], options: ForkOptions = {}): UtilityProcess {
    if (!theApp.isReady()) throw new Error('utilityProcess cannot be created before app is ready');
    return new UtilityProcess(file, args, options);
  },
};
