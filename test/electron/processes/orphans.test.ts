import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BROKER,
  descendants,
  FIXTURES,
  isAlive,
  PYTHON,
  randomModel,
  scratch,
  TRAINER_MODULES,
  until,
} from './support.ts';

describe('when the engine is killed', () => {
  it('no child, and no child of a child, outlives it', { timeout: 300_000 }, async () => {
    const folder = scratch();
    const model = randomModel(folder);
    const parent = spawn(
      process.execPath,
      [join(FIXTURES, 'parent.ts'), PYTHON, BROKER, TRAINER_MODULES, model.folder, model.gguf, folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const children = JSON.parse(line.toString()) as number[];
    // Let the sandboxed jobs begin, so that there are processes of processes to leave behind.
    await until('sandboxed processes run', () => descendants(children[1] ?? 0).length >= 4);
    const family = descendants(parent.pid ?? 0);
    expect(family).toEqual(expect.arrayContaining(children));
    expect(family.every(isAlive)).toBe(true);

    const killed = performance.now();
    parent.kill('SIGKILL');
    await until('the whole family is gone', () => !family.some(isAlive));
    console.info(
      `${family.length} processes gone ${Math.round(performance.now() - killed)} ms after SIGKILL of their engine`,
    );
  });
});
