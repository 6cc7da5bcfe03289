import {
  Failure,
  RUN_ESTIMATED,
  runEstimatedSchema,
  totals,
  type RunConfig,
  type RunEstimated,
} from '../../contract/index.ts';
import { estimateRun } from '../../plan/index.ts';
import type { Services } from '../services.ts';

/**
 * Notes in the event chain how long the steps of a run that begins or is taken up again will take, what that rests on and how busy the
 * machine is, so that it can be held against what they took. Nothing is noted where nothing like it was timed here.
 */
export function noteEstimate(services: Services, runId: string, fromStep: number): void {
  const { config } = services.store.requireRun(runId);
  if (fromStep > config.steps) return;
  const said = whereReadable(() => estimateOf(services, config, runId, fromStep));
  if (said !== null) services.store.appendEvent(runId, RUN_ESTIMATED, runEstimatedSchema.parse(said));
}

/** Damaged records of another run are no reason not to take this one's steps. */
function whereReadable(estimate: () => RunEstimated | null): RunEstimated | null {
  try {
    return estimate();
  } catch (error) {
    if (error instanceof Failure && error.kind === 'corrupt') return null;
    throw error;
  }
}

function estimateOf(
  services: Services,
  config: RunConfig,
  runId: string,
  fromStep: number,
): RunEstimated | null {
  const estimate = estimateRun(services, config);
  const { stepSeconds, supervisorSeconds, waitedShare } = totals(config, estimate);
  const { stepSeconds: alone, waited } = estimate;
  if (stepSeconds === null || alone === null || supervisorSeconds === null) return null;
  const { from } = alone;
  const last = waited?.from.kind === 'run' ? waited.from : null;
  return {
    fromStep,
    steps: config.steps - fromStep + 1,
    stepSeconds,
    parts: { unreviewed: alone.value, reviewing: supervisorSeconds },
    basis: {
      kind: from.kind,
      runId: from.kind === 'run' ? from.runId : null,
      at: alone.at,
      n: alone.n,
      isExact: alone.source === 'measured',
      load: alone.load,
    },
    waited: last === null || waitedShare === null ? null : { share: waitedShare.low, runId: last.runId },
    threads: { policy: config.policy.threads, supervisor: config.supervision.threads },
    load: services.meter.loadBeside(runId),
  };
}
