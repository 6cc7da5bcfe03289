import type { MessageChannelMain, MessagePortMain, UtilityProcess } from 'electron';
import type { BindingTestMessage } from '../engine/index.ts';
import type { ProgramEvent, ProgramRequest } from '../hosts/index.ts';
import { whenEnded } from './engine-process.ts';

export type ProgramBrokerOptions = {
  /** Starts a built module of ours, or the test of a native binary, as a utility process whose output is piped. */
  fork(file: string, serviceName: string, env: Record<string, string>): UtilityProcess;
  newChannel(): MessageChannelMain;
  /** The only files that are ever started, whatever is asked for. */
  files: { 'supervisor/worker': string; bindingTest: string };
  send(news: ProgramEvent, ports: MessagePortMain[]): void;
};

/**
 * Starts the engine's own Node programs, because without the RunAsNode fuse only the main process can. Each gets a channel that
 * leads to the engine directly, so no review passes through here.
 */
export class ProgramBroker {
  readonly #options: ProgramBrokerOptions;
  readonly #programs = new Map<number, UtilityProcess>();

  constructor(options: ProgramBrokerOptions) {
    this.#options = options;
  }

  wish(wish: ProgramRequest): void {
    if (wish.what === 'start') this.#start(wish.id, wish.env);
    else this.#signal(wish.id, wish.signal);
  }

  /** The engine is gone: nobody can use its programs any more. */
  endAll(): void {
    for (const program of this.#programs.values()) program.kill();
  }

  #start(id: number, env: Record<string, string>): void {
    const { fork, files, newChannel, send } = this.#options;
    const program = fork(files['supervisor/worker'], 'Anchor Lab supervisor', env);
    this.#programs.set(id, program);
    program.once('spawn', () => {
      const { port1, port2 } = newChannel();
      program.postMessage({ kind: 'channel' }, [port1]);
      send({ kind: 'program', id, what: 'started', pid: program.pid ?? 0 }, [port2]);
    });
    for (const stream of ['stdout', 'stderr'] as const) {
      program[stream]?.on('data', (chunk: Buffer) =>
        send({ kind: 'program', id, what: 'output', stream, text: chunk.toString('utf8') }, []),
      );
    }
    const tests = this.#serveBindingTests(program, env);
    whenEnded(program, (code) => {
      this.#programs.delete(id);
      for (const test of tests.values()) test.kill();
      send({ kind: 'program', id, what: 'exited', code }, []);
    });
  }

  /** Runs node-llama-cpp's own test of a binary on behalf of a program; see processes/supervisor/utility-process.ts. */
  #serveBindingTests(program: UtilityProcess, env: Record<string, string>): Map<number, UtilityProcess> {
    const tests = new Map<number, UtilityProcess>();
    const answer = (message: BindingTestMessage): void => program.postMessage(message, []);
    program.on('message', (message: BindingTestMessage) => {
      if (message.kind !== 'bindingTest') return;
      const { id } = message;
      switch (message.what) {
        case 'start': {
          if (message.file !== this.#options.files.bindingTest)
            return answer({ kind: 'bindingTest', id, what: 'exit', code: 1 });
          const test = this.#options.fork(message.file, 'Anchor Lab binary test', {
            ...env,
            TEST_BINDING_CP: 'true',
          });
          tests.set(id, test);
          test.on('message', (said: unknown) =>
            answer({ kind: 'bindingTest', id, what: 'message', message: said }),
          );
          whenEnded(test, (code) => {
            tests.delete(id);
            answer({ kind: 'bindingTest', id, what: 'exit', code });
          });
          return;
        }
        case 'message':
          tests.get(id)?.postMessage(message.message, []);
          return;
        case 'kill':
          tests.get(id)?.kill();
          return;
        case 'exit':
          return;
      }
    });
    return tests;
  }

  #signal(id: number, signal: NodeJS.Signals): void {
    const program = this.#programs.get(id);
    if (program?.pid === undefined) return;
    if (signal !== 'SIGKILL') return void program.kill();
    try {
      // Ours and not reaped as long as it is listed, so the number is nobody else's.
      process.kill(program.pid, signal);
    } catch {
      // It ended in this instant.
    }
  }
}
