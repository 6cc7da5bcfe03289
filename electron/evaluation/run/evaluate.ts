import {
  Failure,
  type EvaluationRecord,
  type RunConfig,
  LOAD_AFFECTED,
  type SandboxConfig,
} from '../../contract/index.ts';
import { wilsonInterval, type Interval, type JobHandle } from '../../core/index.ts';
import type { Trainer } from '../../models/index.ts';
import type { StoredEvaluation, StoredItem } from '../../store/index.ts';
import { judgeModel } from '../judge-service.ts';
import { type AskedContext, planRequest, type EvalRequest } from '../plan/eval-request.ts';
import { resolveSubject } from '../plan/subjects.ts';
import { gradedSuite } from '../registry.ts';
import type { EvaluationServices } from '../services.ts';
import { execute, gradingTools, withGrader } from './execute.ts';
import { endOf, verdictOn } from './run-suite.ts';

/** Which weights: a checkpoint of a run (step 0 = before training), or a model of the library. */
export type PolicyReference = { runId: string; step: number } | { model: string };

export type EvaluationRequest = {
  policy: PolicyReference;
  suites: readonly string[];
  limit: number;
  seed: number;
  contexts: readonly AskedContext[];
  /** Library name or path of a GGUF judge; suites that can do without one are graded without. */
  judge?: string | null;
  /** For policies that are not a run's checkpoint. */
  config?: RunConfig;
  /** Takes what is stored already, and goes on with what was cut off, instead of asking again. */
  reuse?: boolean;
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
};

/** Seed of the answers that are asked of a run on its way; the same for every run, so that runs are asked alike. */
export const EVALUATION_SEED = 1;

/** People's overrides stand in the verdicts' place: what is taken from the store may have some. */
export type EvaluationOutcome = EvaluationRecord & {
  interval: Interval;
  withContext: boolean;
  /** Answers whose verdict is a person's. */
  overridden: number;
};

/**
 * Asks suites together, each under each context, and stores every answer with its verdict.
 * @param by a trainer that has nothing else to do; without it one is started for this request.
 * @throws the signal's reason when it is aborted; a Failure when one of the suites could not be asked.
 */
export async function evaluatePolicy(
  services: EvaluationServices,
  request: EvaluationRequest,
  by?: Trainer,
): Promise<EvaluationOutcome[]> {
  const { policy, limit, seed, config, reuse = false } = request;
  const found = await resolveSubject(
    services,
    'model' in policy ? `model:${policy.model}` : `${policy.runId}@${policy.step}`,
  );
  const resolved = config === undefined || 'runId' in policy ? found : { ...found, config };
  const judge = request.judge ?? null;
  const known = judge === null ? null : await judgeModel(services, judge);
  const wanted: EvalRequest[] = [];
  for (const context of request.contexts) {
    for (const name of request.suites)
      wanted.push(
        await planRequest(
          services,
          resolved,
          gradedSuite(name),
          { limit, seed, context, protocol: null, judge: known },
          judge,
        ),
      );
  }
  let done = 0;
  let part = 0;
  const stored = await execute(services, resolved, wanted, {
    judge,
    seed,
    signal: request.signal ?? new AbortController().signal,
    again: !reuse,
    ...(by === undefined ? {} : { by }),
    newId: (weightsSha256) =>
      `eval-${services.clock
        .now()
        .toISOString()
        .replaceAll(/[-:.TZ]/g, '')}-${weightsSha256.slice(0, 8)}-${part++}`,
    onChange: ({ state }) => {
      if (state === 'done') request.onProgress?.((done += 1), wanted.length);
    },
  });
  return stored.map(({ id, state, problem, plan, counts }) => {
    const record = services.store.getEvaluation(id);
    if (state !== 'done' || record === null)
      throw new Failure(
        'evaluationFailed',
        `The suite "${plan.suite}" could not be asked: ${problem ?? state}`,
      );
    return {
      ...record,
      interval: wilsonInterval(record.passed, record.n),
      withContext: plan.context !== null,
      overridden: counts.overridden,
    };
  });
}

/**
 * Grades the answers of a finished evaluation again that are marked load-affected, one at a time and with nothing else of ours beside
 * them. The verdict before stays among the details. Cut off, the evaluation is stopped and can be resumed.
 * @throws Failure `evaluationState` when it is not finished, `nothingLoadAffected` (exit code 2)
 */
export async function regrade(
  services: EvaluationServices,
  sandbox: SandboxConfig,
  { plan, suite, protocol, place, planned }: EvalRequest,
  { id, milliseconds }: StoredEvaluation,
  job: JobHandle,
): Promise<void> {
  const { store, clock } = services;
  const { rows } = store.listEvaluationItemRows(id, 'load-affected', { offset: 0, limit: planned });
  if (rows.length === 0)
    throw new Failure(
      'nothingLoadAffected',
      `No verdict of evaluation "${id}" is marked as decided under load.`,
      2,
    );
  const wanted = new Set(rows.map(({ ordinal }) => ordinal));
  await withGrader(services, suite.needs.maths, async (grader) => {
    const tools = await gradingTools(
      services,
      sandbox,
      suite,
      place,
      { judge: null, maths: grader },
      job.signal,
    );
    store.reopenEvaluation(id, 'verdicts decided under load are made anew');
    const began = clock.monotonicMs();
    const spent = (): number => milliseconds + clock.monotonicMs() - began;
    try {
      let index = 0;
      for await (const item of suite.read(place, job.signal)) {
        for (let sample = 0; sample < plan.protocol.samples; sample += 1) {
          const ordinal = index * plan.protocol.samples + sample;
          if (!wanted.has(ordinal)) continue;
          const answered = store.getEvaluationItem(id, ordinal) as StoredItem;
          const grade = await verdictOn(
            { suite, protocol, tools, signal: job.signal },
            item,
            answered,
            endOf(answered, protocol),
          );
          const before = {
            outcome: answered.grade?.outcome ?? null,
            reason: answered.grade?.reason ?? null,
            under: LOAD_AFFECTED,
          };
          store.putEvaluationItems(id, [
            { ...answered, grade: { ...grade, details: { ...grade.details, before } } },
          ]);
          job.advance(1);
        }
        index += 1;
        if (index === plan.items) break;
      }
      store.finishEvaluation(id, suite.scores(store.listGradesAsGraded(id), plan.seed), spent());
    } catch (error) {
      store.setEvaluationState(
        id,
        'stopped',
        'Grading anew was stopped; resuming ends it with the verdicts there are.',
        spent(),
      );
      throw error;
    }
  });
}
