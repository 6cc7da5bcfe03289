import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CHECKOUT, edited } from './edit.ts';
import { Hosts, type Answer } from './hosts/host.ts';
import type { Mutant } from './mutant.ts';

/** What mutants and their tests are of. */
const COPIED = ['electron', 'native', 'resources', 'test', 'package.json', 'tsconfig.json', 'pyproject.toml'];
const LINKED = ['node_modules', '.venv'];
const LEFT_OUT = new Set(['__pycache__', '.pytest_cache']);
const PREFIX = `anchor-mutants-`;

/** What came of a mutant. `by`: the first test that failed, as "file: name". */
export type Trial = { outcome: 'killed' | 'survived' | 'timed out'; by: string | null };

/** A copy of the sources in a folder of its own, in which one mutant after the other is tried. The checkout is only read. */
export class Workshop {
  readonly #folder: string;
  readonly #hosts: Hosts;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#hosts = new Hosts(folder);
  }

  static open(): Workshop {
    const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    for (const name of COPIED)
      cpSync(join(CHECKOUT, name), join(folder, name), {
        recursive: true,
        filter: (source) => !LEFT_OUT.has(basename(source)),
      });
    for (const name of LINKED) symlinkSync(join(CHECKOUT, name), join(folder, name));
    mkdirSync(join(folder, 'out'));
    return new Workshop(folder);
  }

  /** One test file on sources as they are. @returns null when it takes longer than `limitMs`. */
  runUnchanged(test: string, limitMs: number): Promise<Answer | null> {
    return this.#hosts.run(test, limitMs);
  }

  /** Tries a mutant against its tests, one file after the other until one fails. @param limitOf how long a file may take, in milliseconds; asked while sources are as they are. */
  async try(mutant: Mutant, limitOf: (test: string) => Promise<number>): Promise<Trial> {
    const source = readFileSync(join(this.#folder, mutant.file), 'utf8');
    for (const test of mutant.tests) {
      const limit = await limitOf(test);
      this.#write(mutant.file, edited(source, mutant));
      try {
        const answer = await this.#hosts.run(test, limit);
        if (answer === null) return { outcome: 'timed out', by: test };
        const [failed = answer.problem] = answer.failed;
        if (failed !== null) return { outcome: 'killed', by: `${test}: ${failed}` };
      } finally {
        this.#write(mutant.file, source);
      }
    }
    return { outcome: 'survived', by: null };
  }

  #write(file: string, source: string): void {
    writeFileSync(join(this.#folder, file), source);
    this.#hosts.touch(file);
  }

  close(): void {
    this.#hosts.end();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Takes away what a run left that was killed. */
export function clearAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
