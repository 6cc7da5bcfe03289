import { Failure, type RunConfig, type Tripped } from '../../contract/index.ts';
import {
  type AskedContext,
  EVALUATION_SEED,
  evaluatePolicy,
  watchTripwires,
} from '../../evaluation/index.ts';
import type { Services } from '../services.ts';

/** Whether a run's plan has this step evaluated: the weights it begins with, every k-th step, the last. */
export function isDue({ evaluation, steps }: Pick<RunConfig, 'evaluation' | 'steps'>, step: number): boolean {
  return evaluation !== undefined && (step === 0 || step === steps || step % evaluation.every === 0);
}

/**
 * Asks the suites of a run's plan of the checkpoint of `step` and looks at its tripwires. What was asked before the run was cut off is
 * not asked again. A suite that cannot be asked does not end the run: the reason is kept as an event, and the checkpoint can be
 * evaluated later.
 * @returns the tripwires touched for the first time. @throws the signal's reason on abort.
 */
export async function evaluateAsPlanned(
  services: Services,
  runId: string,
  config: RunConfig,
  step: number,
  signal: AbortSignal,
): Promise<Tripped[]> {
  const { evaluation } = config;
  if (evaluation === undefined || !isDue(config, step)) return [];
  const contexts = contextsOf(services, evaluation.contexts ?? ['none'], runId, step);
  const open = missing(services, runId, step, evaluation.suites, contexts);
  if (open.length > 0) {
    services.reportProgress(runId, step, 'evaluate', 0, open.length);
    // A process that answers takes seconds to start, so contexts that lack the same suites are asked by one.
    const lacking = contexts.map((context) => ({
      context,
      suites: open.filter((one) => one.context === context).map(({ suite }) => suite),
    }));
    for (const asked of Map.groupBy(lacking, ({ suites }) => suites.join('\n')).values()) {
      const suites = asked[0]?.suites ?? [];
      if (suites.length === 0) continue;
      try {
        await evaluatePolicy(services, {
          policy: { runId, step },
          suites,
          limit: evaluation.items,
          seed: EVALUATION_SEED,
          contexts: asked.map(({ context }) => context),
          judge: evaluation.judge ?? null,
          reuse: true,
          signal,
          onProgress: (count, total) => services.reportProgress(runId, step, 'evaluate', count, total),
        });
      } catch (error) {
        if (signal.aborted || !(error instanceof Failure)) throw error;
        services.store.appendEvent(runId, 'evaluation.failed', { step, suites, reason: error.message });
      }
    }
    services.emit({ kind: 'changed', what: 'evaluations', runId });
  }
  return watchTripwires(services, runId, evaluation.tripwires ?? [], step);
}

/**
 * The context that followed the step is the one the next step runs under. One without a line leaves the prompt as it is, so where the
 * weights alone are asked too, it is not asked a second time.
 */
const contextsOf = (
  { store }: Services,
  names: readonly ('none' | 'run')[],
  runId: string,
  step: number,
): AskedContext[] =>
  names.flatMap((name): AskedContext[] => {
    if (name === 'none') return [null];
    const isEmpty = store.getContext(runId, step + 1)?.lines.length === 0;
    return isEmpty && names.includes('none') ? [] : [{ runId, step: step + 1 }];
  });

/** Suites under contexts that have no finished result at this step. */
function missing(
  { store }: Services,
  runId: string,
  step: number,
  suites: readonly string[],
  contexts: readonly AskedContext[],
): { suite: string; context: AskedContext }[] {
  const done = store.listEvaluations({ runId }).filter((one) => one.step === step);
  return contexts.flatMap((context) =>
    suites.flatMap((suite) =>
      done.some((one) => one.suite === suite && (one.contextHash === null) === (context === null))
        ? []
        : [{ suite, context }],
    ),
  );
}
