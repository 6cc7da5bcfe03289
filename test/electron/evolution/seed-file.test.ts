import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { azrConfigSchema, runConfigSchema, type TaskRecord } from '../../../electron/contract/index.ts';
import { frameworkOf } from '../../../electron/evolution/index.ts';
import { useRunner } from '../real-runner.ts';

const framework = frameworkOf({ name: 'azr' });
const runner = useRunner();
const folder = mkdtempSync(join(tmpdir(), 'anchor-seeds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const init = (rows: readonly object[], settings: object = {}): Promise<TaskRecord[]> => {
  const file = join(folder, `seeds-${(files += 1)}.jsonl`);
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  return framework.init(
    runConfigSchema.parse({
      policy: { promptPack: 'full' },
      framework: { name: 'azr', seeds: file, ...settings },
    }),
    {
      seeds: () => {
        throw new Error('the file is what counts');
      },
      runner: runner(),
      signal: new AbortController().signal,
      onChecked: () => {},
    },
  );
};
/** A row as the original writes it. */
const row = (snippet: string, input: string, output: string) => ({
  snippet,
  input,
  output,
  imports: [],
  original_snippet: snippet,
  composite_functions: [],
  _input_type: 'int',
});
const plus = row('def f(x):\n    return x + 1', '1', '2');
const shown = (tasks: readonly TaskRecord[]): unknown =>
  tasks.map(({ id, inputs, outputs, origin, step }) => [id, inputs, outputs, origin, step]);

describe('seeds of a file in the original’s form', () => {
  it('enter the buffer of each type, with outputs of the sandbox and not of the file', async () => {
    const cutOff = row('def f(s):\n    return s * 3', "'ab'", "'abab...");
    expect(shown(await init([plus, cutOff]))).toEqual([
      ['seed/abduction/0', ['1'], ['2'], 'seed', 0],
      ['seed/abduction/1', ["'ab'"], ["'ababab'"], 'seed', 0],
      ['seed/deduction/0', ['1'], ['2'], 'seed', 0],
      ['seed/deduction/1', ["'ab'"], ["'ababab'"], 'seed', 0],
      // Without a row of its own a type begins with the zero task.
      ['seed/induction/0', expect.any(Array), expect.any(Array), 'seed', 0],
    ]);
  });

  it('may be problems, and may stand beside rows in our form', async () => {
    const problem = { ...plus, input: undefined, output: undefined, inputs: ['1', '2'], outputs: ['0', '0'] };
    const ours = { id: 'a', kind: 'triplet', program: 'def f(x):\n return x', input: '3', output: '3' };
    const tasks = await init([{ ...problem, message: 'Add.' }, ours]);
    expect(tasks.filter(({ taskType }) => taskType === 'induction')).toMatchObject([
      { inputs: ['1', '2'], outputs: ['2', '3'], message: 'Add.' },
    ]);
    expect(tasks.filter(({ taskType }) => taskType === 'deduction')).toMatchObject([{ outputs: ['3'] }]);
  });

  it('that are no tasks are left out, and refused with the reason where they are most of the file', async () => {
    const raising = row('def f(x):\n    return x // 0', '1', '');
    const [first, second] = (await init([plus, raising])).filter(({ taskType }) => taskType === 'deduction');
    expect([first?.id, second]).toEqual(['seed/deduction/0', undefined]);
    await expect(init([plus, raising, raising])).rejects.toMatchObject({
      kind: 'badTask',
      exitCode: 2,
      message: expect.stringMatching(
        /Of the 3 seeds for abduction in .* 2 are no tasks, 2 of them because: The program raised/,
      ),
    });
  });
});

describe('the setting seeds', () => {
  it('is a file by its absolute path, and ours where they are named or nothing is', () => {
    const at = (seeds?: string) =>
      framework.withAbsolutePaths(azrConfigSchema.parse({ name: 'azr', seeds })) as { seeds?: string };
    const shipped = 'resources/suites/seeds.jsonl';
    expect(at(shipped).seeds).toBe(resolve(shipped));
    expect(() => at('nowhere.jsonl')).toThrow(/There is nothing at .*nowhere\.jsonl/);
    expect([at('embedded').seeds, at('own').seeds, at().seeds]).toEqual(['embedded', 'own', undefined]);
    expect(azrConfigSchema.safeParse({ name: 'azr', seeds: 'mine' }).success).toBe(false);
  });
});
