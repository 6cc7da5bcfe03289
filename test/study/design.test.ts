import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { drawPrompts } from '../../electron/evolution/rewarded-prompts/stage.ts';
import {
  rewardedPromptSchema,
  type AzrConfig,
  type FixedTasksConfig,
  type RunConfig,
  type RzeroConfig,
} from '../../electron/contract/index.ts';
import { seedRecordSchema } from '../../electron/evolution/index.ts';
import { loadGuidance, readJsonLines, resourcePaths } from '../../electron/library/index.ts';
import {
  ARMS,
  armsOf,
  COMPARED,
  configOf,
  PRACTICE,
  REWARDED_SHARES,
  runKey,
  SAFETY_LINE,
  TRACE_LINE,
  type Arm,
  type StudyRun,
} from '../../electron/experiments/study/arms.ts';
import type { StudyOptions } from '../../electron/experiments/index.ts';
import { readOptions } from './options.ts';
import { askedUnder, lenderOf, plannedRuns, pointsOf } from '../../electron/experiments/study/points.ts';

const triplets = (file: string): string[] =>
  readJsonLines(file, z.looseObject({ program: z.string(), input: z.string() })).map(
    ({ program, input }) => `${program} on ${input}`,
  );
const root = join(import.meta.dirname, '../..');
const paths = resourcePaths(root);
const PLAN = { framework: 'azr', steps: 40, every: 10 } as const;
const { suites: SUITES, curves: CURVES, traced: TRACED } = askedUnder('azr');
const options = (...args: string[]): StudyOptions => readOptions(args, root) as StudyOptions;

describe('The study', () => {
  it('by default has five seeds, forty steps, every arm that is compared and both shares of rewarded prompts; tracing is fixed without them only', () => {
    const runs = plannedRuns(options());
    expect(runs).toHaveLength(5 * (6 + 5));
    expect(
      new Set(runs.flatMap(({ arm, rewardedShare }) => (arm === 'traced' ? [rewardedShare] : []))),
    ).toEqual(new Set([0]));
    expect(new Set(runs.map(runKey)).size).toBe(runs.length);
    expect(runs.map(({ arm }) => arm)).not.toContain('practice');
    expect(plannedRuns(options('--only', 'practice')).map(runKey)).toEqual(
      [101, 102, 103, 104, 105].map((seed) => `practice/0/${seed}`),
    );
    expect(options()).toMatchObject({ steps: 40, every: 10, items: 100, jobs: 2 });
  });

  it('finishes one seed after the other, so that it can be stopped at any time', () => {
    const runs = plannedRuns(options('--seeds', '3'));
    expect(runs.map((run) => run.seed)).toEqual(runs.map((run) => run.seed).toSorted((a, b) => a - b));
    expect(new Set(runs.slice(0, 11).map(({ arm, rewardedShare }) => `${arm}${rewardedShare}`)).size).toBe(
      11,
    );
  });

  it.each(REWARDED_SHARES)(
    'trains on 48 answers in every step at a share %s of rewarded prompts',
    (rewardedShare) => {
      const config = configOf({ arm: 'alone', rewardedShare, seed: 1 }, PLAN);
      const { taskTypes, batchSize } = config.framework as AzrConfig;
      const selfPlay = 2 * taskTypes.length * batchSize;
      const rated = drawPrompts(
        config,
        1,
        selfPlay,
        readJsonLines(paths.rewardedPrompts, rewardedPromptSchema),
      ).reduce((sum, prompt) => sum + prompt.samples, 0);
      expect([selfPlay + rated, rated]).toEqual([48, rewardedShare * 48]);
    },
  );

  it('differs between its arms in supervision and the name alone', () => {
    const config = (arm: Arm): ReturnType<typeof configOf> =>
      configOf({ arm, rewardedShare: 0.25, seed: 3 }, PLAN);
    for (const arm of COMPARED)
      expect({ ...config(arm), name: '', supervision: null }).toEqual({
        ...config('alone'),
        name: '',
        supervision: null,
      });
    const { contextText, ...filler } = config('filler').supervision;
    expect([contextText, filler]).toEqual([
      'filler',
      (({ contextText: _, ...rest }) => rest)(config('supervised').supervision),
    ]);
    expect({ ...config('rubric').supervision, reviewer: 'llama' }).toEqual(config('supervised').supervision);
    expect({ ...config('traced').supervision, fixedContext: [] }).toEqual(config('alone').supervision);
    expect({ ...config('constant').supervision, fixedContext: [] }).toEqual(config('alone').supervision);
    const { placing, ...shuffled } = config('shuffled').supervision;
    expect([placing, shuffled]).toEqual(['shuffled', config('supervised').supervision]);
    expect(Object.values(config('always').supervision.phases)).toEqual([1, 1, 1, 1, 1]);
    expect(Object.values(config('alone').supervision.phases)).toEqual([0, 0, 0, 0, 0]);
  });

  it('makes two arms of what supervised runs brought: of the same seed, or of the next one', () => {
    const two = { seeds: 2, firstSeed: 101 };
    const run = (arm: Arm, seed: number): StudyRun => ({ arm, rewardedShare: 0.25, seed });
    expect(lenderOf(run('told', 102), two)).toEqual(run('supervised', 102));
    expect(lenderOf(run('yoked', 101), two)).toEqual(run('supervised', 102));
    expect(lenderOf(run('yoked', 102), two)).toEqual(run('supervised', 101));
    expect(lenderOf(run('filler', 101), two)).toBeNull();
    const lender = { id: 'run-a', context: ['Refuse unsafe requests.', 'Trace each step.'] };
    const supervision = (arm: Arm): RunConfig['supervision'] =>
      configOf(run(arm, 101), PLAN, lender).supervision;
    expect(supervision('told')).toEqual({
      ...configOf(run('alone', 101), PLAN).supervision,
      fixedContext: lender.context,
    });
    expect(supervision('yoked')).toEqual({
      ...configOf(run('supervised', 101), PLAN).supervision,
      reviewer: 'yoked',
      reviewerSettings: { run: 'run-a' },
    });
  });

  it('takes a run that is made of another seed after all that it may be made of', () => {
    const runs = plannedRuns(options('--only', 'supervised,told,yoked', '--seeds', '2')).map(runKey);
    expect(runs.slice(-4).every((key) => key.startsWith('yoked/'))).toBe(true);
    for (const key of runs.filter((one) => one.startsWith('told/')))
      expect(runs.indexOf(key)).toBeGreaterThan(runs.indexOf(key.replace('told', 'supervised')));
  });

  it('practises on tasks of its own, all of which it can read, in place of proposals', () => {
    const practice = configOf({ arm: 'practice', rewardedShare: 0, seed: 3 }, PLAN);
    const traced = configOf({ arm: 'traced', rewardedShare: 0, seed: 3 }, PLAN);
    const { framework, train, ...rest } = practice;
    expect(framework).toMatchObject({
      name: 'fixed-tasks',
      tasks: PRACTICE.tasks,
      taskTypes: ['abduction', 'deduction'],
      batchSize: 48,
    });
    expect(train).toEqual({ ...traced.train, learningRate: 1e-4 });
    const { framework: selfPlay, train: _, ...others } = traced;
    expect({ ...rest, name: '' }).toEqual({ ...others, name: '' });
    const {
      name: __,
      tasks: ___,
      taskTypes: ____,
      batchSize: _____,
      ...shared
    } = framework as FixedTasksConfig;
    expect(selfPlay).toMatchObject(shared);
    expect(readJsonLines(PRACTICE.tasks, seedRecordSchema)).toHaveLength(4096);
    const asked = new Set(triplets(join(root, 'resources/suites/toy-deduction.jsonl')));
    expect([asked.size, triplets(PRACTICE.tasks).filter((task) => asked.has(task))]).toEqual([1000, []]);
  });

  it('fixes the wording that reviews bring and the policy was trained on', () => {
    const { keys } = loadGuidance(paths.prompts('compact'));
    expect([keys['trace']?.phrases[0], keys['refuse']?.phrases[0]]).toEqual([TRACE_LINE, SAFETY_LINE]);
  });

  it('asks the curves on the way, everything at the end, and the end once more under a context', () => {
    for (const arm of ARMS) {
      const points = pointsOf({ arm, rewardedShare: 0, seed: 1 }, PLAN);
      expect(points.map(({ step, suites }) => [step, suites])).toEqual([
        [10, CURVES],
        [20, CURVES],
        [30, CURVES],
        [40, SUITES],
        [40, points.at(-1)?.context === 'trace' ? TRACED : SUITES],
      ]);
      expect(points.at(-1)?.context).toBe(
        ['alone', 'traced', 'practice', 'shared'].includes(arm) ? 'trace' : 'final',
      );
    }
    expect(
      pointsOf({ arm: 'alone', rewardedShare: 0, seed: 1 }, { ...PLAN, steps: 25 }).map(({ step }) => step),
    ).toEqual([10, 20, 25, 25]);
  });
});

describe('Of R-Zero', () => {
  const plan = { framework: 'rzero', steps: 39, every: 13 } as const;
  const config = (arm: Arm, rewardedShare: StudyRun['rewardedShare'] = 0): RunConfig =>
    configOf({ arm, rewardedShare, seed: 3 }, plan);

  it('asks what it practises, and of conduct, and nothing of programs', () => {
    expect(askedUnder('rzero')).toEqual({
      suites: ['toy-questions', 'toy-arithmetic', 'toy-refusal', 'toy-over-refusal', 'toy-memory'],
      curves: ['toy-questions', 'toy-refusal', 'toy-memory'],
      traced: ['toy-questions'],
    });
    expect(SUITES).not.toContain('toy-questions');
    expect(SUITES).toHaveLength(7);
  });

  it('trains its solver on as many answers with rewarded prompts as without', () => {
    const prompts = readJsonLines(paths.rewardedPrompts, rewardedPromptSchema);
    for (const rewardedShare of REWARDED_SHARES) {
      const { framework, ...rest } = config('alone', rewardedShare);
      const { solve } = framework as RzeroConfig;
      const own = solve.prompts * solve.samples;
      const rated = drawPrompts({ ...rest, framework } as RunConfig, 9, own, prompts);
      expect(own + rated.reduce((sum, { samples }) => sum + samples, 0)).toBe(48);
    }
  });

  it('has an arm with one set of weights, which is alone otherwise', () => {
    const [shared, alone] = [config('shared'), config('alone')];
    expect(shared.framework).toEqual({ ...alone.framework, roles: 'shared' });
    expect({ ...shared, name: '', framework: null }).toEqual({ ...alone, name: '', framework: null });
    expect(alone.policy.model).toBe('embedded-questions');
    expect(armsOf('rzero')).toContain('shared');
    expect(armsOf('azr')).not.toContain('shared');
    expect(armsOf('rzero')).not.toContain('practice');
  });

  it('is asked for by name, with arms that it has', () => {
    expect(options('--framework', 'rzero', '--only', 'alone,shared')).toMatchObject({
      framework: 'rzero',
      arms: ['alone', 'shared'],
    });
    expect(() => options('--only', 'shared')).toThrow('--only knows');
    expect(() => options('--framework', 'grpo')).toThrow('--framework knows azr, rzero, not "grpo".');
  });
});

describe('Its options', () => {
  it('choose arms, shares of rewarded prompts and a folder', () => {
    expect(options('--only', 'filler, alone', '--rewarded-share', '0.25', '--folder', '/x/y')).toMatchObject({
      arms: ['alone', 'filler'],
      rewardedShares: [0.25],
      folder: '/x/y',
    });
    expect(readOptions(['--help'], root)).toBe('help');
  });

  it.each([
    [['--steps', '0'], /--steps takes a whole number from 1, not "0"/],
    [['--jobs', '3'], /--jobs takes a whole number from 1 to 2/],
    [['--only', 'alone,none'], /--only knows alone, .* not "none"/],
    [['--rewarded-share', '0.5'], /--rewarded-share knows 0, 0.25, not "0.5"/],
    [
      ['--only', 'alone,told'],
      /The arm told is made of what supervised runs brought; add supervised to --only/,
    ],
    [['--only', 'supervised,yoked', '--seeds', '1'], /yoked takes the reviews of another seed/],
    [['--speed', '9'], /--speed.*--help lists the options/],
  ])('are refused in one sentence: %s', (args, sentence) => {
    expect(() => readOptions(args, root)).toThrow(sentence);
  });
});
