import type { Verdict } from '../../contract/index.ts';
import type { RunLimits, RunnerClient } from '../../processes/index.ts';
import type { VerificationPlan } from '../azr/index.ts';

/**
 * Verifies answers, each in a job of its own: a program may keep something between calls, and then one answer to it would
 * change the verdict on another. The calls of one answer (an induction program's hidden inputs) share a job.
 */
export function runPlans(
  runner: RunnerClient,
  plans: readonly VerificationPlan[],
  limits: RunLimits,
): Promise<Verdict[]> {
  return Promise.all(
    plans.map(async (plan) =>
      plan.kind === 'decided' ? plan.verdict : plan.judge(await runner.run({ ...plan.job, limits })),
    ),
  );
}
