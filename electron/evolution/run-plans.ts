import type { SandboxConfig, Verdict } from '../contract/index.ts';
import type { RunLimits, RunnerClient, RunResult } from '../processes/index.ts';
import { judgeRun, type VerificationPlan, type VerificationRules } from './azr/index.ts';

type RunPlan = Extract<VerificationPlan, { kind: 'run' }>;

export function limitsOf({ cpuSeconds, wallSeconds, memoryBytes, outputBytes }: SandboxConfig): RunLimits {
  return { cpuSeconds, wallSeconds, memoryBytes, outputBytes };
}

/**
 * Verifies several answers, those to the same program in one job: the program starts once for all its calls. When a call
 * ends the job early, the answers behind it are run alone, so that one answer's hang is never another's failure.
 */
export async function runPlans(runner: RunnerClient, plans: readonly VerificationPlan[], rules: VerificationRules, limits: RunLimits): Promise<Verdict[]> {
  const groups = new Map<string, RunPlan[]>();
  for (const plan of plans) {
    if (plan.kind === 'run') groups.set(plan.job.program, [...(groups.get(plan.job.program) ?? []), plan]);
  }
  const verdicts = new Map<VerificationPlan, Verdict>();
  await Promise.all([...groups.values()].map(async (group) => {
    for (const [plan, result] of await runGroup(runner, group, limits)) verdicts.set(plan, judgeRun(plan, result, rules));
  }));
  return plans.map((plan) => (plan.kind === 'decided' ? plan.verdict : verdicts.get(plan) as Verdict));
}

async function runGroup(runner: RunnerClient, group: readonly RunPlan[], limits: RunLimits): Promise<[RunPlan, RunResult][]> {
  const [first] = group;
  if (first === undefined) return [];
  const together = await runner.run({ ...first.job, calls: group.flatMap((plan) => plan.job.calls), limits });
  let offset = 0;
  return Promise.all(group.map(async (plan): Promise<[RunPlan, RunResult]> => {
    const calls = together.calls.slice(offset, offset + plan.job.calls.length);
    offset += plan.job.calls.length;
    const cutOff = group.length > 1 && calls.some((call) => call.status !== 'ok' && call.status !== 'error');
    return [plan, cutOff ? await runner.run({ ...plan.job, limits }) : { ...together, calls }];
  }));
}
