import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  azrConfigSchema,
  taskRecordSchema,
  type CodeTaskType,
  type TaskRecord,
} from '../../../../electron/contract/index.ts';
import {
  entersBuffer,
  TaskBuffers,
  taskKey,
  type BufferRules,
} from '../../../../electron/evolution/code-tasks/buffers.ts';
import { seedRecordSchema, seedTasks } from '../../../../electron/evolution/code-tasks/seeds.ts';
import { splitPairs } from '../../../../electron/evolution/code-tasks/task-types/induction/index.ts';
import { zeroProblem } from '../../../../electron/evolution/code-tasks/task-types/induction/index.ts';
import { readJsonLines } from '../../../../electron/library/index.ts';

const rules = (changes: Partial<BufferRules> = {}): BufferRules => ({
  ...azrConfigSchema.parse({ name: 'azr' }),
  ...changes,
});
function task(step: number, index: number, changes: Partial<TaskRecord> = {}): TaskRecord {
  return taskRecordSchema.parse({
    id: `${step}.${index}`,
    taskType: 'deduction',
    step,
    origin: step === 0 ? 'seed' : 'proposal',
    rolloutId: null,
    program: `def f(x):\n return x+${step}${index}`,
    inputs: ['1'],
    outputs: ['2'],
    message: null,
    imports: [],
    solveRate: step === 0 ? null : 0.5,
    ...changes,
  });
}
const rows = (step: number, count: number): TaskRecord[] =>
  Array.from({ length: count }, (_, index) => task(step, index));
function buffers(tasks: TaskRecord[], changes: Partial<BufferRules> = {}): TaskBuffers {
  const built = new TaskBuffers(rules(changes));
  built.add(tasks);
  return built;
}
const steps = (tasks: TaskRecord[]): number[] => tasks.map(({ step }) => step).toSorted((a, b) => a - b);

describe('which tasks are solved', () => {
  it('at step 1 all seeds count as new, and none is solved twice', () => {
    const chosen = buffers(rows(0, 20)).chooseTasks('deduction', 8, 1, 7, 'tasks');
    expect(new Set(chosen.map(({ id }) => id)).size).toBe(8);
  });

  it('newest first: everything proposed in the step before, then a fill from the whole buffer', () => {
    const pool = buffers([...rows(0, 20), ...rows(3, 10), ...rows(4, 5)]);
    for (let seed = 0; seed < 20; seed += 1) {
      const chosen = pool.chooseTasks('deduction', 8, 5, seed, 'tasks');
      expect(new Set(chosen.filter(({ step }) => step === 4).map(({ id }) => id)).size).toBe(5);
      expect(chosen).toHaveLength(8);
    }
    expect(steps(pool.chooseTasks('deduction', 4, 5, 1, 'tasks'))).toEqual([4, 4, 4, 4]);
  });

  it('half new takes half of the batch from the step before, uniform and recency prefer nothing or the recent', () => {
    const pool = [...rows(0, 50), ...rows(9, 50)];
    expect(
      steps(buffers(pool, { taskChoice: 'half-new' }).chooseTasks('deduction', 8, 10, 3, 'a')).filter(
        (step) => step === 9,
      ).length,
    ).toBeGreaterThanOrEqual(4);
    const share = (taskChoice: BufferRules['taskChoice']): number => {
      const chosen = Array.from({ length: 60 }, (_, draw) =>
        buffers(pool, { taskChoice }).chooseTasks('deduction', 8, 10, 3, 'a', draw),
      ).flat();
      return chosen.filter(({ step }) => step === 9).length / chosen.length;
    };
    expect(Math.abs(share('uniform') - 0.5)).toBeLessThan(0.08);
    expect(share('recency')).toBeGreaterThan(0.85);
  });

  it('half new rounds the newer half up, and recency draws a seed one time in t + 2', () => {
    const odd = buffers([...rows(0, 50), ...rows(9, 50)], { taskChoice: 'half-new' });
    for (let seed = 0; seed < 20; seed += 1)
      expect(steps(odd.chooseTasks('deduction', 7, 10, seed, 'a').slice(0, 4))).toEqual([9, 9, 9, 9]);
    // Weights 1 and 2: the seed comes in 100 of 300 draws, with a standard deviation of 8.
    const pair = buffers([...rows(0, 1), ...rows(1, 1)], { taskChoice: 'recency' });
    const seeds = Array.from({ length: 300 }, (_, draw) =>
      pair.chooseTasks('deduction', 1, 2, draw, 'a'),
    ).flat();
    expect(Math.abs(seeds.filter(({ step }) => step === 0).length - 100)).toBeLessThan(32);
  });

  it("the original's newest fills with different tasks of the whole buffer, those already taken among them", () => {
    const pool = buffers([...rows(0, 5), ...rows(4, 5)], { taskChoice: 'azr-max-new' });
    let repeated = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const chosen = pool.chooseTasks('deduction', 10, 5, seed, 'tasks');
      const filled = chosen.slice(5).map(({ id }) => id);
      expect(steps(chosen.slice(0, 5))).toEqual([4, 4, 4, 4, 4]);
      expect(new Set(filled).size).toBe(5);
      if (chosen.slice(0, 5).some(({ id }) => filled.includes(id))) repeated += 1;
    }
    expect(repeated).toBeGreaterThan(30);
  });

  it("the original's half is rounded down, and its weights by step draw again and leave out step 0", () => {
    const pool = [...rows(0, 50), ...rows(1, 25), ...rows(9, 25)];
    const half = Array.from({ length: 60 }, (_, draw) =>
      buffers(pool, { taskChoice: 'azr-half-new' }).chooseTasks('deduction', 7, 10, 3, 'a', draw),
    );
    for (const chosen of half) expect(steps(chosen.slice(0, 3))).toEqual([9, 9, 9]);
    const others = half.flatMap((chosen) => chosen.slice(3));
    expect(Math.abs(others.filter(({ step }) => step === 0).length / others.length - 0.5)).toBeLessThan(0.12);
    const weighted = buffers(pool, { taskChoice: 'azr-step' }).chooseTasks('deduction', 90, 10, 3, 'a');
    expect(new Set(weighted.map(({ id }) => id)).size).toBeLessThan(50);
    expect(weighted.some(({ step }) => step === 0)).toBe(false);
    expect(weighted.filter(({ step }) => step === 9).length).toBeGreaterThan(70);
    expect(
      steps(buffers(rows(0, 9), { taskChoice: 'azr-step' }).chooseTasks('deduction', 3, 1, 3, 'a')),
    ).toEqual([0, 0, 0]);
  });

  it('a small buffer repeats, an empty one gives nothing', () => {
    for (const taskChoice of [
      'newest-first',
      'uniform',
      'half-new',
      'recency',
      'azr-max-new',
      'azr-half-new',
      'azr-step',
    ] as const) {
      expect(buffers(rows(0, 3), { taskChoice }).chooseTasks('deduction', 8, 5, 1, 'x')).toHaveLength(8);
      expect(buffers(rows(0, 3), { taskChoice }).chooseTasks('induction', 8, 5, 1, 'x')).toEqual([]);
    }
  });
});

describe('references', () => {
  it('are different rows, at most K, drawn again for every prompt', () => {
    const pool = buffers(rows(0, 30), { references: 6 });
    const drawn = Array.from({ length: 40 }, (_, prompt) =>
      pool.sampleReferences('deduction', 5, 'refs', prompt),
    );
    for (const references of drawn) expect(new Set(references.map(({ id }) => id)).size).toBe(6);
    expect(new Set(drawn.map((references) => references.map(({ id }) => id).join())).size).toBe(40);
    expect(buffers(rows(0, 2), { references: 6 }).sampleReferences('deduction', 5, 'refs')).toHaveLength(2);
    expect(buffers(rows(0, 2), { references: 0 }).sampleReferences('deduction', 5, 'refs')).toEqual([]);
  });
  it('prefer recent rows under recency', () => {
    const pool = buffers([...rows(0, 50), ...rows(9, 50)], { references: 4, referenceSampling: 'recency' });
    const drawn = Array.from({ length: 100 }, (_, prompt) =>
      pool.sampleReferences('deduction', 5, prompt),
    ).flat();
    expect(drawn.filter(({ step }) => step === 9).length / drawn.length).toBeGreaterThan(0.85);
  });
  it('of a proposal about a given program come from several buffers', () => {
    const pool = buffers([
      ...rows(0, 5),
      ...rows(0, 5).map((row) => ({ ...row, id: `a${row.id}`, taskType: 'abduction' as const })),
    ]);
    const types = new Set(
      Array.from(
        { length: 40 },
        (_, draw) => pool.sampleProgram(['abduction', 'deduction'], 2, draw)?.taskType,
      ),
    );
    expect(types).toEqual(new Set(['abduction', 'deduction']));
    expect(buffers([]).sampleProgram(['abduction', 'deduction'], 2, 'x')).toBeNull();
  });
});

describe('a buffer', () => {
  it('is the same when rebuilt from the records in one go, so that resuming makes the same choices', () => {
    const stored = [...rows(0, 12), ...rows(1, 5), ...rows(2, 7)];
    const grown = new TaskBuffers(rules({ bufferCap: 15 }));
    for (const row of stored) grown.add([row]);
    const rebuilt = buffers(stored, { bufferCap: 15 });
    expect(rebuilt.of('deduction')).toEqual(grown.of('deduction'));
    expect(rebuilt.chooseTasks('deduction', 8, 3, 1, 'tasks', 3)).toEqual(
      grown.chooseTasks('deduction', 8, 3, 1, 'tasks', 3),
    );
  });
  it('keeps the newest tasks when full', () =>
    expect(steps([...buffers([...rows(0, 10), ...rows(1, 4)], { bufferCap: 6 }).of('deduction')])).toEqual([
      0, 0, 1, 1, 1, 1,
    ]));
  it('refuses tasks out of order instead of calling old ones new', () => {
    expect(() => buffers([...rows(2, 1), ...rows(1, 1)])).toThrow('in order of creation');
  });
  it('knows a task again by type, program and inputs, whatever white space ends its lines', () => {
    const key = taskKey('deduction', { program: 'def f(x):\n return x', inputs: ['1'] });
    const same = taskKey('deduction', { program: 'def f(x):  \n\n return x\t\n', inputs: ['1'] });
    expect(same).toBe(key);
    const others = [
      taskKey('abduction', { program: 'def f(x):\n return x', inputs: ['1'] }),
      taskKey('deduction', { program: 'def f(x):\n return x', inputs: ['2'] }),
      taskKey('deduction', { program: 'def f(x):\n  return x', inputs: ['1'] }),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });
  it('drops rewarded prompts, and proposals by the filter', () => {
    const rated = [0, 0.5, 1].map((solveRate, index) => task(1, index, { solveRate }));
    const kept = (bufferFilter: BufferRules['bufferFilter']): number[] =>
      buffers(rated, { bufferFilter })
        .of('deduction')
        .map(({ solveRate }) => solveRate ?? -1);
    expect([kept('all'), kept('non-one'), kept('non-extremes')]).toEqual([[0, 0.5, 1], [0, 0.5], [0.5]]);
    expect(entersBuffer(null, 'non-extremes')).toBe(true);
    expect(buffers([task(0, 0, { taskType: 'request', origin: 'pressure' })]).of('deduction')).toEqual([]);
  });
});

describe('seeds', () => {
  const triplet = {
    id: 'a',
    kind: 'triplet' as const,
    program: 'import math\nfrom os import path\ndef f(x):\n return x',
    input: '1',
    output: '1',
  };
  const problem = {
    id: 'b',
    kind: 'induction' as const,
    program: 'def f(x):\n return x',
    inputs: ['1', '2'],
    outputs: ['1', '2'],
    message: 'echo',
  };

  it('enter both the abduction and the deduction buffer', () => {
    const tasks = seedTasks([triplet, problem], 'repr');
    expect(tasks.map(({ id }) => id)).toEqual(['seed/abduction/0', 'seed/deduction/0', 'seed/induction/0']);
    for (const row of tasks)
      expect(taskRecordSchema.parse(row)).toMatchObject({ step: 0, origin: 'seed', solveRate: null });
    expect(tasks[0]?.imports).toEqual(['math', 'os']);
    expect(
      seedTasks(
        Array.from({ length: 9 }, () => triplet),
        'repr',
      ),
    ).toHaveLength(19); // 9 + 9 + the zero problem
  });
  it('default to the zero triplet, which any identity answers', () => {
    const tasks = seedTasks([], 'compact');
    expect(tasks.map(({ taskType }) => taskType)).toEqual(['abduction', 'deduction', 'induction']);
    expect(tasks[1]).toMatchObject({
      program: 'def f(x):\n return x',
      inputs: ["'Hello world'"],
      outputs: ["'Hello world'"],
    });
    expect(zeroProblem('repr').inputs).toEqual(zeroProblem('repr').outputs);
    expect(zeroProblem('compact').inputs).toContain("{'a':1,'b':2}");
  });
  it('of an induction task split in halves: the first is shown, the rest verifies', () => {
    const { given, hidden } = splitPairs({
      inputs: ['1', '2', '3', '4', '5'],
      outputs: ['a', 'b', 'c', 'd', 'e'],
    });
    expect([given.map(({ input }) => input), hidden.map(({ output }) => output)]).toEqual([
      ['1', '2'],
      ['c', 'd', 'e'],
    ]);
  });
  it('refuse rows with fields missing, misspelt or unequal', () => {
    for (const bad of [
      { ...triplet, output: undefined },
      { ...triplet, extra: 1 },
      { ...problem, outputs: ['1'] },
      { kind: 'other' },
    ])
      expect(seedRecordSchema.safeParse(bad).success).toBe(false);
  });
  it('shipped with the application all fit', () => {
    const file = 'resources/suites/seeds.jsonl';
    expect(existsSync(file), 'resources/suites/seeds.jsonl is part of the repository').toBe(true);
    const count = (taskType: CodeTaskType): number =>
      seedTasks(readJsonLines(file, seedRecordSchema), 'compact').filter((row) => row.taskType === taskType)
        .length;
    expect(
      [count('abduction'), count('deduction'), count('induction')].every((rowCount) => rowCount >= 64),
    ).toBe(true);
  });
});
