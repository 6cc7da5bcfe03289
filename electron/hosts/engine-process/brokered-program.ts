import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { PortStream, type NodeLauncher, type Port, type Program } from '../../engine/index.ts';
import type { ProgramEvent, ProgramRequest } from './messages.ts';

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
