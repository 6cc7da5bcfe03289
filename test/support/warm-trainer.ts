import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '../..');
const PYTHON = join(CHECKOUT, '.venv/bin/python');
const PROGRAM = join(import.meta.dirname, 'warm_trainer.py');
/** Where the suite tells its workers of the interpreter to use. */
const PLACE = 'ANCHOR_WARM_PYTHON';

/**
 * For files that only need a trainer: those started from here on fork from one that has imported PyTorch. Importing it takes
 * half of a short run. What the engine sees as the trainer's process only waits for the fork: tests that suspend or kill a
 * trainer do it to `trainerProcess`, those that measure one may not use it. Returns what puts the interpreter of before back,
 * for engines opened after that.
 */
export function useWarmTrainer(): () => void {
  const [before, warm] = [process.env['ANCHOR_PYTHON'], warmPython()];
  if (warm !== null) process.env['ANCHOR_PYTHON'] = warm;
  return () => {
    if (before === undefined) delete process.env['ANCHOR_PYTHON'];
    else process.env['ANCHOR_PYTHON'] = before;
  };
}

/** The interpreter whose trainers are forked; null where the suite started none. */
export function warmPython(): string | null {
  const warm = process.env[PLACE];
  return warm !== undefined && existsSync(warm) ? warm : null;
}

/** The process that computes for what the engine sees as trainer `pid`: its fork, or itself where it was not forked. */
export function trainerProcess(pid: number | undefined): number {
  if (pid === undefined) throw new Error('There is no trainer.');
  const warm = warmPython();
  if (warm === null) return pid;
  const file = join(dirname(warm), String(pid));
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : pid;
}

/** Vitest's global set-up: starts the process that others fork from. It imports nothing before the first of them is asked for. */
export default async function setUp(): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return async () => {};
  const folder = mkdtempSync(join(tmpdir(), 'anchor-warm-'));
  const server = spawn(PYTHON, [PROGRAM, 'serve', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: join(CHECKOUT, 'native/trainer'),
      PYTHONHASHSEED: '0',
      PYTHONNOUSERSITE: '1',
      PYTHONUTF8: '1',
      OMP_NUM_THREADS: '1',
      OPENBLAS_NUM_THREADS: '1',
      MKL_NUM_THREADS: '1',
      OMP_WAIT_POLICY: 'passive',
    },
  });
  const ended = new Promise<void>((resolve) => {
    server.once('close', () => resolve());
  });
  await Promise.race([ended, new Promise((resolve) => server.stdout.once('data', resolve))]);
  const python = join(folder, 'python');
  writeFileSync(
    python,
    `#!/bin/sh
if [ "$*" = '-m anchor_trainer' ] && [ "$OMP_NUM_THREADS" = 1 ]; then
  exec '${PYTHON}' -S -E '${PROGRAM}' start '${join(folder, 'socket')}'
fi
exec '${PYTHON}' "$@"
`,
    { mode: 0o755 },
  );
  process.env[PLACE] = python;
  return async () => {
    server.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}
