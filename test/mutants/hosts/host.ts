import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Test files to run in a folder, and the sources that differ from those of the request before. */
export type Request = { tests: readonly string[]; changed: readonly string[] };
/** `problem`: what kept tests from being loaded or begun. */
export type Answer = { passed: number; failed: string[]; problem: string | null };

/** The descriptor that hosts answer on; tests may write to the others. */
export const HOST_ANSWERS = 3;

const PROGRAMS = {
  vitest: [process.execPath, join(import.meta.dirname, 'vitest-host.ts')],
  pytest: [
    join(import.meta.dirname, '../../../.venv/bin/python'),
    join(import.meta.dirname, 'pytest_host.py'),
  ],
} as const;
type Kind = keyof typeof PROGRAMS;
const kindOf = (test: string): Kind => (test.endsWith('.py') ? 'pytest' : 'vitest');

/** What a host says beside its answers, of which the end is told when it dies. */
const KEPT_CHARACTERS = 2_000;

/** A process that runs tests in a folder; whatever it starts belongs to its group and ends with it. */
class Host {
  /** Sources that differ from those it has read. */
  readonly changed = new Set<string>();
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #said = '';

  constructor(kind: Kind, folder: string) {
    const [command, ...args] = PROGRAMS[kind];
    const env = { ...process.env, NODE_COMPILE_CACHE: '', CI: 'true' };
    this.#child = spawn(command, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.#said = `${this.#said}${part.toString('utf8')}`.slice(-KEPT_CHARACTERS);
      });
    this.#child.on('error', (error) => (this.#said += error.message));
    this.#child.stdin?.on('error', () => {}); // it is gone, which the missing answer says
    const input = this.#child.stdio[HOST_ANSWERS] as Readable;
    this.#answers = createInterface({ input })[Symbol.asyncIterator]();
  }

  /** @throws when the host dies instead. */
  async ask(tests: readonly string[]): Promise<Answer> {
    const request: Request = { tests, changed: [...this.changed] };
    this.changed.clear();
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`The process that runs tests died: ${this.#said.trim()}`);
    return JSON.parse(value) as Answer;
  }

  end(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It and all that it started have ended.
    }
  }
}

/** The hosts of one folder, begun when they are needed. */
export class Hosts {
  readonly #folder: string;
  readonly #running = new Map<Kind, Host>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A source was changed. */
  touch(file: string): void {
    for (const host of this.#running.values()) host.changed.add(file);
  }

  /** What came of a test file; null where it took longer than `limitMs`, after which its host is begun anew. @throws when a host dies. */
  async run(test: string, limitMs: number): Promise<Answer | null> {
    const kind = kindOf(test);
    const host = this.#running.get(kind) ?? new Host(kind, this.#folder);
    this.#running.set(kind, host);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, limitMs, null);
    });
    try {
      const answer = await Promise.race([host.ask([test]), late]);
      if (answer === null) this.#drop(kind, host);
      return answer;
    } catch (error) {
      this.#drop(kind, host);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    for (const [kind, host] of this.#running) this.#drop(kind, host);
  }

  #drop(kind: Kind, host: Host): void {
    host.end();
    this.#running.delete(kind);
  }
}
