import { Failure, type EvaluationRecord, type RunConfig } from '../../contract/index.ts';
import { wilsonInterval, type Interval } from '../../core/index.ts';
import { gradedSuite } from '../running/catalogue.ts';
import type { Trainer } from '../../models/index.ts';
import type { EvaluationServices } from '../services.ts';
import { execute } from './execute.ts';
import type { AskedContext } from '../plan/eval-request.ts';
import { judgeModel } from '../plan/judge.ts';
import { planRequest, type EvalRequest } from '../plan/eval-request.ts';
import { resolveSubject } from '../plan/subjects.ts';

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

export type EvaluationOutcome = EvaluationRecord & { interval: Interval; withContext: boolean };

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
  return stored.map(({ id, state, problem, plan }) => {
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
    };
  });
}
