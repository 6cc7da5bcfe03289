/** Loaded before the script of a utility process: gives it what Electron gives, and takes what a switched-off RunAsNode fuse takes. */
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import type { UtilityWire } from './utility-process.ts';

const send = (wire: UtilityWire): void => void process.send?.(wire);

/** Keeps what arrives until somebody listens. */
class Inbox extends EventEmitter {
  #waiting: unknown[] | null = [];

  deliver(event: { data: unknown; ports: ChildPort[] }): void {
    if (this.#waiting === null) this.emit('message', event);
    else this.#waiting.push(event);
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const event of waiting) this.emit('message', event);
  }
}

class ChildPort extends Inbox {
  readonly #id: number;
  constructor(id: number) {
    super();
    this.#id = id;
  }

  start(): void {
    this.open();
  }
  postMessage(data: unknown): void {
    send({ port: this.#id, data });
  }
  close(): void {
    send({ port: this.#id, closed: true });
  }
}

class ParentPort extends Inbox {
  constructor() {
    super();
    this.on('newListener', (name) => {
      if (name === 'message') queueMicrotask(() => this.open());
    });
  }

  postMessage(message: unknown): void {
    send({ message, ports: [] });
  }
}

const ports = new Map<number, ChildPort>();
const parentPort = new ParentPort();
process.on('message', (wire: UtilityWire) => {
  if ('message' in wire) {
    parentPort.deliver({
      data: wire.message,
      ports: wire.ports.map((id) => {
        const port = new ChildPort(id);
        ports.set(id, port);
        return port;
      }),
    });
  } else if ('closed' in wire) ports.get(wire.port)?.emit('close');
  else ports.get(wire.port)?.deliver({ data: wire.data, ports: [] });
});
// Electron ends its processes with itself.
process.on('disconnect', () => process.exit(0));
Object.assign(process, { parentPort, type: 'utility' });
Object.defineProperty(process.versions, 'electron', { value: '45.3.4', enumerable: true });

const refuse = (): never => {
  throw new Error('child_process.fork() is not available: the runAsNode fuse is disabled');
};
const { spawn } = childProcess;
Object.assign(childProcess, {
  fork: refuse,
  // Our own executable is no Node: started like this it would open a second application.
  spawn: (command: string, ...rest: never[]) =>
    command === process.execPath ? refuse() : (spawn as (...all: unknown[]) => unknown)(command, ...rest),
});
syncBuiltinESMExports();
