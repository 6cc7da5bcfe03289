// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import {
  everyPhase,
  FRAMEWORKS,
  type PersonConfig,
  personConfigSchema,
  PHASES,
  reviewsOf,
  reviewTerms,
  type RunConfig,
  runConfigSchema,
  totals,
} from '../../../../electron/contract/index.ts';
import { AZR_PRESETS as PRESETS } from '../../../../electron/evolution/frameworks/azr/presets.ts';
import { english, type MessageId, type MessageValues } from '../../../../renderer/i18n/index.ts';
import {
  changed,
  draftChanges,
  mayChange,
  useDraft,
} from '../../../../renderer/rooms/new-run/model/draft.ts';
import type { Estimate } from '../../../../renderer/rooms/new-run/model/estimate.ts';
import { checkDraft, fieldsOf, shownValue } from '../../../../renderer/rooms/new-run/model/fields.ts';
import {
  entriesOf,
  firstValues,
  leavesOf,
  RUN_ENTRIES,
} from '../../../../renderer/rooms/new-run/model/schema.ts';
import { stepMarks, stepOf } from '../../../../renderer/rooms/new-run/model/steps.ts';
import {
  changedPaths,
  type Tree,
  valueAt,
  withValue,
} from '../../../../renderer/rooms/new-run/model/tree.ts';
import { readNumber } from '../../../../renderer/rooms/new-run/parts/leaf-control.tsx';
import {
  leavingOut,
  moved,
  PHASE_PRESETS,
  phasesOf,
} from '../../../../renderer/rooms/new-run/parts/phase-presets.tsx';

/** The catalogue's text with its values in place; plurals stay as they are written. */
const t = (id: MessageId, values: MessageValues = {}): string =>
  english[id].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
const demo = runConfigSchema.parse(PRESETS.demo) as RunConfig & Tree;
/** Every value of the demo, and each by its path. */
const ENTRIES = entriesOf(RUN_ENTRIES, demo);
const LEAVES = new Map(leavesOf(ENTRIES).map((leaf) => [leaf.path, leaf]));

describe('the values of a run, read from its schema', () => {
  it('every path of a whole configuration has a field', () => {
    const whole = runConfigSchema.parse({
      ...PRESETS.demo,
      train: { kl: { coefficient: 1, estimator: 'k1' }, dualClip: 3, miniBatch: 8 },
      supervision: { ...PRESETS.demo.supervision, reviewerSettings: {}, budgetSeconds: 9, human: {} },
      evaluation: { suites: ['x'] },
    });
    const paths = (value: unknown, path: string): string[] =>
      typeof value !== 'object' || value === null || Array.isArray(value) || LEAVES.has(path)
        ? [path]
        : Object.entries(value).flatMap(([key, inner]) => paths(inner, path === '' ? key : `${path}.${key}`));
    expect(paths(whole, '').filter((path) => !LEAVES.has(path))).toEqual([]);
  });

  it('every value says what it means', () => {
    const silent = ENTRIES.flatMap((entry) =>
      entry.kind === 'group' ? [entry, ...entry.leaves] : [entry],
    ).filter(({ path, description }) => !Object.hasOwn(english, `param.${path}`) && description === null);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it.each(FRAMEWORKS)(
    'every value of the framework %s says what it means and begins as the schema allows',
    (name) => {
      const config = changed({ config: demo, base: demo }, 'framework.name', name);
      const silent = leavesOf(entriesOf(RUN_ENTRIES, config)).filter(
        ({ path, description }) => !Object.hasOwn(english, `param.${path}`) && description === null,
      );
      expect(silent.map(({ path }) => path)).toEqual([]);
      expect(runConfigSchema.parse(config).framework).toEqual(valueAt(config, 'framework'));
    },
  );

  it('a value carries the schema’s default, bounds and options', () => {
    expect(LEAVES.get('rewardedPrompts.share')).toMatchObject({
      kind: 'number',
      whole: false,
      least: 0,
      most: 0.9,
      fallback: 0,
    });
    expect(LEAVES.get('steps')).toMatchObject({
      kind: 'number',
      whole: true,
      most: null,
      fallback: 24,
    });
    expect(LEAVES.get('train.miniBatch')).toMatchObject({
      kind: 'number',
      mayBeNone: true,
      fallback: null,
    });
    expect(LEAVES.get('framework.verifier')).toMatchObject({
      kind: 'choice',
      options: ['strict', 'azr-compat'],
    });
    expect(ENTRIES.find(({ path }) => path === 'train.kl')).toMatchObject({
      kind: 'group',
      absent: null,
    });
  });

  it.each(ENTRIES.flatMap((entry) => (entry.kind === 'group' && entry.path !== 'evaluation' ? [entry] : [])))(
    'a group that is switched on begins as something the schema accepts: $path',
    (group) => {
      expect(runConfigSchema.safeParse(withValue(demo, group.path, firstValues(group))).success).toBe(true);
    },
  );

  it('a group begins with the schema’s own values', () => {
    const person = ENTRIES.find(({ path }) => path === 'supervision.human');
    expect(person?.kind === 'group' && firstValues(person)).toEqual({
      share: 0.1,
      timeoutSeconds: 300,
      fallback: 'model',
    });
  });

  it('a group begins with nothing where nothing is what its values begin with', () => {
    const roles = ENTRIES.find(({ path }) => path === 'generation.roles');
    const none = { temperature: null, topP: null };
    expect(roles?.kind === 'group' && firstValues(roles)).toEqual({
      proposer: none,
      solver: none,
      estimator: none,
    });
  });

  it('every value belongs to a step of the plan', () => {
    expect(new Set(leavesOf(ENTRIES).map(({ path }) => stepOf(path)))).toEqual(
      new Set(['base', 'training', 'supervision', 'evaluation']),
    );
    expect(
      [
        'train.kl.coefficient',
        'checkpoints.keepEvery',
        'policy.model',
        'supervision.phases.exec',
        'sandbox.level',
      ].map(stepOf),
    ).toEqual(['training', 'evaluation', 'base', 'supervision', 'training']);
  });
});

describe('what is wrong with a plan', () => {
  it.each<[string, unknown, string]>([
    ['steps', 0, 'It must be above 0.'],
    ['steps', 2.5, 'It must be a whole number.'],
    ['steps', '', 'It must be a number.'],
    ['steps', 'many', 'It must be a number.'],
    ['rewardedPrompts.share', 0.95, 'It must be at most 0.9.'],
    ['train.weightDecay', -1, 'It must be at least 0.'],
    ['name', '', 'It must not be empty.'],
    ['name', 'x'.repeat(121), 'It may have at most 120 characters.'],
    ['framework.verifier', 'lenient', 'It must be one of strict, azr-compat.'],
    ['supervision.phases.task', 1.2, 'It must be at most 1.'],
  ])('a plan with %s = %j has a sentence at that field', (path, value, sentence) => {
    const { config, issues } = checkDraft(withValue(demo, path, value), t);
    expect(config).toBeNull();
    expect([...issues]).toEqual([[path, sentence]]);
  });

  it('what is wrong inside a list is said at the list', () => {
    const { issues } = checkDraft(withValue(demo, 'supervision.fixedContext', ['fine', '']), t);
    const fields = fieldsOf({
      config: demo,
      base: demo,
      issues,
      only: null,
      set: () => {},
      reset: () => {},
    });
    expect(fields.issue('supervision.fixedContext')).toBe('It must not be empty.');
    expect(fields.issue('supervision.model')).toBeUndefined();
  });

  it('a wrong value is counted at its step and at the last one', () => {
    const draft = withValue(withValue(demo, 'steps', 0), 'train.learningRate', 1);
    const marks = stepMarks({ config: draft, base: demo }, [
      ...checkDraft(draft, t).issues.keys(),
      'policy.model',
    ]);
    expect(marks).toEqual({
      base: { wrong: 1, changed: 0 },
      training: { wrong: 1, changed: 2 },
      supervision: { wrong: 0, changed: 0 },
      evaluation: { wrong: 0, changed: 0 },
      review: { wrong: 2, changed: 0 },
    });
  });

  it('a number out of range is told beside what else is wrong, not after it', () => {
    const wrong = withValue(withValue(demo, 'steps', 'many'), 'train.learningRate', 1e9);
    expect([...checkDraft(wrong, t).issues.keys()]).toEqual(['steps', 'train.learningRate']);
  });
});

describe('a draft', () => {
  beforeEach(() => useDraft.getState().clear());

  it('a draft knows what was changed from what it began as, and the way back', () => {
    const { begin, set, reset } = useDraft.getState();
    begin({ kind: 'preset', name: 'demo' }, demo);
    set('train.learningRate', 1e-6);
    set('name', 'mine');
    expect(draftChanges({ config: useDraft.getState().config as Tree, base: demo })).toEqual([
      'train.learningRate',
    ]);
    reset('train.learningRate');
    expect(valueAt(useDraft.getState().config as Tree, 'train.learningRate')).toBe(demo.train.learningRate);
    expect(demo.name).toBe('demo');
  });

  it('a draft lists a group that was added part by part, and resets into it to the schema’s own values', () => {
    const { begin, set, reset } = useDraft.getState();
    begin({ kind: 'preset', name: 'demo' }, demo);
    set('supervision.human', { share: 0.5, timeoutSeconds: 300, fallback: 'model' });
    expect(draftChanges({ config: useDraft.getState().config as Tree, base: demo })).toEqual([
      'supervision.human.share',
      'supervision.human.timeoutSeconds',
      'supervision.human.fallback',
    ]);
    reset('supervision.human.share');
    expect(valueAt(useDraft.getState().config as Tree, 'supervision.human.share')).toBe(0.1);
    set('supervision.human', undefined);
    expect(draftChanges({ config: useDraft.getState().config as Tree, base: demo })).toEqual([]);
  });

  it('a draft that may differ in its gate only takes no other change, until that is lifted', () => {
    const { begin, set, lift } = useDraft.getState();
    begin({ kind: 'run', runId: 'r', name: 'first' }, demo, { only: 'gate', name: 'first, another gate' });
    set('seed', 99);
    set('train.learningRate', 1);
    set('supervision.reviewer', 'rubric');
    set('supervision.phases', PHASE_PRESETS.exec);
    expect(
      changedPaths(demo, useDraft.getState().config as Tree).every(
        (path) => path === 'name' || path.startsWith('supervision.phases'),
      ),
    ).toBe(true);
    expect((useDraft.getState().config as RunConfig & Tree).supervision.phases).toEqual(PHASE_PRESETS.exec);
    expect(
      ['seed', 'supervision.model', 'supervision.phases.task', 'name'].map((path) => mayChange(path, 'gate')),
    ).toEqual([false, false, true, true]);
    lift();
    set('seed', 99);
    expect(valueAt(useDraft.getState().config as Tree, 'seed')).toBe(99);
  });

  it('a draft that an earlier version kept is read in its older spelling', async () => {
    const { framework, generation, ...rest } = demo;
    const { name, ...settings } = framework;
    const config = { ...rest, framework: name, azr: { ...settings, ...generation, batchSize: 3 } };
    localStorage.setItem(
      'anchor.new-run',
      JSON.stringify({ state: { config, base: config, origin: null, only: null }, version: 1 }),
    );
    await useDraft.persist.rehydrate();
    const kept = useDraft.getState().config as Tree;
    expect(valueAt(kept, 'framework')).toEqual({ ...framework, batchSize: 3 });
    expect(valueAt(kept, 'generation')).toEqual(generation);
    expect(useDraft.getState().base).toEqual(kept);
  });

  it('a draft survives a reload', () => {
    useDraft.getState().begin({ kind: 'preset', name: 'demo' }, demo);
    useDraft.getState().set('steps', 7);
    const kept = JSON.parse(localStorage.getItem('anchor.new-run') ?? '{}') as {
      state: { config: RunConfig; origin: unknown };
    };
    expect([kept.state.config.steps, kept.state.origin]).toEqual([7, { kind: 'preset', name: 'demo' }]);
  });

  it('is given a person who answers, also where it was held to be like another run, and keeps one it has', () => {
    const { begin, set, askPerson } = useDraft.getState();
    begin({ kind: 'run', runId: 'r', name: 'r' }, demo, { only: 'gate' });
    askPerson();
    const human = (): unknown => valueAt(useDraft.getState().config as Tree, 'supervision.human');
    expect([human(), useDraft.getState().only]).toEqual([
      { share: 0.1, timeoutSeconds: 300, fallback: 'model' },
      null,
    ]);
    set('supervision.human.share', 0.7);
    askPerson();
    expect(human()).toMatchObject({ share: 0.7 });
  });
});

describe('the probabilities', () => {
  it('the probabilities are set all at once, one by one, or held together', () => {
    expect(PHASE_PRESETS.full).toEqual(everyPhase(1));
    expect(moved(everyPhase(0.2), 'plan', 0.5, false)).toEqual({ ...everyPhase(0.2), plan: 0.5 });
    expect(moved({ ...everyPhase(0.2), exec: 1 }, 'plan', 0.5, true)).toEqual(everyPhase(0.5));
  });

  it.each(PHASES)(
    'leaving out %s keeps the others at the highest there is, and at 1 where all were off',
    (phase) => {
      expect(leavingOut(phase, { ...everyPhase(0.1), thought: 0.4 })).toEqual({
        ...everyPhase(0.4),
        [phase]: 0,
      });
      expect(leavingOut(phase, everyPhase(0))).toEqual({ ...everyPhase(1), [phase]: 0 });
    },
  );

  it('a plan that is being corrected still has five probabilities', () => {
    expect(phasesOf({ task: 'often', plan: 3, thought: 0.3 })).toEqual({
      task: 0,
      plan: 1,
      thought: 0.3,
      output: 0,
      exec: 0,
    });
  });
});

const measured = (value: number) => ({
  value,
  source: 'measured' as const,
  from: { kind: 'probe' as const },
  at: '2026-11-20T10:00:00.000Z',
  n: 3,
  load: null,
});
const estimate: Estimate = {
  trained: 64,
  proposals: 24,
  mostEstimates: 96,
  items: { task: 24, plan: 64, thought: 64, output: 40, exec: 8 },
  plans: measured(1),
  thoughts: measured(0.5),
  reviewSeconds: {
    task: measured(0.1),
    plan: measured(0.1),
    thought: measured(0.2),
    output: measured(0.1),
    exec: measured(0.5),
  },
  waited: null,
  load: null,
  stepSeconds: measured(10),
  stages: [],
  checkpointBytes: measured(30e6),
  checkpointsKept: 5,
  firstCheckpointBytes: 30e6,
  memory: { trainer: measured(700e6), supervisor: measured(150e6), totalBytes: 25e9, freeBytes: 15e9 },
  freeDiskBytes: 70e9,
  cores: 2,
};
const plan = (p: number, budgetSeconds: number | null = null, human?: PersonConfig): RunConfig => {
  const supervision = { ...demo.supervision, phases: everyPhase(p), budgetSeconds };
  return { ...demo, steps: 24, supervision: human === undefined ? supervision : { ...supervision, human } };
};

describe('the sums of an estimate', () => {
  it('the estimate expects p reviews per item that is written', () => {
    expect(PHASES.map((phase) => reviewsOf(phase, 0.5, estimate))).toEqual([12, 32, 16, 20, 4]);
  });

  it('the step time lies between all reviewing hidden and none of it', () => {
    const { supervisorSeconds, stepSeconds, ratio, totalSeconds } = totals(plan(0.5), estimate);
    expect(supervisorSeconds).toBeCloseTo(1.2 + 3.2 + 3.2 + 2 + 2, 9);
    expect([stepSeconds?.low, stepSeconds?.high]).toEqual([
      supervisorSeconds,
      10 + (supervisorSeconds as number),
    ]);
    expect(ratio?.low).toBeCloseTo(1.16, 9);
    expect(totalSeconds?.high).toBeCloseTo(24 * (10 + (supervisorSeconds as number)), 9);
  });

  it('the step time is one number where it is known how much of the reviewing is waited for, and never outside of the two', () => {
    const step = (share: number) => totals(plan(0.5), { ...estimate, waited: measured(share) }).stepSeconds;
    expect(step(0.4)?.low).toBeCloseTo(10 + 0.4 * 11.6, 9);
    expect(step(0.4)?.high).toBe(step(0.4)?.low);
    // All of 11.6 s cannot be hidden behind a step of 10 s.
    expect(step(0)?.low).toBeCloseTo(11.6, 9);
    expect(step(1)?.low).toBeCloseTo(21.6, 9);
  });

  it.each([
    ['no run has told', null],
    ['the last run waited for none of it', 0],
    ['the last run waited for a part', 0.4],
    ['the last run waited for all of it', 1],
  ])(
    'what is waited for, its share, step, ratio and whole run are one figure, however long the supervisor needs, where %s',
    (_, share) => {
      for (const p of [0.05, 0.25, 0.43, 0.5, 1]) {
        const known = { ...estimate, waited: share === null ? null : measured(share) };
        const sums = totals(plan(p), known);
        const reviewing = sums.supervisorSeconds as number;
        for (const end of ['low', 'high'] as const) {
          const waited = sums.waitedSeconds?.[end] as number;
          expect(sums.stepSeconds?.[end]).toBeCloseTo(10 + waited, 9);
          expect(sums.waitedShare?.[end]).toBeCloseTo(waited / reviewing, 9);
          expect(sums.ratio?.[end]).toBeCloseTo((10 + waited) / 10, 9);
          expect(sums.totalSeconds?.[end]).toBeCloseTo(24 * (10 + waited), 9);
          // As in a stored step: what is hidden is the supervisor's work less the wait, and no more than the rest of the step hides.
          expect(reviewing - waited).toBeLessThanOrEqual(10 + 1e-9);
        }
      }
    },
  );

  it('what a person answers is no work of the supervisor', () => {
    const human = personConfigSchema.parse({ share: 0.25 });
    expect(totals(plan(0.5, null, human), estimate).supervisorSeconds).toBeCloseTo(0.75 * 11.6, 9);
  });

  it('the disk holds the first checkpoint, which is a whole model, and the others', () => {
    const disk = (part: Partial<Estimate>): number | null =>
      totals(plan(0), { ...estimate, ...part }).checkpointBytes;
    expect(disk({})).toBe(5 * 30e6);
    expect(disk({ firstCheckpointBytes: 90e6 })).toBe(90e6 + 4 * 30e6);
    expect(disk({ firstCheckpointBytes: null })).toBeNull();
    expect(disk({ checkpointBytes: null })).toBeNull();
  });

  it('without supervision the estimate is the step alone and needs no supervisor', () => {
    const alone = totals(plan(0), {
      ...estimate,
      reviewSeconds: { task: null, plan: null, thought: null, output: null, exec: null },
      memory: { ...estimate.memory, supervisor: null },
    });
    expect(alone).toMatchObject({
      reviewsPerStep: 0,
      supervisorSeconds: 0,
      stepSeconds: { low: 10, high: 10 },
      ratio: { low: 1, high: 1 },
      memoryBytes: 700e6,
    });
  });

  it('what reviewing adds lies between what cannot be hidden and all of it, from terms that anybody can check', () => {
    const terms = reviewTerms({ ...everyPhase(0.5), exec: 0 }, estimate);
    expect(terms).toEqual([
      { phase: 'task', p: 0.5, items: 24, written: 1 },
      { phase: 'plan', p: 0.5, items: 64, written: 1 },
      { phase: 'thought', p: 0.5, items: 64, written: 0.5 },
      { phase: 'output', p: 0.5, items: 40, written: 1 },
    ]);
    const { reviewsPerStep, secondsAReview, waitedSeconds } = totals(plan(1), estimate);
    expect(reviewsPerStep).toBe(168);
    expect(secondsAReview).toBeCloseTo(23.2 / 168, 9);
    expect(waitedSeconds?.low).toBeCloseTo(13.2, 9);
    expect(waitedSeconds?.high).toBeCloseTo(23.2, 9);
    expect(totals(plan(0.25), estimate).waitedSeconds?.low).toBe(0);
    expect(totals(plan(1), { ...estimate, stepSeconds: null }).waitedSeconds?.low).toBe(0);
    expect(totals(plan(0), estimate).secondsAReview).toBeNull();
  });

  it('the estimate keeps to the seconds of reviewing that a step may take', () => {
    expect(totals(plan(1, 3), estimate).supervisorSeconds).toBe(3);
  });

  it('the estimate says nothing where a reviewed phase or the step was never timed', () => {
    expect(
      totals(plan(0.5), { ...estimate, reviewSeconds: { ...estimate.reviewSeconds, exec: null } }),
    ).toMatchObject({ supervisorSeconds: null, stepSeconds: null, totalSeconds: null });
    expect(totals(plan(0.5), { ...estimate, stepSeconds: null })).toMatchObject({
      stepSeconds: null,
      ratio: null,
    });
  });
});

describe('a number as it is typed', () => {
  it.each<[string, boolean, unknown]>([
    ['2e-4', false, 2e-4],
    ['0,5', false, 0.5],
    ['', false, ''],
    ['', true, null],
    ['1.', false, 1],
    ['many', false, 'many'],
    ['-', false, '-'],
    ['Infinity', false, 'Infinity'],
  ])('typed text %j becomes a number or stays what it is', (text, mayBeNone, value) => {
    expect(readNumber(text, mayBeNone)).toBe(value);
  });
});

describe('a value in a sentence', () => {
  it('is readable whatever it is made of', () => {
    const wire = { suite: 'toy-refusal', when: 'falls', by: 0.06, certain: false };
    expect([
      shownValue([wire], 'none'),
      shownValue(['a', 'b'], 'none'),
      shownValue({ coefficient: 0.1, estimator: null }, 'none'),
      shownValue([], 'none'),
    ]).toEqual([
      '{ suite: toy-refusal, when: falls, by: 0.06, certain: false }',
      'a, b',
      '{ coefficient: 0.1, estimator: none }',
      'none',
    ]);
  });
});
