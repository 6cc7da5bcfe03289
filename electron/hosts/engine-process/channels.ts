import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import {
  PortStream,
  type NodeLauncher,
  type Port,
  type Program,
  type EngineRouter,
} from '../../engine/index.ts';
import type { ProgramEvent, ProgramRequest, FromEngine, ToEngine } from './messages.ts';

/** Codes under which the end by a signal is reported, as waitpid's low bits or as a shell writes it. */
const SIGNAL_BY_CODE: Record<number, NodeJS.Signals> = {
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
  134: 'SIGABRT',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
};

/** Programs that the shell runs for this process, as if they were children of our own. */
export class ProgramBroker {
  readonly #send: (wish: ProgramRequest) => void;
  readonly #programs = new Map<number, BrokeredProgram>();
  #lastId = 0;

  constructor(send: (wish: ProgramRequest) => void) {
    this.#send = send;
  }

  readonly launch: NodeLauncher = (module, env) => {
    const id = (this.#lastId += 1);
    const program = new BrokeredProgram((signal) =>
      this.#send({ kind: 'program', id, what: 'signal', signal }),
    );
    this.#programs.set(id, program);
    this.#send({ kind: 'program', id, what: 'start', module, env });
    return program;
  };

  /** @param ports the ports that came with the message. */
  receive(news: ProgramEvent, ports: readonly Port[]): void {
    this.#programs.get(news.id)?.receive(news, ports[0]);
    if (news.what === 'exited') this.#programs.delete(news.id);
  }
}

class BrokeredProgram extends EventEmitter implements Program {
  pid: number | undefined = undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdin = null;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdio: readonly [null, PassThrough, PassThrough, PortStream];
  readonly #channel = new PortStream();
  readonly #sendSignal: (signal: NodeJS.Signals) => void;

  constructor(sendSignal: (signal: NodeJS.Signals) => void) {
    super();
    this.#sendSignal = sendSignal;
    this.stdio = [null, this.stdout, this.stderr, this.#channel];
  }

  signal(signal: NodeJS.Signals): void {
    if (this.exitCode === null && this.signalCode === null) this.#sendSignal(signal);
  }

  receive(news: ProgramEvent, port: Port | undefined): void {
    switch (news.what) {
      case 'started':
        this.pid = news.pid;
        if (port !== undefined) this.#channel.attach(port);
        break;
      case 'output':
        this[news.stream].write(news.text);
        break;
      case 'exited': {
        const signal = SIGNAL_BY_CODE[news.code] ?? null;
        [this.exitCode, this.signalCode] = signal === null ? [news.code, null] : [null, signal];
        this.emit('exit', this.exitCode, this.signalCode);
        this.#end();
        break;
      }
    }
  }

  #end(): void {
    if (!this.#channel.destroyed) this.#channel.push(null);
    this.stdout.end();
    this.stderr.end();
    this.emit('close');
  }
}

const OPEN = 1;
const CLOSED = 3;

/** The parts of a WebSocket that tRPC's handler uses, over messages between processes. */
class MessageSocket extends EventEmitter {
  readyState: number = OPEN;
  readonly OPEN = OPEN;
  readonly #post: (message: { what: 'message'; text: string } | { what: 'close' }) => void;

  constructor(post: (message: { what: 'message'; text: string } | { what: 'close' }) => void) {
    super();
    this.#post = post;
  }

  send(text: string): void {
    if (this.readyState === OPEN) this.#post({ what: 'message', text });
  }

  close(): void {
    if (this.readyState !== OPEN) return;
    this.#post({ what: 'close' });
    this.gone();
  }

  terminate(): void {
    this.close();
  }

  /** The other side closed. */
  gone(): void {
    this.readyState = CLOSED;
    this.emit('close');
  }
}

/** The window's connections: the same protocol as over a WebSocket, on the wire between shell and engine. */
export class WindowSockets {
  readonly #sockets = new Map<number, MessageSocket>();
  readonly #post: (message: FromEngine) => void;
  readonly #serve: (client: never, request: never) => void;

  constructor(router: EngineRouter, post: (message: FromEngine) => void) {
    this.#post = post;
    this.#serve = getWSConnectionHandler({ wss: undefined as never, router, createContext: () => ({}) }) as (
      client: never,
      request: never,
    ) => void;
  }

  receive(message: Extract<ToEngine, { kind: 'socket' }>): void {
    const { id } = message;
    if (message.what === 'open') {
      const socket = new MessageSocket((down) => this.#post({ kind: 'socket', id, ...down }));
      this.#sockets.set(id, socket);
      socket.once('close', () => this.#sockets.delete(id));
      this.#serve(socket as never, { url: '/trpc', headers: {} } as never);
    } else if (message.what === 'message') {
      this.#sockets.get(id)?.emit('message', Buffer.from(message.text), false);
    } else {
      this.#sockets.get(id)?.gone();
    }
  }
}
