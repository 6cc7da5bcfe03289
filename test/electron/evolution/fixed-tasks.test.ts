import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  runConfigSchema,
  type FixedTasksConfig,
  type RunConfig,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { frameworkOf, seedRecordSchema, type RunState } from '../../../electron/evolution/index.ts';
import { loadPromptPack, readJsonLines } from '../../../electron/library/index.ts';
import { root, useRunner } from '../real-runner.ts';

const framework = frameworkOf({ name: 'fixed-tasks' });
const runner = useRunner();
const pack = loadPromptPack(join(root, 'resources/prompts/compact'), 'compact');
const folder = mkdtempSync(join(tmpdir(), 'anchor-fixed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const triplet = (index: number, output = String(index + 1)) => ({
  id: `row-${index}`,
  kind: 'triplet',
  program: `def f(x):\n return x+${index}`,
  input: '1',
  output,
});
let files = 0;
function fileOf(rows: readonly object[]): string {
  const file = join(folder, `tasks-${files++}.jsonl`);
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  return file;
}
type Settings = Partial<FixedTasksConfig>;
const config = (settings: Settings): RunConfig =>
  runConfigSchema.parse({ framework: { name: 'fixed-tasks', ...settings } });
const calm = { signal: new AbortController().signal, onChecked: () => {} };
const init = (
  rows: readonly object[],
  settings: Settings = { taskTypes: ['deduction'] },
): Promise<TaskRecord[]> =>
  framework.init(config({ ...settings, tasks: fileOf(rows) }), {
    seeds: () => {
      throw new Error('the file is what counts');
    },
    runner: runner(),
    ...calm,
  });

describe('a fixed set of tasks', () => {
  it('is run before it is used: outputs are those of the sandbox, whatever the spacing in the file', async () => {
    const rows = [
      triplet(1),
      { id: 'list', kind: 'triplet', program: 'def g(x):\n return [x, x]', input: ' 3 ', output: '[3,  3]' },
      { id: 'e', kind: 'error', program: 'def f(x):\n return x[2]', input: '[]', output: 'IndexError' },
    ];
    const tasks = await init(rows, { taskTypes: ['deduction', 'error'] });
    expect(tasks.map(({ id, inputs, outputs }) => [id, inputs[0], outputs[0]])).toEqual([
      ['seed/deduction/0', '1', '2'],
      ['seed/deduction/1', '3', '[3,3]'],
      ['seed/error/0', '[]', 'IndexError'],
    ]);
    expect(tasks[1]?.program).toContain('def f(x)');
  });
  it.each([
    [
      'a wrong output',
      [triplet(1), triplet(2, '9')],
      'Task "row-2" of .* cannot be used for deduction: for the input 1 it gives 3, not 9\\. Correct or remove it\\.',
    ],
    [
      'a program that fails',
      [{ ...triplet(1), program: 'def f(x):\n return x//0' }],
      'Task "row-1" of .* The program raised an exception\\.',
    ],
    [
      'a program that may not be used',
      [{ ...triplet(1), program: 'import os\ndef f(x):\n return x' }],
      'imports a module',
    ],
    [
      'no task of a type',
      [{ id: 'e', kind: 'error', program: 'def f(x):\n return x[2]', input: '[]', output: 'IndexError' }],
      'has no task for deduction; add rows of its kind, or leave it out of framework\\.taskTypes\\.',
    ],
  ])('with %s is refused in one sentence that names it', async (_, rows, sentence) => {
    await expect(init(rows)).rejects.toMatchObject({
      kind: 'badTask',
      exitCode: 2,
      message: expect.stringMatching(new RegExp(sentence)),
    });
  });
  it('that its buffer could not hold is refused, instead of losing its first tasks', async () => {
    await expect(
      init([triplet(1), triplet(2), triplet(3)], { taskTypes: ['deduction'], bufferCap: 2 }),
    ).rejects.toMatchObject({
      kind: 'badTask',
      exitCode: 2,
      message:
        'There are 3 tasks for deduction, more than framework.bufferCap = 2; raise it or take some out.',
    });
    expect(await init([triplet(1), triplet(2)], { taskTypes: ['deduction'], bufferCap: 2 })).toHaveLength(2);
  });
  it('holds given programs of induction to the rules as well', async () => {
    const problem = {
      id: 'p',
      kind: 'induction',
      program: 'def f(x):\n return open(x)',
      inputs: ['1', '2'],
      outputs: ['1', '2'],
      message: 'm',
    };
    await expect(init([problem], { taskTypes: ['induction'] })).rejects.toThrow(
      'calls a function that tasks may not use',
    );
  });
  it('says how far its check is, and ends it when the run is stopped', async () => {
    const rows = Array.from({ length: 66 }, (_, index) => triplet(index));
    const stop = new AbortController();
    const heard: string[] = [];
    const onChecked = (done: number, total: number): void => {
      heard.push(`${done}/${total}`);
      if (done === 64) stop.abort(new Error('stopped by a person'));
    };
    const context = { seeds: () => [], runner: runner(), signal: stop.signal, onChecked };
    await expect(
      framework.init(config({ taskTypes: ['deduction'], tasks: fileOf(rows) }), context),
    ).rejects.toThrow('stopped by a person');
    expect(heard).toEqual(['64/66']);
  });
  it('can be the seeds of the application, all of which hold', async () => {
    const seeds = readJsonLines(join(root, 'resources/suites/seeds.jsonl'), seedRecordSchema, 16);
    const tasks = await framework.init(config({ taskTypes: ['abduction', 'error'] }), {
      seeds: () => seeds,
      runner: runner(),
      ...calm,
    });
    expect(new Set(tasks.map(({ taskType }) => taskType))).toEqual(new Set(['abduction', 'error']));
  });
});

const tasks = (count: number): TaskRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `seed/deduction/${index}`,
    taskType: 'deduction',
    step: 0,
    origin: 'seed',
    rolloutId: null,
    program: `def f(x):\n return x+${index}`,
    inputs: ['1'],
    outputs: [String(index + 1)],
    message: null,
    imports: [],
    solveRate: null,
  }));
function runAt(step: number, count: number, batchSize: number): RunState {
  const settings = config({ taskTypes: ['deduction'], batchSize });
  return {
    config: settings,
    step,
    context: { step, hash: '0'.repeat(64), text: '', tokens: 0, lines: [], removed: [] },
    state: framework.begin(settings, tasks(count)),
    previousHash: '',
  };
}
const draw = { pack, rewardedPrompts: [] };
const { stage } = framework.stageAt(config({}), 1);
const requestsOf = (run: RunState) => stage.requests(run, draw);

describe('the prompts of a step', () => {
  const drawn = (step: number): string[] => requestsOf(runAt(step, 7, 3)).map(({ taskId }) => taskId ?? '');
  it('are solutions only, one batch per type, with nothing proposed', () => {
    const planned = requestsOf(runAt(1, 7, 3));
    expect(planned.map(({ purpose, batch, index }) => [purpose, batch, index])).toEqual(
      [0, 1, 2].map((index) => ['solve', 'pred_code_o', index]),
    );
  });
  it('go through all tasks before any comes again, in another order every time', () => {
    const sequence = Array.from({ length: 7 }, (_, step) => drawn(step + 1)).flat();
    const passes = [sequence.slice(0, 7), sequence.slice(7, 14), sequence.slice(14, 21)];
    for (const pass of passes) expect(new Set(pass).size).toBe(7);
    expect(new Set(passes.map((pass) => pass.join())).size).toBe(3);
  });
  it('are the same when a step is taken again', () => expect(drawn(4)).toEqual(drawn(4)));
  it('repeat within a batch that is larger than the set', () =>
    expect(new Set(requestsOf(runAt(1, 2, 5)).map(({ taskId }) => taskId)).size).toBe(2));
  it('one that is too long is drawn again for the same place', () => {
    const run = runAt(1, 7, 3);
    const [first] = requestsOf(run);
    const again = Array.from({ length: 8 }, (_, redraw) =>
      stage.resample(run, draw, first!, { number: redraw + 1, lastResort: redraw > 3 }),
    );
    expect(new Set(again.map(({ id }) => id))).toEqual(new Set([first?.id]));
    expect(new Set(again.map(({ taskId }) => taskId)).size).toBeGreaterThan(1);
  });
});
