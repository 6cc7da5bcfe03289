import { describe, expect, it } from 'vitest';
import type { StepCommit } from '../../../electron/contract/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import { hex, makeCheckpoint, makeCommit, makeConfig, makeInitial } from './support/make-records.ts';

const [CHALLENGER, SOLVER] = ['challenger', 'solver'];

/** A run of two weight sets, as a framework of several stages makes them. */
function twoRoles(lab: Lab): void {
  lab.createRun({ id: 'two', config: makeConfig('two roles'), folder: 'runs/two' });
  const checkpoints = [makeCheckpoint(0, SOLVER), makeCheckpoint(0, CHALLENGER)];
  lab.putInitial('two', { ...makeInitial(), checkpoints });
}

function commitOf(step: number, stage: string, role: string | null, iteration = 1): StepCommit {
  const commit = makeCommit(step);
  const checkpoint = role === null ? null : makeCheckpoint(step, role);
  return {
    ...commit,
    checkpoint,
    step: { ...commit.step, stage, iteration, role, weightsSha256: checkpoint?.weightsSha256 ?? null },
  };
}

describe('a stage that trains nothing', () => {
  it('is committed without weights and read back exactly as it was given', () =>
    inLab((lab) => {
      const commit = commitOf(2, 'label', null);
      expect(lab.commitStep('a', commit)).toMatchObject({
        applied: true,
        event: { body: { stage: 'label', iteration: 1, role: null, weightsSha256: null } },
      });
      expect(lab.getCommit('a', 2)).toEqual(commit);
      expect(lab.getCheckpoint('a', 2)).toBeNull();
      expect(lab.latestCheckpoint('a')).toEqual(makeCheckpoint(1));
      expect(lab.commitStep('a', commit)).toEqual({ applied: false, event: null });
      expect(lab.commitStep('a', makeCommit(3)).applied).toBe(true);
      expect(lab.latestCheckpoint('a')).toEqual(makeCheckpoint(3));
      expect(lab.checkIntegrity()).toEqual([]);
    }, 1));
});

describe('a run of two roles', () => {
  const SCHEDULE = [
    commitOf(1, 'challenge', CHALLENGER!),
    commitOf(2, 'label', null),
    commitOf(3, 'solve', SOLVER!),
    commitOf(4, 'challenge', CHALLENGER!, 2),
  ];

  it('has checkpoints of each, and the newest of each wherever the other stands', () =>
    inLab((lab) => {
      twoRoles(lab);
      expect(lab.getInitial('two')?.checkpoints.map(({ role }) => role)).toEqual([CHALLENGER, SOLVER]);
      for (const commit of SCHEDULE) lab.commitStep('two', commit);
      for (const commit of SCHEDULE) expect(lab.getCommit('two', commit.step.step)).toEqual(commit);
      expect(lab.latestCheckpoint('two', CHALLENGER)).toEqual(makeCheckpoint(4, CHALLENGER));
      expect(lab.latestCheckpoint('two', SOLVER)).toEqual(makeCheckpoint(3, SOLVER));
      expect(lab.latestCheckpoint('two', 'nobody')).toBeNull();
      expect(lab.listCheckpoints('two').map(({ step, role }) => `${step} ${role}`)).toEqual([
        '0 challenger',
        '0 solver',
        '1 challenger',
        '3 solver',
        '4 challenger',
      ]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('starts the same whatever the order its checkpoints are given in', () =>
    inLab((lab) => {
      twoRoles(lab);
      const checkpoints = [makeCheckpoint(0, CHALLENGER), makeCheckpoint(0, SOLVER)];
      expect(lab.putInitial('two', { ...makeInitial(), checkpoints }).applied).toBe(false);
    }));

  it('lets the checkpoint of one role go without the other', () =>
    inLab((lab) => {
      twoRoles(lab);
      for (const commit of SCHEDULE) lab.commitStep('two', commit);
      expect(lab.markCheckpointPruned('two', 0, SOLVER)).toBe(true);
      expect(lab.markCheckpointPruned('two', 0, SOLVER)).toBe(false);
      expect(lab.markCheckpointPruned('two', 1, SOLVER)).toBe(false);
      expect(lab.listCheckpoints('two').map(({ step, role }) => `${step} ${role}`)).toEqual([
        '0 challenger',
        '1 challenger',
        '3 solver',
        '4 challenger',
      ]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('finds its steps by stage and iteration', () =>
    inLab((lab) => {
      twoRoles(lab);
      for (const commit of SCHEDULE) lab.commitStep('two', commit);
      const stepsOf = (place: { stage?: string; iteration?: number; after?: number }) =>
        lab.listSteps('two', place).map(({ step }) => step);
      expect(stepsOf({ stage: 'challenge' })).toEqual([1, 4]);
      expect(stepsOf({ stage: 'challenge', iteration: 2 })).toEqual([4]);
      expect(stepsOf({ iteration: 1, after: 1 })).toEqual([2, 3]);
      expect(stepsOf({ stage: 'practice' })).toEqual([]);
    }));

  it('cannot start with two checkpoints of one role, or with none', () =>
    inLab(async (lab) => {
      lab.createRun({ id: 'b', config: makeConfig(), folder: 'runs/b' });
      const start = (checkpoints: ReturnType<typeof makeCheckpoint>[]) => () =>
        lab.putInitial('b', { ...makeInitial(), checkpoints });
      expect((await failureOf(start([makeCheckpoint(0, SOLVER), makeCheckpoint(0, SOLVER)]))).message).toBe(
        'Run "b" must start with one checkpoint of "solver", not several.',
      );
      expect((await failureOf(start([]))).kind).toBe('badRecord');
    }));
});

describe('a step and its checkpoint', () => {
  const one = commitOf(1, 'solve', SOLVER!);
  const refused: [string, StepCommit, string][] = [
    [
      'a step that trains a role the run did not begin with',
      commitOf(1, 'solve', 'judge'),
      'Step 1 of run "two" trains "judge", but the run began with "challenger", "solver".',
    ],
    [
      'a step that trains and brings no checkpoint',
      { ...one, checkpoint: null },
      'Step 1 of run "two" trains "solver", so it must bring its checkpoint.',
    ],
    [
      'a step that brings the checkpoint of another role',
      { ...one, checkpoint: { ...one.checkpoint!, role: CHALLENGER! } },
      'Step 1 of run "two" trains "solver" but brings a checkpoint of "challenger".',
    ],
    [
      'a step that trains nothing and brings a checkpoint',
      { ...one, step: { ...one.step, role: null } },
      'Step 1 of run "two" trains nothing, so it must not bring a checkpoint.',
    ],
    [
      'a step that trains nothing and names new weights',
      { ...one, checkpoint: null, step: { ...one.step, role: null, weightsSha256: hex('w') } },
      'Step 1 of run "two" trains nothing, so it must not name new weights.',
    ],
  ];
  it.each(refused)('%s is refused whole', (_what, commit, sentence) =>
    inLab(async (lab) => {
      twoRoles(lab);
      const failure = await failureOf(() => lab.commitStep('two', commit));
      expect([failure.kind, failure.message]).toEqual(['badRecord', sentence]);
      expect(lab.getRun('two')?.committedSteps).toBe(0);
      expect(lab.listRollouts('two', 1)).toEqual([]);
    }),
  );
});

describe('a name that a framework chooses', () => {
  const commit = makeCommit(1);
  const [rollout, task] = [commit.rollouts[0]!, commit.tasks[0]!];
  const wrong: [string, StepCommit][] = [
    ['step.stage', { ...commit, step: { ...commit.step, stage: 'Self play' } }],
    ['step.role', { ...commit, step: { ...commit.step, role: '' } }],
    ['checkpoint.role', { ...commit, checkpoint: { ...commit.checkpoint!, role: '../policy' } }],
    ['tasks.0.origin', { ...commit, tasks: [{ ...task, origin: 'a'.repeat(41) }] }],
    ['rollouts.0.batch', { ...commit, rollouts: [{ ...rollout, batch: 'gen code' }] }],
    ['rollouts.0.purpose', { ...commit, rollouts: [{ ...rollout, purpose: '2nd' }] }],
    ['rollouts.0.role', { ...commit, rollouts: [{ ...rollout, role: 'sölver' }] }],
  ];
  it.each(wrong)('is refused with one sentence when %s is not of its shape', (field, spoilt) =>
    inLab(async (lab) => {
      const failure = await failureOf(() => lab.commitStep('a', spoilt));
      expect([failure.kind, failure.message]).toEqual([
        'badRecord',
        `The step 1 of run "a" cannot be stored: ${field}: a name has at most 40 lower-case letters, digits, "_" and "-", and begins with a letter.`,
      ]);
    }),
  );

  it('must be a round counted from 1', () =>
    inLab(async (lab) => {
      const failure = await failureOf(() =>
        lab.commitStep('a', { ...commit, step: { ...commit.step, iteration: 0 } }),
      );
      expect(failure.message).toContain('step.iteration');
    }));
});
