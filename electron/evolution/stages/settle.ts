import { isRated, type CodeTaskType, type TaskRecord, type Verdict } from '../../contract/index.ts';
import { limitsOf, type ParseFacts, type Rollout } from '../../processes/index.ts';
import { parseResponse, type ParsedResponse } from '../../core/index.ts';
import {
  definitionOf,
  judgeProposal,
  literalStyleOf,
  planVerification,
  prepareProposal,
  type ValidationRules,
} from '../azr/index.ts';
import type { RunInProgress, StepTools } from '../in-progress.ts';
import type { CodeTask, PlannedRollout } from './planned-rollout.ts';
import { rateAnswer } from './pressure.ts';
import { runPlans } from './run-plans.ts';

/** A task that a proposal of this step became. */
export type NewTask = CodeTask;

/** A generated rollout and what the environment says of it. */
export type SettledRollout = {
  planned: PlannedRollout;
  rollout: Rollout;
  response: ParsedResponse;
  verdict: Verdict;
  /** Valid proposals: the task it became, not yet estimated. */
  newTask: NewTask | null;
  /** Proposals as far as they could be read; what the task phase shows. */
  proposal: { program: string; inputs: string[]; message: string | null } | null;
  /** The runner's reading of a proposed program. */
  facts: ParseFacts | null;
};

/** Parses and judges one rollout: proposals are validated, solutions verified, rated prompts rated. */
export async function settle(
  run: RunInProgress,
  tools: StepTools,
  planned: PlannedRollout,
  rollout: Rollout,
): Promise<SettledRollout> {
  const { azr } = run.config;
  const response = parseResponse(rollout.text, azr.validator);
  const base = { planned, rollout, response, newTask: null, proposal: null, facts: null };
  const { taskType, task } = planned;
  if (isRated(taskType)) return { ...base, verdict: rateAnswer(taskType, rollout.text).verdict };
  if (planned.purpose === 'propose')
    return { ...base, ...(await validate(run, tools, planned, taskType, response)) };
  if (!response.formatOk) return { ...base, verdict: invalid('bad-format') };
  const plan = planVerification({ ...(task as TaskRecord), taskType }, response.answer, azr);
  const [verdict] = await runPlans(tools.runner, [plan], limitsOf(run.config.sandbox));
  return { ...base, verdict: verdict as Verdict };
}

type Validated = Pick<SettledRollout, 'verdict' | 'newTask' | 'proposal' | 'facts'>;

async function validate(
  run: RunInProgress,
  tools: StepTools,
  planned: PlannedRollout,
  taskType: CodeTaskType,
  response: ParsedResponse,
): Promise<Validated> {
  const { azr, sandbox } = run.config;
  const type = definitionOf(taskType);
  const rejected = (reason: string, rest: Partial<Validated> = {}): Validated => ({
    verdict: invalid(reason),
    newTask: null,
    proposal: null,
    facts: null,
    ...rest,
  });
  if (!response.formatOk || response.answer === null) return rejected('bad-format');
  const reading = type.readProposal(
    response.answer,
    { givenProgram: planned.given?.program ?? null, inductionInputs: azr.inductionInputs },
    azr.validator,
  );
  if (!reading.ok) return rejected(reading.reason);
  const { proposal } = reading;
  const [facts] = await tools.runner.parse([proposal.program]);
  if (facts === undefined) throw new Error('The runner answered no facts for a program.');
  const rules: ValidationRules = { ...azr, literalStyle: literalStyleOf(run.config.policy.promptPack) };
  const preparation = prepareProposal(proposal, type, facts, rules);
  if (!preparation.ok) return rejected(preparation.reason, { proposal, facts });
  const { program, entry, calls } = preparation.prepared;
  const check = await tools.runner.check({ program, entry, calls, limits: limitsOf(sandbox) });
  const validation = judgeProposal(
    preparation.prepared,
    check,
    rules,
    azr.rejectDuplicates ? run.buffers.keys(taskType) : new Set(),
  );
  if (!validation.ok) return rejected(validation.reason, { proposal, facts });
  const newTask: NewTask = {
    ...validation.task,
    id: `t${run.step}/${taskType}/${planned.index}${planned.attempt === 1 ? '' : '/r1'}`,
    taskType,
    step: run.step,
    origin: 'proposal',
    rolloutId: planned.id,
    solveRate: null,
  };
  return {
    verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: check.level },
    newTask,
    proposal,
    facts,
  };
}

function invalid(reason: string): Verdict {
  return { outcome: 'invalid', reason, accuracy: 0, sandboxLevel: null };
}
