import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startRunner, type RunnerClient } from '../../electron/processes/index.ts';

/** The folder of this checkout. */
export const root = join(import.meta.dirname, '../..');

/** Starts the real sandbox for the tests of a file and ends it after them; call the result inside a test. */
export function useRunner(level: Parameters<typeof startRunner>[0]['level'] = 'auto'): () => RunnerClient {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-runner-'));
  let runner: RunnerClient;
  beforeAll(async () => {
    runner = await startRunner({
      python: join(root, '.venv/bin/python'),
      brokerPath: join(root, 'native/runner/broker.py'),
      level,
      workers: 1,
      logFile: join(scratch, 'log'),
    });
  });
  afterAll(async () => {
    await runner.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  return () => runner;
}
