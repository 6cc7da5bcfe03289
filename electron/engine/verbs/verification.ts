import type { Job } from '../../contract/index.ts';
import { isSample } from '../../experiments/index.ts';
import { verifyLab } from '../../machine/index.ts';
import type { Engine } from '../engine.ts';

/** Answers that a verification scores under the weights that wrote them. */
const SCORED_AGAIN = 24;

/** Begins the job that computes a run or an evaluation again, in the database that it is kept in. */
function startVerifying(engine: Engine, id: string, title: string, ofSample: boolean): Job {
  const lab = ofSample ? engine.sample.folder : engine.lab.root;
  return engine.jobs.start({ kind: `verify:${id}`, title: `Verify ${title}`, unit: 'record' }, (job) =>
    verifyLab({ lab, resources: engine.resources }, { ids: [id], sample: SCORED_AGAIN }, job),
  );
}

/** @throws Failure `unknownRun` (exit code 2). */
export function verifyRun(engine: Engine, runId: string): Job {
  const { config } = engine.storeOf(runId).requireRun(runId);
  return startVerifying(engine, runId, config.name, isSample(runId));
}

/** @param what which evaluation it is, for its line among the jobs. */
export function verifyEvaluation(engine: Engine, id: string, what: string): Job {
  const isRecorded = engine.store.listStoredEvaluations({ ids: [id] }).length === 0;
  return startVerifying(engine, id, what, isRecorded);
}
