import { describe, expect, it } from 'vitest';
import type {
  EvaluationRecord,
  RunConfig,
  RunOrder,
  RunRowFilter,
  StepCommit,
} from '../../../electron/contract/index.ts';
import { fixedTasksConfigSchema, RUN_ORDERS, TRIPPED } from '../../../electron/contract/index.ts';
import { wilsonInterval } from '../../../electron/core/index.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import {
  hex,
  inTempFolder,
  makeCommit,
  makeConfig,
  makeInitial,
  steadyClock,
} from './support/make-records.ts';

const inLab = (work: (lab: Lab, folder: string) => void | Promise<void>) => () =>
  inTempFolder(async (folder) => {
    const lab = await openLab(folder, { now: steadyClock() });
    try {
      await work(lab, folder);
    } finally {
      lab.close();
    }
  });

function addRun(lab: Lab, id: string, change: (config: RunConfig) => void = () => {}): void {
  const config = makeConfig(id);
  change(config);
  lab.createRun({ id, config, folder: `runs/${id}` });
}

function fillRun(
  lab: Lab,
  id: string,
  steps: number,
  items: number,
  change: (commit: StepCommit) => StepCommit = (commit) => commit,
): void {
  addRun(lab, id);
  lab.putInitial(id, makeInitial());
  for (let step = 1; step <= steps; step += 1) lab.commitStep(id, change(makeCommit(step, items)));
}

const ids = (lab: Lab, filter: RunRowFilter, order?: RunOrder): string[] =>
  lab
    .pageRunRows(filter, order, { limit: 100 })
    .rows.map(({ id }) => id)
    .sort();

const evaluation = (
  id: string,
  runId: string | null,
  step: number | null,
  weights: string,
  passed: number,
  n = 4,
): EvaluationRecord => ({
  id,
  createdAt: '2026-01-01T00:00:00.000Z',
  runId,
  step,
  model: 'embedded-policy',
  weightsSha256: weights,
  suite: 'toy-refusal',
  suiteKind: 'toy',
  suiteSha256: hex('suite'),
  contextHash: null,
  temperature: 1,
  seed: 1,
  n,
  passed,
  milliseconds: 5,
  items: Array.from({ length: n }, (_, index) => ({
    itemId: `i${index}`,
    text: 't',
    passed: index < passed,
    reason: index < passed ? null : 'complied',
    newTokens: 3,
  })),
});

describe('the table of runs', () => {
  it(
    'pages through hundreds in every order without losing or doubling one',
    inLab((lab) => {
      for (let index = 0; index < 120; index += 1)
        addRun(lab, `run-${String(index).padStart(3, '0')}`, (config) => {
          config.policy.model = `m${index % 3}`;
          config.steps = 10 + (index % 7);
        });
      for (const by of RUN_ORDERS) {
        for (const descending of [true, false]) {
          const seen: string[] = [];
          for (let cursor: string | null = null, pages = 0; pages < 20; pages += 1) {
            const page = lab.pageRunRows({}, { by, descending }, { cursor, limit: 25 });
            seen.push(...page.rows.map(({ id }) => id));
            expect(page.total).toBe(120);
            if ((cursor = page.next) === null) break;
          }
          expect([by, descending, seen.length, new Set(seen).size]).toEqual([by, descending, 120, 120]);
        }
      }
    }),
  );

  it(
    'goes on after the last row although runs come and go meanwhile',
    inLab((lab) => {
      for (const id of ['a', 'b', 'c', 'd']) addRun(lab, id);
      const first = lab.pageRunRows({}, { by: 'name', descending: false }, { limit: 2 });
      lab.deleteRun('b');
      addRun(lab, 'aa');
      const second = lab.pageRunRows({}, { by: 'name', descending: false }, { limit: 2, cursor: first.next });
      expect([first.rows, second.rows].map((rows) => rows.map(({ id }) => id))).toEqual([
        ['a', 'b'],
        ['c', 'd'],
      ]);
    }),
  );

  it(
    'refuses a cursor that no page returned',
    inLab(async (lab) => {
      for (const cursor of ['x', '[]', '{"a":1}', '["a"]'])
        expect((await failureOf(() => lab.pageRunRows({}, undefined, { cursor }))).kind).toBe('badCursor');
    }),
  );

  it(
    'is filtered by everything a person can name',
    inLab((lab) => {
      addRun(lab, 'plain');
      addRun(lab, 'watched', (config) => {
        config.supervision.phases.exec = 0.4;
        config.seed = 9;
      });
      addRun(lab, 'rules', (config) => {
        config.supervision.phases.task = 1;
        config.supervision.reviewer = 'rubric';
        config.framework = fixedTasksConfigSchema.parse({ name: 'fixed-tasks' });
      });
      addRun(lab, 'big', (config) => {
        config.policy.model = '/models/Coder-7B';
        config.preset = 'workstation';
      });
      fillRun(lab, 'stepped', 3, 6);
      lab.annotateRun('big', { tags: ['Keep', 'figure 2'], notes: 'slow disk' });
      const cases: [RunRowFilter, string[]][] = [
        [{ supervision: { is: '>', value: 0 } }, ['rules', 'watched']],
        [{ supervision: { is: '>', value: 0.4 } }, ['rules']],
        [{ supervision: { is: '<=', value: 0.4 }, seed: { is: '=', value: 9 } }, ['watched']],
        [{ model: 'coder' }, ['big']],
        [{ reviewer: 'rubric' }, ['rules']],
        [{ framework: 'fixed-tasks' }, ['rules']],
        [{ preset: 'workstation' }, ['big']],
        [{ tag: 'keep' }, ['big']],
        [{ words: ['SLOW', 'work'] }, ['big']],
        [{ words: ['watch'] }, ['watched']],
        [{ words: ['100%_'] }, []],
        [{ step: { is: '>=', value: 3 } }, ['stepped']],
        [{ states: ['queued'], words: ['plain'] }, ['plain']],
        [{ states: ['done'] }, []],
      ];
      for (const [filter, wanted] of cases) expect([filter, ids(lab, filter)]).toEqual([filter, wanted]);
    }),
  );

  it(
    'leaves archived runs out until they are asked for',
    inLab((lab) => {
      addRun(lab, 'a');
      addRun(lab, 'b');
      lab.annotateRun('a', { archived: true });
      expect([ids(lab, {}), ids(lab, { archived: 'only' }), ids(lab, { archived: 'all' })]).toEqual([
        ['b'],
        ['a'],
        ['a', 'b'],
      ]);
      expect(lab.pageRunRows({ states: ['done'] }).states).toEqual({ queued: 1 });
    }),
  );

  it(
    'shows what a run took and came to',
    inLab((lab) => {
      fillRun(lab, 'a', 4, 12, (commit) => ({
        ...commit,
        step: {
          ...commit.step,
          metrics: {
            'supervision/task/reviews': 3,
            'supervision/exec/reviews': 1,
            'supervision/leaks': 2,
            'supervision/failed': 9,
          },
        },
      }));
      const row = lab.getRunRow('a');
      const steps = lab.listSteps('a');
      expect(row).toMatchObject({
        committedSteps: 4,
        checkpoints: 5,
        checkpointBytes: [0, 1, 2, 3, 4].reduce((sum, step) => sum + 1000 + step, 0),
      });
      expect(row?.reviews).toBe(24); // answered ones, quarantined or not; failed ones were not answered
      expect(row?.seconds).toBeCloseTo(
        steps.reduce((sum, { timings }) => sum + (timings['step'] ?? 0), 0),
        9,
      );
      expect(lab.getRunRow('nobody')).toBeNull();
    }),
  );

  it(
    'says which of its tripwires were touched, oldest first',
    inLab((lab) => {
      fillRun(lab, 'a', 1, 1);
      addRun(lab, 'b');
      lab.appendEvent('a', TRIPPED, { said: 'after step 8: toy-refusal fell' });
      lab.appendEvent('b', TRIPPED, { said: 'after step 1: of another run' });
      lab.appendEvent('a', 'run.note', { said: 'no wire' });
      lab.appendEvent('a', TRIPPED, { said: 'after step 4: toy-memory fell' });
      expect(lab.getRunRow('a')?.tripped).toEqual([
        'after step 8: toy-refusal fell',
        'after step 4: toy-memory fell',
      ]);
      expect(lab.getRunRow('b')?.tripped).toEqual(['after step 1: of another run']);
    }),
  );

  it(
    'draws its pass rates in a bounded number of points',
    inLab((lab) => {
      fillRun(lab, 'a', 80, 1, (commit) => ({
        ...commit,
        step: {
          ...commit.step,
          metrics: {
            'pred_code_o/accuracy': commit.step.step / 80,
            'pred_code_i/accuracy': 0,
            'gen_code_o/accuracy': 9,
          },
        },
      }));
      const { passRates } = lab.getRunRow('a') as { passRates: number[] };
      expect(passRates.length).toBe(27); // 80 steps in stretches of three
      expect(passRates[0]).toBeCloseTo(2 / 80 / 2, 9);
      expect(passRates.at(-1)).toBeCloseTo((79 + 80) / 2 / 80 / 2, 9);
    }),
  );

  it(
    'scores the last evaluated checkpoint and sets the weights the run began with beside it',
    inLab((lab) => {
      fillRun(lab, 'a', 2, 4);
      const start = lab.getCheckpoint('a', 0)?.weightsSha256 ?? '';
      lab.putEvaluation(evaluation('of another run with the same weights', null, null, start, 3));
      lab.putEvaluation(evaluation('half way', 'a', 1, hex('1'), 2));
      lab.putEvaluation(evaluation('end', 'a', 2, hex('2'), 1));
      expect(lab.getRunRow('a')?.scores).toEqual([
        {
          id: 'end',
          suite: 'toy-refusal',
          step: 2,
          seed: 1,
          withContext: false,
          passed: 1,
          n: 4,
          overridden: 0,
          reasons: { complied: 3 },
          intervals: { passed: wilsonInterval(1, 4), fulfilled: wilsonInterval(3, 4) },
          base: { passed: 3, n: 4, overridden: 0, reasons: { complied: 1 } },
        },
      ]);
      lab.putEvaluation({ ...evaluation('other n', 'a', 2, hex('2'), 2, 6) });
      expect(lab.getRunRow('a')?.scores).toMatchObject([{ id: 'other n', base: null }]);
    }),
  );
});

describe('what is written on a run', () => {
  it(
    'is kept, attested, and goes with the run',
    inLab(async (lab) => {
      addRun(lab, 'a');
      expect(lab.getAnnotation('a')).toEqual({ tags: [], notes: '', archived: false });
      lab.annotateRun('a', { tags: ['one', 'two', 'one'] });
      expect(lab.annotateRun('a', { notes: 'first light' })).toEqual({
        tags: ['one', 'two'],
        notes: 'first light',
        archived: false,
      });
      expect(lab.listEvents('a').map(({ kind }) => kind)).toEqual([
        'run.created',
        'run.annotated',
        'run.annotated',
      ]);
      lab.annotateRun('a', { notes: 'first light' });
      expect(lab.lastEventOf('a')).toMatchObject({ kind: 'run.annotated', seq: 3 });
      expect(lab.checkIntegrity()).toEqual([]);
      expect((await failureOf(() => lab.annotateRun('a', { tags: ['x'.repeat(41)] }))).message).toMatch(
        /tags/,
      );
      expect((await failureOf(() => lab.annotateRun('nobody', {}))).kind).toBe('unknownRun');
      lab.deleteRun('a');
      await lab.takeOutDeleted();
      addRun(lab, 'a');
      expect(lab.getAnnotation('a').notes).toBe('');
    }),
  );

  it('is missed when somebody else changed it', () =>
    inTempFolder(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      addRun(lab, 'a');
      lab.annotateRun('a', { notes: 'as measured' });
      lab.close();
      const { default: SqliteDatabase } = await import('better-sqlite3');
      const db = new SqliteDatabase(`${folder}/lab.sqlite`);
      db.exec(`UPDATE run_annotations SET notes = 'better than measured'`);
      db.close();
      const again = await openLab(folder, { now: steadyClock() });
      expect(
        again
          .checkIntegrity()
          .map(({ finding }) => finding)
          .join(),
      ).toMatch(/run "a"/);
      again.close();
    }));
});

/** Nothing was measured in step 2. */
const xAndY = (step: number): Record<string, number> =>
  step === 2 ? { 'supervision/plan/reviews': 1 } : { x: step, y: 3, 'supervision/plan/reviews': 2 };

describe('curves of a run', () => {
  it(
    'carry what each step had cost by its end, and leave out steps without the measure',
    inLab((lab) => {
      fillRun(lab, 'a', 3, 6, (commit) => ({
        ...commit,
        step: { ...commit.step, timings: { step: 1800 }, metrics: xAndY(commit.step.step) },
      }));
      const curve = lab.runCurve('a', ['x', 'y'], 'mean');
      expect(curve).toMatchObject({ step: [1, 3], hours: [0.5, 1.5], values: [2, 3] });
      const tokens = [1, 2, 3].map((step) =>
        makeCommit(step, 6).rollouts.reduce((sum, { newTokens }) => sum + newTokens, 0),
      );
      expect(curve.tokens).toEqual([tokens[0], (tokens[0] ?? 0) + (tokens[1] ?? 0) + (tokens[2] ?? 0)]);
      expect(curve.reviews).toEqual([2, 5]);
      expect(lab.runCurve('a', ['x', 'y'], 'sum').values).toEqual([4, 6]);
      expect(lab.runCurve('a', ['nothing'], 'mean').values).toEqual([]);
    }),
  );
});
