import { describe, expect, it } from 'vitest';
import { RUN_STATES } from '../../../electron/contract/index.ts';
import type { RunState } from '../../../electron/contract/index.ts';
import { RUN_TRANSITIONS, openLab } from '../../../electron/store/index.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import {
  hex,
  inTempFolder,
  makeCommit,
  makeConfig,
  makeEvaluation,
  makeInitial,
  makeModel,
  steadyClock,
} from './support/make-records.ts';

async function inLab(work: (lab: Lab) => Promise<void> | void): Promise<void> {
  await inTempFolder(async (folder) => {
    const lab = await openLab(folder, { now: steadyClock() });
    try {
      await work(lab);
    } finally {
      lab.close();
    }
  });
}

/** A shortest chain of states from `queued`, found on the table itself. */
function pathTo(goal: RunState): RunState[] {
  const reached = new Map<RunState, RunState[]>([['queued', []]]);
  for (const [state, path] of reached) {
    for (const next of RUN_TRANSITIONS[state]) if (!reached.has(next)) reached.set(next, [...path, next]);
  }
  return reached.get(goal) ?? [];
}

/** The state machine as the engine relies on it, written a second time so that a slip in either table shows. */
const EXPECTED = `
queued>setting-up queued>paused queued>interrupted queued>failed
setting-up>stepping setting-up>pausing setting-up>interrupted setting-up>failed
stepping>pausing stepping>paused stepping>interrupted stepping>done stepping>failed
pausing>paused pausing>stepping pausing>interrupted pausing>done pausing>failed
paused>queued paused>setting-up paused>failed
interrupted>queued interrupted>setting-up interrupted>failed
failed>queued failed>setting-up`
  .trim()
  .split(/\s+/);

describe('runs', () => {
  it('move only along the table of states', () =>
    inLab(async (lab) => {
      for (const from of RUN_STATES) {
        for (const to of RUN_STATES) {
          const id = `${from}-${to}`;
          lab.createRun({ id, config: makeConfig(), folder: id });
          for (const state of pathTo(from)) lab.setRunState(id, state, null);
          if (from === to || EXPECTED.includes(`${from}>${to}`))
            expect(lab.setRunState(id, to, 'because')).toMatchObject({ state: to, reason: 'because' });
          else
            expect((await failureOf(() => lab.setRunState(id, to, null))).message).toBe(
              `Run "${id}" is ${from} and cannot become ${to}.`,
            );
        }
      }
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('keep their id to themselves', () =>
    inLab(async (lab) => {
      lab.createRun({ id: 'a', config: makeConfig('first'), folder: 'runs/a' });
      expect(
        await failureOf(() => lab.createRun({ id: 'a', config: makeConfig('second'), folder: 'runs/b' })),
      ).toMatchObject({ kind: 'runExists', exitCode: 2 });
      expect(lab.getRun('a')?.config.name).toBe('first');
      expect((await failureOf(() => lab.setRunState('b', 'failed', null))).kind).toBe('unknownRun');
    }));

  it('refuse a configuration the contract does not allow, naming the field', () =>
    inLab(async (lab) => {
      const config = { ...makeConfig(), steps: 0 };
      const failure = await failureOf(() => lab.createRun({ id: 'a', config, folder: 'runs/a' }));
      expect(failure.kind).toBe('badRecord');
      expect(failure.message).toContain('config.steps');
      expect(lab.listEvents(null)).toEqual([]);
    }));

  it('keep the model files they were started with', () =>
    inLab(async (lab) => {
      lab.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
      lab.setRunModels('a', hex('policy'), null);
      expect(lab.setRunModels('a', hex('policy'), null).policySha256).toBe(hex('policy'));
      const policy = await failureOf(() => lab.setRunModels('a', hex('other'), null));
      expect(policy).toMatchObject({
        kind: 'modelChanged',
        message: expect.stringContaining(
          `another policy (${hex('policy').slice(0, 12)}…, now ${hex('other').slice(0, 12)}…)`,
        ) as string,
      });
      const rules = await failureOf(() => lab.setRunModels('a', hex('policy'), hex('rules')));
      expect(rules).toMatchObject({
        kind: 'modelChanged',
        message: expect.stringContaining(
          `another file of its reviewer (none, now ${hex('rules').slice(0, 12)}…)`,
        ) as string,
      });
    }));

  it('are listed newest first, page by page, each exactly once while more are added', () =>
    inLab((lab) => {
      const make = (id: string) => lab.createRun({ id, config: makeConfig(`run ${id}`), folder: id });
      for (let index = 0; index < 25; index += 1) make(`r${index}`);
      const seen: string[] = [];
      for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page += 1) {
        const { rows, next } = lab.listRuns({}, { cursor, limit: 4 });
        seen.push(...rows.map((run) => run.id));
        cursor = next;
        make(`late${page}`);
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `r${24 - index}`));
      expect(lab.listRuns({ text: 'RUN R2' }).rows.map((run) => run.id)).toEqual([
        'r24',
        'r23',
        'r22',
        'r21',
        'r20',
        'r2',
      ]);
      lab.setRunState('r3', 'failed', 'no');
      expect(lab.listRuns({ states: ['failed', 'done'] }).rows.map((run) => run.id)).toEqual(['r3']);
    }));

  it('refuse a cursor of something else', () =>
    inLab(async (lab) => {
      expect(await failureOf(() => lab.listRuns({}, { cursor: 'nonsense' }))).toMatchObject({
        kind: 'badCursor',
        exitCode: 2,
      });
    }));

  it('take everything but events and evaluations with them when they are deleted', () =>
    inLab(async (lab) => {
      for (const id of ['a', 'b']) {
        lab.createRun({ id, config: makeConfig(), folder: id });
        lab.putInitial(id, makeInitial());
        lab.commitStep(id, makeCommit(1));
      }
      lab.putEvaluation(makeEvaluation('e', 'a'));
      lab.setRunState('a', 'setting-up', null);
      expect((await failureOf(() => lab.deleteRun('a'))).kind).toBe('runAtWork');
      lab.setRunState('a', 'failed', null);
      lab.deleteRun('a');
      expect(lab.getRun('a')).toBeNull();
      expect(lab.allRuns().map(({ id }) => id)).toEqual(['b']);
      await lab.takeOutDeleted();
      expect([
        lab.listTasks('a', 'deduction'),
        lab.listRollouts('a', 1),
        lab.listReviews('a', 1),
        lab.listSteps('a'),
        lab.issueCounts('a'),
      ]).toEqual([[], [], [], [], []]);
      expect(lab.getContext('a', 1)).toBeNull();
      expect(new Set(lab.searchRecords(null, 'item').rollouts.map((hit) => hit.runId))).toEqual(
        new Set(['b']),
      );
      expect(lab.listEvents('a').map((event) => event.kind)).toContain('run.deleted');
      expect(lab.getEvaluation('e')?.runId).toBe('a');
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});

describe('the catalogue', () => {
  it('keeps models by name and replaces one of the same name', () =>
    inLab((lab) => {
      lab.putModel(makeModel('tiny'));
      lab.putModel({ ...makeModel('tiny'), bytes: 5, parameters: null });
      lab.putModel({ ...makeModel('judge'), kind: 'supervisor', format: 'gguf' });
      expect(lab.getModel('tiny')).toEqual({ ...makeModel('tiny'), bytes: 5, parameters: null });
      expect(lab.listModels().map((model) => model.name)).toEqual(['tiny', 'judge']);
      expect([lab.removeModel('tiny'), lab.removeModel('tiny'), lab.getModel('tiny')]).toEqual([
        true,
        false,
        null,
      ]);
      expect(lab.checkIntegrity()).toEqual([]);
    }));

  it('gives an evaluation back as it came, lists it without items, and never overwrites it', () =>
    inLab(async (lab) => {
      const evaluation = makeEvaluation('e1', null);
      lab.putEvaluation(evaluation);
      lab.putEvaluation(evaluation);
      lab.putEvaluation(makeEvaluation('e2', 'gone'));
      expect(lab.getEvaluation('e1')).toEqual(evaluation);
      const { items, ...head } = evaluation;
      expect(lab.listEvaluations({ runId: null })).toEqual([head]);
      expect(lab.getEvaluationItems('e1')).toEqual(items);
      expect(lab.listEvaluations({ suite: 'refusal' }).map((each) => each.id)).toEqual(['e1', 'e2']);
      expect((await failureOf(() => lab.putEvaluation({ ...evaluation, passed: 2 }))).kind).toBe(
        'evaluationConflict',
      );
      expect(lab.listEvents(null).filter((event) => event.kind === 'evaluation.stored')).toHaveLength(2);
    }));

  it('keeps settings as JSON', () =>
    inLab((lab) => {
      expect(lab.getSetting('app.theme')).toBeNull();
      lab.setSetting('app.theme', { dark: true });
      lab.setSetting('app.theme', { dark: false });
      expect(lab.getSetting('app.theme')).toEqual({ dark: false });
      expect(lab.checkIntegrity()).toEqual([]);
    }));
});
