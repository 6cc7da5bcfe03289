import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ProgramBroker } from '../../../electron/hosts/engine-process/channels.ts';
import type { ProgramRequest } from '../../../electron/hosts/engine-process/messages.ts';

/** One end of a channel, as Electron hands it over. */
class TestPort extends EventEmitter {
  readonly sent: string[] = [];
  isClosed = false;
  postMessage(data: unknown): void {
    this.sent.push(Buffer.from(data as Uint8Array).toString('utf8'));
  }
  start(): void {}
  close(): void {
    this.isClosed = true;
  }
}

function scene() {
  const wishes: ProgramRequest[] = [];
  const broker = new ProgramBroker((wish) => void wishes.push(wish));
  const program = broker.launch('supervisor/worker', { PATH: '/bin' });
  const ends: unknown[] = [];
  program.once('exit', (code, signal) => void ends.push([code, signal]));
  program.once('close', () => void ends.push('close'));
  return { wishes, broker, program, ends, port: new TestPort() };
}

describe('a program that the shell runs for the engine', () => {
  it('is wished for with its whole environment, and has its number once it runs', () => {
    const { wishes, broker, program, port } = scene();
    expect(wishes).toEqual([
      { kind: 'program', id: 1, what: 'start', module: 'supervisor/worker', env: { PATH: '/bin' } },
    ]);
    expect(program.pid).toBeUndefined();
    broker.receive({ kind: 'program', id: 1, what: 'started', pid: 77 }, [port]);
    expect(program.pid).toBe(77);
  });
  it('hears what was said to it before it ran', async () => {
    const { broker, program, port } = scene();
    const channel = program.stdio[3] as NodeJS.ReadWriteStream;
    channel.write('early\n');
    broker.receive({ kind: 'program', id: 1, what: 'started', pid: 77 }, [port]);
    channel.write('late\n');
    port.emit('message', { data: new TextEncoder().encode('answer\n') });
    expect(port.sent).toEqual(['early\n', 'late\n']);
    expect(
      String(
        await new Promise((resolve) => {
          channel.once('data', resolve);
        }),
      ),
    ).toBe('answer\n');
  });
  it('has its output on its streams', async () => {
    const { broker, program } = scene();
    broker.receive({ kind: 'program', id: 1, what: 'output', stream: 'stderr', text: 'a warning\n' }, []);
    expect(
      String(
        await new Promise((resolve) => {
          program.stderr?.once('data', resolve);
        }),
      ),
    ).toBe('a warning\n');
  });
  it.each<[number, [number | null, string | null]]>([
    [0, [0, null]],
    [1, [1, null]],
    [9, [null, 'SIGKILL']],
    [15, [null, 'SIGTERM']],
    [11, [null, 'SIGSEGV']],
    [139, [null, 'SIGSEGV']],
  ])('that ends with %i has ended like a child of ours', (code, told) => {
    const { broker, ends } = scene();
    broker.receive({ kind: 'program', id: 1, what: 'exited', code }, []);
    expect(ends).toEqual([told, 'close']);
  });
  it('is signalled through the shell, and not any more once it has ended', () => {
    const { wishes, broker, program } = scene();
    program.signal('SIGKILL');
    broker.receive({ kind: 'program', id: 1, what: 'exited', code: 9 }, []);
    program.signal('SIGKILL');
    expect(wishes.slice(1)).toEqual([{ kind: 'program', id: 1, what: 'signal', signal: 'SIGKILL' }]);
  });
  it('is one of several, each by its number', () => {
    const { broker, program } = scene();
    const other = broker.launch('supervisor/worker', {});
    broker.receive({ kind: 'program', id: 2, what: 'started', pid: 5 }, []);
    expect([program.pid, other.pid]).toEqual([undefined, 5]);
  });
});
