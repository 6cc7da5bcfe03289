import type { Engine } from './engine.ts';
import { askingVerbs } from './verbs/asking.ts';
import { airGapVerbs, jobVerbs, labVerbs } from './verbs/lab.ts';
import { contextVerbs, recordVerbs } from './verbs/records.ts';
import { demoVerbs } from './verbs/demo.ts';
import { datasetVerbs } from './verbs/datasets.ts';
import { evaluationVerbs, judgeVerbs } from './verbs/evaluations.ts';
import { libraryVerbs } from './verbs/library.ts';
import { liveVerbs, tourVerbs } from './verbs/live.ts';
import { planVerbs } from './verbs/plan.ts';
import { reportVerbs } from './verbs/reports.ts';
import { reviewVerbs } from './verbs/reviews.ts';
import { runVerbs } from './verbs/runs.ts';
import { router } from './verbs/verb.ts';

/** The engine's verbs with their input schemas; hosts serve it over their sockets. */
export function createRouter(engine: Engine) {
  return router({
    runs: runVerbs(engine),
    plan: planVerbs(engine),
    records: recordVerbs(engine),
    contexts: contextVerbs(engine),
    reviews: reviewVerbs(engine),
    live: liveVerbs(engine),
    library: libraryVerbs(engine),
    evaluations: evaluationVerbs(engine),
    judges: judgeVerbs(engine),
    asking: askingVerbs(engine),
    datasets: datasetVerbs(engine),
    reports: reportVerbs(engine),
    lab: labVerbs(engine),
    jobs: jobVerbs(engine),
    airgap: airGapVerbs(engine),
    demo: demoVerbs(engine),
    tour: tourVerbs(engine),
  });
}

export type EngineRouter = ReturnType<typeof createRouter>;
