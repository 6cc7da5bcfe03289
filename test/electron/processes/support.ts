import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import type { Clock } from '../../../electron/processes/child/timing.ts';
import { clearShelf, SHELF } from '../../support/shelf.ts';

export const ROOT = path.resolve(import.meta.dirname, '../../..');
export const FIXTURES = join(import.meta.dirname, 'fixtures');
/** The interpreter the set-up made; its absence is a fault of the set-up and fails the tests. */
export const PYTHON = join(ROOT, '.venv/bin/python');
export const BROKER = join(ROOT, 'native/runner/broker.py');
export const TRAINER_MODULES = join(ROOT, 'native/trainer');

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'anchor-processes-'));
}

/** No pause between restarts: tests wait for the process and not for the policy, which has its own tests. */
export const AT_ONCE = (): number => 0;

/**
 * The embedded supervisor when it is there, else a random model of the same architecture made on the spot; protocol,
 * determinism and framing do not depend on what the weights have learned.
 */
export function supervisorModel(folder: string): string {
  const embedded = join(ROOT, 'resources/models/supervisor/supervisor.f16.gguf');
  return existsSync(embedded) ? embedded : randomModel(folder).gguf;
}

/** A random two-layer Qwen2 with a small byte-level tokenizer: a folder for the trainer and the same as GGUF. */
export function randomModel(
  folder: string,
  name = 'random-model',
  template?: string,
): { folder: string; gguf: string } {
  const model = join(folder, name);
  const gguf = join(folder, `${name}.gguf`);
  if (!existsSync(gguf)) {
    const made = shelvedModel(template);
    cpSync(join(made, 'model'), model, { recursive: true });
    cpSync(join(made, 'model.gguf'), gguf);
  }
  return { folder: model, gguf };
}

const digest = (...texts: string[]): string =>
  createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);

/** Made once for all files that want it, again when the code that makes it changes. */
function shelvedModel(template?: string): string {
  const sources = [join(FIXTURES, 'random_model.py'), ...globSync(join(TRAINER_MODULES, '**/*.py')).sort()];
  const kind = `random-model-${digest(...sources.map((file) => readFileSync(file, 'utf8')))}`;
  const place = join(SHELF, `${kind}-${digest(template ?? '')}`);
  if (existsSync(place)) return place;
  mkdirSync(SHELF, { recursive: true });
  clearShelf('random-model-', kind);
  const partial = mkdtempSync(`${place}.`);
  const [model, gguf] = [join(partial, 'model'), join(partial, 'model.gguf')];
  const run = (...args: string[]): Buffer =>
    execFileSync(PYTHON, args, {
      env: { ...process.env, PYTHONPATH: TRAINER_MODULES, OMP_NUM_THREADS: '1' },
      stdio: 'pipe',
    });
  run(join(FIXTURES, 'random_model.py'), model, ...(template === undefined ? [] : [template]));
  run('-m', 'anchor_trainer.export_gguf', '--model', model, '--out', gguf, '--type', 'f32');
  try {
    renameSync(partial, place);
  } catch {
    rmSync(partial, { recursive: true }); // another file was faster
  }
  return place;
}

/** A clock that stands still until it is turned. */
export class HandClock implements Clock {
  #now = 0;
  #timers: { at: number; action: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#now + milliseconds, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Lets time pass and runs what falls due, in order. */
  turn(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = Math.max(this.#now, due.at);
      due.action();
    }
    this.#now = end;
  }
}

/** Resolves when the condition holds; fails the test with `what` after 60 s. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited 60 s in vain: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** Whether a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Processes descending from `pid`, found by parent numbers. */
export function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const found: number[] = [];
  const pending = [pid];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const [child, of] of rows) {
      if (of !== parent || child === undefined) continue;
      found.push(child);
      pending.push(child);
    }
  }
  return found;
}
