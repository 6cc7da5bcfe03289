import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ReviewRecord, StepCommit, WordingRecord } from '../../../electron/contract/index.ts';
import { DATABASE_FILE, type InitialState } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import {
  hex,
  makeCheckpoint,
  makeCommit,
  makeConfig,
  makeContext,
  makeInitial,
  makeTask,
} from './support/make-records.ts';

/** Everything a step can be read back as. */
const readBack = (lab: Parameters<Parameters<typeof inLab>[0]>[0], step: number) => ({
  step: lab.getStep('a', step),
  rollouts: lab.listRollouts('a', step),
  reviews: lab.listReviews('a', step),
  summaries: lab.listSummaries('a', step),
  wordings: lab.listWordings('a', step),
  nextContext: lab.getContext('a', step + 1),
  generations: lab.listGenerations('a', step),
  checkpoint: lab.getCheckpoint('a', step),
});

describe('a committed step', () => {
  it('is read back exactly as it was given', () =>
    inLab((lab) => {
      for (const step of [1, 2, 3]) {
        const { tasks, ...rest } = makeCommit(step);
        expect(lab.commitStep('a', { tasks, ...rest })).toMatchObject({
          applied: true,
          event: { kind: 'step.committed', body: { step } },
        });
        expect(readBack(lab, step)).toEqual(rest);
        expect(lab.getTask('a', tasks[0]?.id ?? '')).toEqual(tasks[0]);
      }
      expect(lab.getRun('a')?.committedSteps).toBe(3);
      expect(lab.listSteps('a', { after: 1 }).map((step) => step.step)).toEqual([2, 3]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('can be committed again without effect', () =>
    inLab((lab) => {
      const { head } = lab.verifyEvents();
      for (const step of [2, 1])
        expect(lab.commitStep('a', makeCommit(step))).toEqual({ applied: false, event: null });
      expect(lab.verifyEvents().head).toBe(head);
      expect(lab.listRollouts('a', 2)).toHaveLength(12);
    }, 2));

  it('cannot be replaced by another result', () =>
    inLab(async (lab) => {
      const other = makeCommit(2);
      const failure = await failureOf(() =>
        lab.commitStep('a', { ...other, step: { ...other.step, stepHash: hex('other') } }),
      );
      expect(failure.kind).toBe('stepConflict');
      expect(lab.getStep('a', 2)).toEqual(makeCommit(2).step);
    }, 2));

  it('must be the next one', () =>
    inLab(async (lab) => {
      const failure = await failureOf(() => lab.commitStep('a', makeCommit(3)));
      expect(failure.kind).toBe('stepGap');
      expect(failure.message).toBe(
        'Run "a" has 1 stored steps, so step 3 cannot be stored next; store step 2 first.',
      );
    }, 1));

  const spoilt: [string, (commit: StepCommit) => StepCommit, RegExp][] = [
    [
      'a rollout of another step',
      (commit) => ({
        ...commit,
        rollouts: [...commit.rollouts, { ...commit.rollouts[0]!, id: '9/gen_code_i/0', step: 9 }],
      }),
      /Record "9\/gen_code_i\/0" of step 9/,
    ],
    [
      'another context than the stored one',
      (commit) => ({ ...commit, step: { ...commit.step, contextHash: hex('x') } }),
      /names another context/,
    ],
    [
      'no next context',
      (commit) => ({ ...commit, nextContext: makeContext(2) }),
      /must hand over C_3, not C_2/,
    ],
    [
      'a checkpoint of another step',
      (commit) => ({ ...commit, checkpoint: makeCheckpoint(1) }),
      /its own checkpoint/,
    ],
    [
      'a checkpoint of other weights',
      (commit) => ({ ...commit, checkpoint: { ...commit.checkpoint!, weightsSha256: hex('x') } }),
      /different weights/,
    ],
    [
      'a review of an unknown rollout',
      (commit) => ({ ...commit, reviews: [{ ...commit.reviews[0]!, rolloutId: '2/none/0' }] }),
      /names rollout "2\/none\/0"/,
    ],
    [
      'a context line that names an unknown review',
      (commit) => ({
        ...commit,
        nextContext: {
          ...commit.nextContext,
          lines: commit.nextContext.lines.map((line) => ({ ...line, reviewIds: ['nobody#task'] })),
        },
      }),
      /FOREIGN KEY/,
    ],
    [
      'the same rollout twice',
      (commit) => ({ ...commit, rollouts: [...commit.rollouts, commit.rollouts[0]!] }),
      /UNIQUE/,
    ],
    [
      'a probability of 1.2',
      (commit) => ({
        ...commit,
        reviews: commit.reviews.map((review) => ({ ...review, gateProbability: 1.2 })),
      }),
      /reviews\.0\.gateProbability/,
    ],
    [
      'a field nobody knows',
      (commit) => ({ ...commit, tasks: [{ ...commit.tasks[0]!, colour: 'red' } as never] }),
      /tasks\.0/,
    ],
    [
      'a metric that is not a number',
      (commit) => ({ ...commit, step: { ...commit.step, metrics: { loss: Number.NaN } } }),
      /step\.metrics\.loss/,
    ],
  ];
  it.each(spoilt)('with %s is refused whole', (_what, spoil, sentence) =>
    inLab(async (lab) => {
      const before = lab.verifyEvents();
      const failure = await failureOf(() => lab.commitStep('a', spoil(makeCommit(2))));
      expect(failure.kind).toBe('badRecord');
      expect(failure.message).toMatch(sentence);
      expect(lab.verifyEvents()).toEqual(before);
      expect(readBack(lab, 2)).toEqual({
        step: null,
        rollouts: [],
        generations: [],
        reviews: [],
        summaries: [],
        wordings: [],
        nextContext: null,
        checkpoint: null,
      });
      expect(lab.commitStep('a', makeCommit(2)).applied).toBe(true);
      expect(lab.checkIntegrity()).toEqual([]);
    }, 1),
  );

  it('keeps any text: NUL, emoji, and a broken surrogate as the replacement character', () =>
    inLab((lab) => {
      const commit = makeCommit(1);
      const texts = ['a\0b', '\u{1f600} ✓ ‹›', '', '\n\r\t', '"quoted" \'single\'', 'cut \ud83d'];
      const rollouts = commit.rollouts.map((rollout, index) => ({
        ...rollout,
        text: texts[index] ?? rollout.text,
      }));
      lab.commitStep('a', { ...commit, rollouts });
      expect(
        lab
          .listRollouts('a', 1)
          .slice(0, texts.length)
          .map((rollout) => rollout.text),
      ).toEqual([...texts.slice(0, 5), 'cut \ufffd']);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('finds a step sound in which nothing was written', () =>
    inLab((lab) => {
      const commit = makeCommit(1, 0);
      expect(commit.generations).toEqual([]);
      const nextContext = { ...commit.nextContext, lines: [] };
      lab.commitStep('a', { ...commit, summaries: [], wordings: [], nextContext });
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('keeps the place that a review quotes, and notices when it was changed', () =>
    inLab((lab, folder) => {
      const commit = makeCommit(1);
      const [first, ...others] = commit.reviews as [ReviewRecord, ...ReviewRecord[]];
      const reviews = [{ ...first, quote: 'skips “a” step' }, ...others];
      lab.commitStep('a', { ...commit, reviews });
      expect(lab.listReviews('a', 1)).toEqual(reviews);
      expect(lab.getCommit('a', 1)?.reviews).toEqual(reviews);
      expect(lab.checkIntegrity()).toEqual([]);
      const other = new SqliteDatabase(join(folder, DATABASE_FILE));
      other.exec(`UPDATE review_texts SET quote = 'another place' WHERE quote IS NOT NULL`);
      other.close();
      expect(lab.checkIntegrity()).toHaveLength(1);
    }));

  it('keeps numbers to the last bit', () =>
    inLab((lab) => {
      const commit = makeCommit(1);
      const values = [0.1 + 0.2, 5e-324, -1.7976931348623157e308, 2 ** 53, 1 / 3];
      const metrics = Object.fromEntries(values.map((value, index) => [`m${index}`, value]));
      lab.commitStep('a', { ...commit, step: { ...commit.step, metrics } });
      expect(lab.getStep('a', 1)?.metrics).toEqual(metrics);
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});

describe('the initial state', () => {
  it('is C_1, the seed tasks in order, and checkpoint 0', () =>
    inLab((lab) => {
      expect(lab.getContext('a', 1)).toEqual(makeContext(1));
      expect(lab.getCheckpoint('a', 0)).toEqual(makeCheckpoint(0));
      expect(lab.listTasks('a', 'induction')).toEqual([makeTask('seed-induction', 0, 'induction')]);
      expect(lab.putInitial('a', makeInitial())).toEqual({ applied: false, event: null });
    }));

  it('cannot be exchanged', () =>
    inLab(async (lab) => {
      const other = { ...makeInitial(), tasks: [makeTask('another', 0)] };
      expect((await failureOf(() => lab.putInitial('a', other))).kind).toBe('initialConflict');
    }));

  const wrong: [string, Partial<InitialState>][] = [
    ['C_2', { context: makeContext(2) }],
    ['checkpoint 1', { checkpoints: [makeCheckpoint(1)] }],
    ['a task of step 1', { tasks: [makeTask('t', 1)] }],
  ];
  it.each(wrong)('cannot be %s', (_what, part) =>
    inLab(async (lab) => {
      lab.createRun({ id: 'b', config: makeConfig(), folder: 'runs/b' });
      expect((await failureOf(() => lab.putInitial('b', { ...makeInitial(), ...part }))).kind).toBe(
        'badRecord',
      );
      expect(lab.getContext('b', 1)).toBeNull();
    }),
  );

  it('must come before the first step', () =>
    inLab(async (lab) => {
      lab.createRun({ id: 'b', config: makeConfig(), folder: 'runs/b' });
      expect((await failureOf(() => lab.commitStep('b', makeCommit(1)))).message).toContain(
        'store its initial state before its first step',
      );
    }));
});

describe('what a run adds up to', () => {
  it('is its tasks in the order they entered the buffer', () =>
    inLab((lab) => {
      expect(lab.listTasks('a', 'deduction').map((task) => task.id)).toEqual([
        'seed-deduction',
        '1/gen_code_o/0',
        '2/gen_code_o/0',
        '3/gen_code_o/0',
      ]);
    }, 3));

  it('is curves, in which buckets keep their peaks', () =>
    inLab((lab) => {
      expect(lab.metricNames('a')).toEqual(['loss', 'reward.mean']);
      expect(lab.metricNames('a', 'timing')).toEqual(['generate', 'update']);
      const { loss, nothing } = lab.metricSeries('a', ['loss', 'nothing'], { every: 3 });
      expect(loss).toEqual([
        { name: 'loss', step: 3, mean: -2, min: -3, max: -1 },
        { name: 'loss', step: 6, mean: -5, min: -6, max: -4 },
        { name: 'loss', step: 7, mean: -7, min: -7, max: -7 },
      ]);
      expect(nothing).toEqual([]);
      expect(
        lab.metricSeries('a', ['update'], { kind: 'timing' }).update?.map((point) => point.mean),
      ).toEqual([1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
    }, 7));

  it('counts lines that a model wrote from the records of wording, as curves beside the stored ones', () =>
    inLab((lab) => {
      const [one] = makeCommit(1).wordings as [WordingRecord];
      const wordings = (step: number): WordingRecord[] =>
        step === 2
          ? []
          : Array.from({ length: step }, (_, index) => ({ ...one, id: `${step}/summary/${index}`, step }));
      for (const step of [1, 2, 3]) lab.commitStep('a', { ...makeCommit(step), wordings: wordings(step) });
      expect([...lab.lineCounts('a').keys()]).toEqual([1, 3]);
      expect(lab.lineCounts('a').get(3)).toMatchObject({ 'wording/model': 3, 'wording/leak': 3 });
      const series = lab.metricSeries('a', ['wording/leak', 'wording/repeat', 'loss']);
      expect(series['wording/leak']?.map(({ step, mean }) => [step, mean])).toEqual([
        [1, 1],
        [3, 3],
      ]);
      expect(series['wording/repeat']?.map(({ mean }) => mean)).toEqual([0, 0]);
      expect(series['loss']).toHaveLength(3);
      expect(lab.metricSeries('a', ['wording/leak'], { every: 3 })['wording/leak']).toEqual([
        { name: 'wording/leak', step: 3, mean: 2, min: 1, max: 3 },
      ]);
      expect(lab.runCurve('a', ['wording/leak', 'wording/repeat'], 'sum')).toMatchObject({
        step: [1, 3],
        values: [1, 3],
      });
      expect(lab.metricNames('a')).toEqual(['loss', 'reward.mean']);
    }));

  it('is its checkpoints, without those whose files were pruned', () =>
    inLab((lab) => {
      expect([
        lab.markCheckpointPruned('a', 1),
        lab.markCheckpointPruned('a', 1),
        lab.markCheckpointPruned('a', 9),
      ]).toEqual([true, false, false]);
      expect(lab.listCheckpoints('a').map((checkpoint) => checkpoint.step)).toEqual([0, 2, 3]);
      expect(lab.getCheckpoint('a', 1)).toEqual(makeCheckpoint(1));
      expect(lab.checkIntegrity()).toEqual([]);
    }, 3));
});
