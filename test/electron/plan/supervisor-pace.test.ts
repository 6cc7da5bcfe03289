import { describe, expect, it } from 'vitest';
import {
  everyPhase,
  personConfigSchema,
  PHASES,
  runConfigSchema,
  type JudgeProbeResults,
  type ModelRecord,
  type RunConfig,
} from '../../../electron/contract/index.ts';
import { supervisorPace, waitedShare } from '../../../electron/plan/paces.ts';
import type { Lab } from '../../../electron/store/index.ts';
import { inLab } from '../store/support/in-lab.ts';
import { hex, makeCommit, makeConfig, makeInitial } from '../store/support/make-records.ts';

const judge = (name: string, sha256: string): ModelRecord => ({
  name,
  kind: 'supervisor',
  format: 'gguf',
  path: `/models/${name}`,
  sha256,
  architecture: 'llama',
  parameters: 1e9,
  contextLength: 4096,
  bytes: 1e9,
  addedAt: '2026-01-01T00:00:00.000Z',
  embedded: false,
});
const asking = (model: string): RunConfig =>
  runConfigSchema.parse({ ...makeConfig('plan'), supervision: { reviewer: 'llama', model } });

/** A run of one step whose reviews the model of this hash answered, in 3 s each. */
function reviewedRun(lab: Lab, model: string, sha256: string): void {
  lab.createRun({ id: 'reviewed', config: asking(model), folder: 'runs/reviewed' });
  lab.setRunModels('reviewed', hex('policy'), sha256);
  lab.putInitial('reviewed', makeInitial());
  const commit = makeCommit(1);
  const reviews = commit.reviews.map((review) => ({ ...review, milliseconds: 3000 }));
  lab.commitStep('reviewed', { ...commit, reviews });
}

function probed(lab: Lab, modelSha256: string, pace?: JudgeProbeResults['pace']): void {
  const plan = { version: 1, mode: 'asks' as const, promptsSha256: hex('p'), itemsSha256: hex('i') };
  const { id } = lab.beginJudgeProbe('judge', {
    ...plan,
    modelSha256,
    items: 2,
    phases: ['thought'],
    seed: 1,
  });
  const none = { n: 0, hits: 0, share: null, low: 0, high: 1 };
  const accuracy = { phases: [], issues: [], kinds: [] };
  lab.finishJudgeProbe(id, {
    answered: 120,
    failed: 0,
    run: accuracy,
    alone: accuracy,
    computedAdds: [],
    position: null,
    length: null,
    leaks: none,
    again: { agreement: none, kappa: null },
    seconds: { n: 120, mean: 2.5, low: 2, high: 3 },
    ...(pace === undefined ? {} : { pace }),
  });
}

describe('how long a review takes', () => {
  it('is known from runs of the same file, whatever it is called, and not from another file of its name', () =>
    inLab((lab) => {
      reviewedRun(lab, 'first-name', hex('judge'));
      lab.putModel(judge('second-name', hex('judge')));
      lab.putModel(judge('first-name', hex('another')));
      const known = supervisorPace(lab, asking('second-name'));
      expect(known.task).toMatchObject({ value: 3, source: 'measured', from: { runId: 'reviewed' } });
      expect(supervisorPace(lab, asking('/models/second-name')).task?.value).toBe(3);
      expect(supervisorPace(lab, asking('first-name'))).toEqual({});
    }));

  it('is taken from the last probe of the judge where no run was reviewed by it, and from nowhere else', () =>
    inLab((lab) => {
      lab.putModel(judge('judge', hex('judge')));
      expect(supervisorPace(lab, asking('judge'))).toEqual({});
      probed(lab, hex('judge'));
      const pace = supervisorPace(lab, asking('judge'));
      for (const phase of PHASES)
        expect(pace[phase]).toMatchObject({ value: 2.5, n: 120, from: { kind: 'judge-probe' } });
      const rules = asking('judge');
      rules.supervision.reviewer = 'rubric';
      expect(supervisorPace(lab, rules)).toEqual({});
      reviewedRun(lab, 'judge', hex('judge'));
      expect(supervisorPace(lab, asking('judge')).task).toMatchObject({ value: 3, from: { kind: 'run' } });
    }));
});

describe('how long a review takes by a probe', () => {
  it('counts the items of a phase of which the model is asked nothing, and goes by the mean where a phase was not probed', () =>
    inLab((lab) => {
      lab.putModel(judge('judge', hex('judge')));
      probed(lab, hex('judge'), [
        { phase: 'task', n: 40, asked: 10, seconds: 1.5 },
        { phase: 'exec', n: 16, asked: 0, seconds: 0 },
      ]);
      const pace = supervisorPace(lab, asking('judge'));
      expect(pace.task).toMatchObject({ value: 1.5, n: 40, source: 'measured' });
      expect(pace.exec).toMatchObject({ value: 0, n: 16 });
      expect(pace.plan).toMatchObject({ value: 2.5, n: 120 });
    }));
});

describe('how much of the reviewing a run of this kind waits for', () => {
  const timedRun = (
    lab: Lab,
    id: string,
    waited: number,
    change: Partial<RunConfig['supervision']> = {},
  ): void => {
    const plan = asking('judge');
    const config = {
      ...plan,
      name: id,
      supervision: { ...plan.supervision, phases: everyPhase(0.5), ...change },
    };
    lab.createRun({ id, config, folder: `runs/${id}` });
    lab.putInitial(id, makeInitial());
    const commit = makeCommit(1);
    const timings = { step: 20, supervise: 10, supervise_wait: waited };
    const metrics = { ...commit.step.metrics, 'resources/others_cores': 1.5, 'resources/cores': 2 };
    lab.commitStep(id, { ...commit, step: { ...commit.step, timings, metrics } });
  };

  it('is what the newest one did, with how busy the machine was, and nothing before there was one', () =>
    inLab((lab) => {
      expect(waitedShare(lab, asking('judge'))).toBeNull();
      timedRun(lab, 'older', 9);
      timedRun(lab, 'newer', 4);
      expect(waitedShare(lab, asking('judge'))).toMatchObject({
        value: 0.4,
        from: { runId: 'newer', name: 'newer' },
        load: { others: 1.5, cores: 2 },
      });
    }));

  it('is not what a person took to answer, nor what another supervisor or other sizes did', () =>
    inLab((lab) => {
      timedRun(lab, 'asked', 9, { human: personConfigSchema.parse({ share: 0.5 }) });
      timedRun(lab, 'other', 9, { model: 'other-judge' });
      timedRun(lab, 'unreviewed', 9, { phases: everyPhase(0) });
      expect(waitedShare(lab, asking('judge'))).toBeNull();
      timedRun(lab, 'own', 2);
      expect(waitedShare(lab, asking('judge'))?.value).toBe(0.2);
      const larger = asking('judge');
      larger.generation = { ...larger.generation, maxNewTokens: 7 };
      expect(waitedShare(lab, larger)).toBeNull();
    }));
});
