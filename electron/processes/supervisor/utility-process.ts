import { EventEmitter } from 'node:events';
import { registerHooks } from 'node:module';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** The part of Electron's MessagePortMain that a stream needs. */
export type Port = {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown, transfer?: never[]): void;
  start(): void;
  close(): void;
};

/** A message port as a stream of bytes, for protocols that are made of lines. What is written before the port is there waits for it. */
export class PortStream extends Duplex {
  #port: Port | null = null;
  #waiting: Buffer[] = [];

  attach(port: Port): void {
    this.#port = port;
    port.on('message', ({ data }) => {
      if (data instanceof Uint8Array && !this.destroyed) this.push(Buffer.from(data));
    });
    port.on('close', () => {
      if (!this.destroyed) this.push(null);
    });
    port.start();
    for (const chunk of this.#waiting.splice(0)) this.#send(chunk);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#port === null) this.#waiting.push(chunk);
    else this.#send(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#port?.close();
    done();
  }

  /** A copy: the pool behind a small Buffer would travel along. */
  #send(chunk: Buffer): void {
    this.#port?.postMessage(new Uint8Array(chunk), []);
  }
}

/** What passes between this process and the shell about one test of a native binary. */
export type BindingTestMessage =
  | { kind: 'bindingTest'; id: number; what: 'start'; file: string }
  | { kind: 'bindingTest'; id: number; what: 'message'; message: unknown }
  | { kind: 'bindingTest'; id: number; what: 'kill' }
  | { kind: 'bindingTest'; id: number; what: 'exit'; code: number };

type Shell = {
  send(message: BindingTestMessage): void;
  onMessage(listener: (message: BindingTestMessage) => void): void;
};

/** Under this name the replacement module below finds the broker. */
const BROKER = Symbol.for('anchor.supervisor.utilityProcess');

/**
 * node-llama-cpp loads a prebuilt binary in a process of its own first, so that one that does not fit the machine cannot end
 * ours. In Electron it asks `electron` for utilityProcess, which only the main process has; and without the RunAsNode fuse it
 * cannot fork either. So its import of `electron`, and nobody else's, is answered with a utilityProcess that the shell forks.
 */
export function brokerBindingTests(shell: Shell): void {
  const running = new Map<number, TestProcess>();
  let lastId = 0;
  (globalThis as Record<symbol, unknown>)[BROKER] = {
    fork: (file: string): TestProcess => {
      const id = (lastId += 1);
      const test = new TestProcess((message) => shell.send({ kind: 'bindingTest', id, ...message }));
      running.set(id, test);
      shell.send({ kind: 'bindingTest', id, what: 'start', file });
      return test;
    },
  };
  shell.onMessage((message) => {
    const test = running.get(message.id);
    if (message.what === 'message') test?.emit('message', message.message);
    if (message.what === 'exit') {
      running.delete(message.id);
      test?.ended(message.code);
    }
  });
  const replacement = `data:text/javascript,export const utilityProcess = globalThis[Symbol.for(${JSON.stringify(Symbol.keyFor(BROKER))})];`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'electron' && isLlamaModule(context.parentURL)
        ? { url: replacement, shortCircuit: true }
        : next(specifier, context),
  });
}

const isLlamaModule = (url: string | undefined): boolean =>
  url !== undefined &&
  url.startsWith(pathToFileURL('/').protocol) &&
  url.includes('/node_modules/node-llama-cpp/');

type Outgoing = { what: 'message'; message: unknown } | { what: 'kill' };

/** The part of Electron's UtilityProcess that the test uses. */
class TestProcess extends EventEmitter {
  pid: number | undefined = 0; // the library only asks whether there is one
  readonly #send: (message: Outgoing) => void;

  constructor(send: (message: Outgoing) => void) {
    super();
    this.#send = send;
  }

  postMessage(message: unknown): void {
    this.#send({ what: 'message', message });
  }

  kill(): boolean {
    if (this.pid !== undefined) this.#send({ what: 'kill' });
    return true;
  }

  ended(code: number): void {
    this.pid = undefined;
    this.emit('exit', code);
  }
}
