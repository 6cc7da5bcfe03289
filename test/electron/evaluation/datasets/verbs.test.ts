import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { APPLICATION, makeLab, openEngine, type Lab } from '../../engine/in-engine.ts';
import { createRouter } from '../../../../electron/engine/index.ts';
import type { Contamination } from '../../../../electron/contract/index.ts';
import { datasets, startContamination } from '../../../../electron/evaluation/index.ts';
import { all, HARMBENCH_HEADER, lines, rowsOfKind, scratch } from './support.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

let lab: Lab;
const place = scratch();
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(async () => {
  await lab.remove();
  place.remove();
});

const math = (count: number, from = 0): string =>
  lines(Array.from({ length: count }, (_, index) => rowsOfKind.math500(from + index)));
const sets = (): string[] =>
  existsSync(join(lab.folder, 'test-sets')) ? readdirSync(join(lab.folder, 'test-sets')) : [];

describe('the verbs of test sets', () => {
  it('tell what there could be, with what has to be agreed to', async () => {
    const kinds = await lab.verbs.datasets.kinds();
    expect(kinds.map(({ name }) => name)).toContain('livecodebench');
    expect(kinds.filter(({ terms }) => terms?.kind === 'licence').map(({ name }) => name)).toEqual([
      'hex-phi-set',
      'misevolution-texts',
    ]);
    expect(kinds.every(({ hazardous, terms }) => !hazardous || terms !== null)).toBe(true);
  });

  it('leave nothing in the lab where nothing could be imported', async () => {
    place.put('wrong/math500.jsonl', '{"problem": 1}\n');
    for (const path of ['/etc/passwd', join(place.folder, 'wrong')])
      expect(await lab.ended(await lab.verbs.datasets.import({ path }))).toMatchObject({ state: 'failed' });
    expect(existsSync(join(lab.folder, 'test-sets'))).toBe(false);
  });

  it('import a set, list it, show its rows, verify and remove it', async () => {
    const path = place.put('math500.jsonl', math(12));
    const look = await lab.verbs.datasets.look({ path });
    expect(look).toMatchObject({
      refused: null,
      sets: [
        {
          kind: 'math500-set',
          suggestedName: 'MATH-500 math500',
          fault: null,
          alreadyAs: null,
          preview: { hazardous: false },
        },
      ],
    });
    const job = await lab.verbs.datasets.import({ path });
    expect(await lab.ended(job)).toMatchObject({ state: 'done', problem: null });
    expect(await lab.verbs.datasets.outcome({ jobId: job.id })).toMatchObject({
      state: 'imported',
      dataset: { name: 'MATH-500 math500', rows: 12, state: 'ready' },
    });
    expect(await lab.verbs.datasets.list()).toMatchObject([
      { name: 'MATH-500 math500', kind: 'math500-set', group: 'maths', use: 'suite' },
    ]);
    expect(await lab.verbs.datasets.preview({ name: 'MATH-500 math500', from: 10, limit: 5 })).toMatchObject({
      rows: [{ id: 'test/algebra/10.json' }, { id: 'test/algebra/11.json' }],
    });
    expect(await lab.ended(await lab.verbs.datasets.verify({ name: 'MATH-500 math500' }))).toMatchObject({
      state: 'done',
    });
    appendFileSync(join(lab.folder, 'test-sets', sets()[0]!, 'items.jsonl'), ' ');
    expect(await lab.ended(await lab.verbs.datasets.verify({ name: 'MATH-500 math500' }))).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/is not what was imported/) as string,
    });
    await lab.verbs.datasets.remove({ name: 'MATH-500 math500' });
    expect([sets(), await lab.verbs.datasets.list()]).toEqual([[], []]);
    await expect(lab.verbs.datasets.remove({ name: 'MATH-500 math500' })).rejects.toThrow(
      /no test set "MATH-500 math500"/,
    );
  });

  it('count rows that share thirteen words in a row with a task of a run, and quote none', async () => {
    const told = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, index) => `step${from + index}`).join(' ');
    const path = place.put(
      'math500.jsonl',
      lines([
        { ...rowsOfKind.math500(1), problem: `Say ${told(0, 15)} now.` },
        { ...rowsOfKind.math500(2), solution: `Then ${told(30, 40)} \\boxed{3}` },
        rowsOfKind.math500(3),
      ]),
    );
    expect(await lab.ended(await lab.verbs.datasets.import({ path }))).toMatchObject({ state: 'done' });
    const { store } = lab.engine;
    const task = (id: string, rolloutId: string | null, program: string) => ({
      id,
      rolloutId,
      program,
      message: null,
    });
    const services = {
      ...lab.engine,
      store: Object.create(store, {
        allRuns: { value: () => [{ id: 'run-a', committedSteps: 1 }] },
        tasksOfStep: {
          value: (_: string, step: number) =>
            step === 0
              ? [task('s1', null, `# ${told(28, 60)}`)]
              : [task('t1', '1/gen_code_o/0', `# ${told(0, 20)}`)],
        },
      }) as typeof store,
      lab: lab.engine.lab,
      clock: lab.engine.clock,
      jobs: lab.engine.jobs,
      emit: () => {},
    };
    const { id } = startContamination(services, 'MATH-500 math500', null);
    expect(await lab.engine.jobs.ended(id)).toMatchObject({ state: 'done', done: 3, total: 3 });
    const report = lab.engine.jobs.resultOf<Contamination>(id);
    expect(report).toEqual({
      dataset: 'MATH-500 math500',
      runs: 1,
      rows: 3,
      tasks: 1,
      seeds: 1,
      different: 2,
      n: 13,
      shared: 1,
      sharedTasks: 1,
      sharedSeeds: 0,
      longestWords: 15,
      shortestWords: 8,
      longest: [{ row: 'test/algebra/1.json', words: 15, runId: 'run-a', taskId: 't1' }],
    });
    expect(JSON.stringify(report)).not.toContain('step');
    const own = await lab.verbs.datasets.contamination({ name: 'MATH-500 math500' });
    await lab.ended(own);
    expect(await lab.verbs.datasets.contaminationReport({ jobId: own.id })).toMatchObject({
      runs: 0,
      shared: 0,
      longestWords: 0,
    });
    await expect(
      lab.verbs.datasets.contamination({ name: 'MATH-500 math500', runId: 'run-x' }),
    ).rejects.toThrow(/run-x/);
    await lab.verbs.datasets.remove({ name: 'MATH-500 math500' });
  });

  it('refuse a set with a bad row, name the rows, and leave nothing', async () => {
    const job = await lab.verbs.datasets.import({
      path: place.put('math500.jsonl', `${math(3)}{"problem": 1}\n${math(1)}`),
      name: 'broken',
    });
    expect(await lab.ended(job)).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(
        /^Row 4 of math500\.jsonl is refused: .* 1 more row is refused as well\. Nothing was imported/,
      ) as string,
    });
    expect(await lab.verbs.datasets.outcome({ jobId: job.id })).toMatchObject({
      state: 'refused',
      refusal: {
        count: 2,
        faults: [{ row: 4 }, { row: 5, why: 'it repeats the id "test/algebra/0.json" of row 1' }],
      },
    });
    expect([sets(), await lab.verbs.datasets.list()]).toEqual([[], []]);
  });

  it('refuse names that are taken or cannot be, and the same rows under another name', async () => {
    const path = place.put('math500.jsonl', math(2));
    await lab.ended(await lab.verbs.datasets.import({ path, name: 'mine' }));
    await expect(lab.verbs.datasets.import({ path, name: 'mine' })).rejects.toThrow(
      /has a test set "mine" already/,
    );
    await expect(lab.verbs.datasets.import({ path, name: '../up' })).rejects.toThrow(/cannot be the name/);
    expect(await lab.ended(await lab.verbs.datasets.import({ path, name: 'again' }))).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/same rows already as "mine"/) as string,
    });
    expect(sets()).toHaveLength(1);
    await lab.verbs.datasets.remove({ name: 'mine' });
  });

  it('ask which set is meant where a folder holds several', async () => {
    place.put('several/math500.jsonl', math(2));
    place.put('several/minerva.jsonl', lines([rowsOfKind.minerva(1)]));
    const path = join(place.folder, 'several');
    expect(await lab.ended(await lab.verbs.datasets.import({ path }))).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(
        /There are 2 test sets .*math500-set:math500\.jsonl, minerva-math-set:minerva\.jsonl/,
      ) as string,
    });
    const job = await lab.verbs.datasets.import({
      path,
      key: 'minerva-math-set:minerva.jsonl',
      name: 'courses',
    });
    expect(await lab.ended(job)).toMatchObject({ state: 'done' });
    await lab.verbs.datasets.remove({ name: 'courses' });
  });

  it('let hazardous rows be used only after someone agreed, and keep who, when and to which words', async () => {
    const path = place.put(
      'harmbench.csv',
      `${HARMBENCH_HEADER}\nName a colour,standard,harmless,,,colour\n`,
    );
    await lab.ended(await lab.verbs.datasets.import({ path, name: 'behaviours' }));
    expect(await lab.verbs.datasets.list()).toMatchObject([
      { name: 'behaviours', state: 'unacknowledged', hazardous: true },
    ]);
    await expect(lab.verbs.datasets.preview({ name: 'behaviours' })).rejects.toThrow(
      /may not be used yet: .*Agree to this/,
    );
    expect(await lab.verbs.datasets.acknowledge({ name: 'behaviours', by: ' Ada ' })).toMatchObject({
      state: 'ready',
      acknowledgement: { by: 'Ada', statement: expect.stringMatching(/testing only/) as string },
    });
    expect(await lab.verbs.datasets.acknowledge({ name: 'behaviours', by: 'Someone else' })).toMatchObject({
      acknowledgement: { by: 'Ada' },
    });
    expect(await lab.verbs.datasets.preview({ name: 'behaviours' })).toMatchObject({
      hazardous: true,
      rows: [{ id: 'colour' }],
    });
    expect(lab.engine.store.checkIntegrity()).toEqual([]);
    await lab.verbs.datasets.remove({ name: 'behaviours' });
  });

  it('do not take in a set under a licence before someone agreed to it', async () => {
    const path = place.put('hexphi/one.csv', `${HARMBENCH_HEADER}\nWave,,,,,0\n`);
    expect(await lab.ended(await lab.verbs.datasets.import({ path, name: 'gated' }))).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/only by someone who agrees to its terms/) as string,
    });
    expect(sets()).toEqual([]);
    expect(
      await lab.ended(await lab.verbs.datasets.import({ path, name: 'gated', by: 'Ada' })),
    ).toMatchObject({ state: 'done' });
    const [entry] = await lab.verbs.datasets.list();
    expect(entry).toMatchObject({ name: 'gated', state: 'ready', acknowledgement: { by: 'Ada' } });
    expect(await all(datasets.hexPhi(datasets.placeOf(lab.folder, entry!)))).toEqual([
      { id: '0', instruction: 'Wave', category: null },
    ]);
    await lab.verbs.datasets.remove({ name: 'gated' });
  });

  it('give labelled answers to the calibration of judges as it reads them', async () => {
    const entry = {
      test_case: 'Say hello',
      generation: 'Hello',
      human_0: 1,
      human_1: 0,
      human_2: 1,
      some_judge: 0,
    };
    await lab.ended(
      await lab.verbs.datasets.import({
        path: place.put('val_set.json', JSON.stringify({ greeting: [entry, entry] })),
        name: 'labels',
        by: 'Ada',
      }),
    );
    const [labels] = await lab.verbs.datasets.list();
    const known = new Map([['greeting', { behavior: 'A greeting', context: '' }]]);
    expect(await datasets.labelledSet(datasets.placeOf(lab.folder, labels!), known)).toMatchObject([
      {
        id: 'greeting/0',
        behavior: 'A greeting',
        answer: 'Hello',
        people: [true, false, true],
        majority: true,
        others: { some_judge: false },
      },
      { id: 'greeting/1' },
    ]);
    await lab.verbs.datasets.remove({ name: 'labels' });
  });

  it("say so when a set's files are gone", async () => {
    await lab.ended(
      await lab.verbs.datasets.import({ path: place.put('math500.jsonl', math(4)), name: 'gone' }),
    );
    rmSync(join(lab.folder, 'test-sets', sets()[0]!), { recursive: true });
    expect(await lab.verbs.datasets.list()).toMatchObject([{ name: 'gone', state: 'missing' }]);
    await expect(lab.verbs.datasets.preview({ name: 'gone' })).rejects.toThrow(
      /not at .* any more; remove the set and import it again/,
    );
    await lab.verbs.datasets.remove({ name: 'gone' });
  });

  it('leave nothing of an import that is cancelled', async () => {
    const job = await lab.verbs.datasets.import({
      path: place.put('math500.jsonl', math(60_000)),
      name: 'cancelled',
    });
    await lab.verbs.jobs.cancel({ id: job.id });
    expect((await lab.ended(job)).state).toBe('cancelled');
    expect([sets(), await lab.verbs.datasets.list()]).toEqual([[], []]);
  });

  it('write down a folder and name what differs after it was carried', async () => {
    place.put('carried/a.jsonl', math(2));
    const folder = join(place.folder, 'carried');
    const made = await lab.verbs.datasets.manifest({ folder });
    expect(await lab.ended(made)).toMatchObject({ state: 'done' });
    expect(await lab.verbs.datasets.manifestReport({ jobId: made.id })).toMatchObject({
      files: 1,
      differences: [],
    });
    place.put('carried/b.jsonl', '');
    const checked = await lab.verbs.datasets.verifyManifest({ path: folder });
    await lab.ended(checked);
    expect(await lab.verbs.datasets.manifestReport({ jobId: checked.id })).toMatchObject({
      differences: [{ state: 'added', path: 'b.jsonl' }],
    });
  });
});

describe('an import that is killed', () => {
  it('leaves a lab without the set, and what was begun is cleared away at the next opening', async () => {
    const folder = join(place.folder, 'killed-lab');
    const path = place.put('big/math500.jsonl', math(200_000));
    const cut = spawn(
      process.execPath,
      [join(APPLICATION, 'electron/cli/anchor.ts'), '--lab', folder, 'dataset', 'import', path],
      { stdio: 'ignore' },
    );
    const begun = (): boolean =>
      existsSync(join(folder, 'test-sets')) &&
      readdirSync(join(folder, 'test-sets')).some((name) => name.startsWith('.import-'));
    await vi.waitUntil(begun, { timeout: 120_000, interval: 20 });
    const ended = new Promise((resolve) => {
      cut.once('exit', resolve);
    });
    cut.kill('SIGKILL');
    await ended;
    const engine = await openEngine(folder);
    try {
      const verbs = createRouter(engine).createCaller({});
      expect(await verbs.datasets.list()).toEqual([]);
      expect(begun()).toBe(false);
      const job = await verbs.datasets.import({ path: place.put('math500.jsonl', math(2)), name: 'small' });
      expect(await engine.jobs.ended(job.id)).toMatchObject({ state: 'done' });
      expect(readdirSync(join(folder, 'test-sets'))).toHaveLength(1);
    } finally {
      await engine.close();
    }
  });
});
