import {
  answerKind,
  codeBatchName,
  isCodeTask,
  type AzrConfig,
  type CodeTasksConfig,
  type CodeTaskType,
  type FrameworkConfig,
  type TaskRecord,
  type Verdict,
} from '../../contract/index.ts';
import {
  readAnswerProgram,
  rolloutSeed,
  solverReward,
  whitenedAdvantages,
  type AdvantageEstimator,
} from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import {
  limitsOf,
  type ParseFacts,
  type Rollout,
  type RunLimits,
  type RunnerClient,
} from '../../processes/index.ts';
import type { Gold, SupervisedItem } from '../../supervision/index.ts';
import type { RolloutRequest, ScoredRollout } from '../loop/framework.ts';
import type { ConfigOf, RunState, StepContext } from '../loop/run-state.ts';
import { reviewItemsOf } from '../loop/supervision.ts';
import type { ValidationRules } from './checking/proposals.ts';
import { parsedFacts, validateProposal } from './checking/validation.ts';
import { failed, type VerificationPlan, type VerificationRules } from './checking/verification.ts';
import { AnswerCounters, type IntrinsicRules } from './intrinsic.ts';
import { TaskBuffers, type BufferRules } from './buffers.ts';
import { literalStyleOf, proposerView, solutionPrompt } from './prompts.ts';
import {
  formatReason,
  proposalForm,
  readerOf,
  readResponse,
  solutionForm,
  type ReadResponse,
} from './reader.ts';
import { definitionOf } from './task-types/registry.ts';
import type { SolvableTask } from './task-types/task-type.ts';

/** A task of a type that is proposed and solved. */
export type CodeTask = TaskRecord & { taskType: CodeTaskType };

/** The state of a framework that trains on program tasks: its buffers, and the literals of all tasks so far. */
export type CodeTaskState = { buffers: TaskBuffers; counters: AnswerCounters };

export function beginCodeTasks(
  rules: BufferRules & { intrinsic?: IntrinsicRules },
  tasks: readonly TaskRecord[],
): CodeTaskState {
  return addTasks({ buffers: new TaskBuffers(rules), counters: new AnswerCounters(rules.intrinsic) }, tasks);
}

/** The state with the tasks of one more step, in order of creation. */
export function addTasks(state: CodeTaskState, tasks: readonly TaskRecord[]): CodeTaskState {
  state.buffers.add(tasks);
  state.counters.add(tasks);
  return state;
}

/** What judging an answer takes. */
export type CodeTaskDetail = {
  taskType: CodeTaskType;
  /** Task to solve; for proposals null. */
  task: TaskRecord | null;
  /** Proposals: tasks shown as references, and the one whose program the proposal is about (null where it writes its own). */
  references: TaskRecord[];
  given: TaskRecord | null;
};

export type CodeTaskFound = {
  /** Valid proposals: the task it became, not yet estimated. */
  newTask: CodeTask | null;
  /** Proposals as far as they could be read; what the task phase shows. */
  proposal: { program: string; inputs: string[]; message: string | null } | null;
  /** The runner's reading of a proposed program. */
  facts: ParseFacts | null;
};

export type CodeTaskRequest = RolloutRequest<CodeTaskDetail>;
export type ScoredCodeTask = ScoredRollout<CodeTaskDetail, CodeTaskFound>;
type CodeRun<C extends FrameworkConfig & CodeTasksConfig> = RunState<C, CodeTaskState>;

/** The request for place `index` of the batch that solves tasks of this type. */
export function solutionRequest(
  run: RunState,
  pack: PromptPack,
  task: CodeTask,
  index: number,
): CodeTaskRequest {
  const { taskType } = task;
  const batch = codeBatchName('solve', taskType);
  return {
    id: `${run.step}/${batch}/${index}`,
    batch,
    index,
    purpose: 'solve',
    role: 'solver',
    taskType,
    taskId: task.id,
    attempt: 1,
    group: null,
    prompt: solutionPrompt(pack, task, run.context.text, run.config.framework as CodeTasksConfig),
    seed: rolloutSeed(run.config.seed, run.step, batch, index),
    detail: { taskType, task, references: [], given: null },
  };
}

/** Verifies one solution. */
export async function scoreSolution(
  run: CodeRun<FrameworkConfig & CodeTasksConfig>,
  env: StepContext,
  request: CodeTaskRequest,
  rollout: Rollout,
): Promise<ScoredCodeTask> {
  const { framework, sandbox } = run.config;
  const { task, taskType } = request.detail;
  const response = readSolution(run, env, taskType, rollout);
  const found = { newTask: null, proposal: null, facts: null };
  const scored = { request, rollout, response, taskId: request.taskId, found };
  if (!response.formatOk) return { ...scored, verdict: invalid(formatReason(framework, response)) };
  if (answersWithoutProgram(framework, taskType, response))
    return { ...scored, response: { ...response, formatOk: false }, verdict: invalid('no-program') };
  const plan = planVerification({ ...(task as TaskRecord), taskType }, response.answer, framework);
  const [verdict] = await verify(env.runner, [plan], limitsOf(sandbox));
  return { ...scored, verdict: verdict as Verdict };
}

/** Reads a solver's response as the run's reader does. */
export function readSolution(
  { config: { framework } }: RunState<FrameworkConfig & CodeTasksConfig>,
  { pack }: Pick<StepContext, 'pack'>,
  taskType: CodeTaskType,
  { text, finish }: Pick<Rollout, 'text' | 'finish'>,
): ReadResponse {
  return readResponse(
    framework,
    text,
    finish === 'length',
    solutionForm(taskType, pack.examples(`solve-${taskType}`)),
  );
}

/** The original counts a program that cannot be found as a broken format (reward_managers.py, parse_code_function). */
function answersWithoutProgram(
  framework: CodeTasksConfig,
  taskType: CodeTaskType,
  { answer }: ReadResponse,
): boolean {
  if (readerOf(framework) !== 'azr-compat' || answerKind(taskType) !== 'program') return false;
  return answer === null || readAnswerProgram(answer, framework.verifier) === null;
}

/** Validates one proposal: it becomes a task when its program runs and its type finds a gold. */
export async function scoreProposal(
  run: CodeRun<AzrConfig>,
  env: StepContext,
  request: CodeTaskRequest,
  rollout: Rollout,
): Promise<ScoredCodeTask> {
  const { writesProgram } = definitionOf(request.detail.taskType);
  const examples = env.pack.examples(`propose-${request.detail.taskType}`);
  const response = readResponse(
    run.config.framework,
    rollout.text,
    rollout.finish === 'length',
    proposalForm(writesProgram, examples),
  );
  const { verdict, ...found } = await validate(run, env, request, response);
  return { request, rollout, response, verdict, taskId: found.newTask?.id ?? null, found };
}

type Validated = CodeTaskFound & { verdict: Verdict };

async function validate(
  run: CodeRun<AzrConfig>,
  env: StepContext,
  { id, index, attempt, detail: { taskType, given } }: CodeTaskRequest,
  response: ReadResponse,
): Promise<Validated> {
  const { framework, sandbox, policy } = run.config;
  const type = definitionOf(taskType);
  const rejected = (reason: string, rest: Partial<CodeTaskFound> = {}): Validated => ({
    verdict: invalid(reason),
    newTask: null,
    proposal: null,
    facts: null,
    ...rest,
  });
  // The original keeps a program that is valid in a broken form and estimates it; only its author's reward is that of the form.
  const keepsBroken = readerOf(framework) === 'azr-compat';
  if (response.answer === null || (!response.formatOk && !keepsBroken))
    return rejected(formatReason(framework, response));
  const reading = type.readProposal(
    response.answer,
    { givenProgram: given?.program ?? null, inductionInputs: framework.inductionInputs },
    framework.validator,
  );
  if (!reading.ok) return rejected(reading.reason);
  const { proposal } = reading;
  const rules: ValidationRules = { ...framework, literalStyle: literalStyleOf(policy.promptPack) };
  const existing = framework.rejectDuplicates ? run.state.buffers.keys(taskType) : new Set<string>();
  const { facts, validation, level } = await validateProposal(
    env.runner,
    proposal,
    type,
    rules,
    limitsOf(sandbox),
    existing,
  );
  if (!validation.ok) return rejected(validation.reason, { proposal, facts });
  const newTask: CodeTask = {
    ...validation.task,
    id: `t${run.step}/${taskType}/${index}${attempt === 1 ? '' : '/r1'}`,
    taskType,
    step: run.step,
    origin: 'proposal',
    rolloutId: id,
    solveRate: null,
  };
  const verdict: Verdict = { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: level };
  return { verdict, newTask, proposal, facts };
}

function invalid(reason: string): Verdict {
  return { outcome: 'invalid', reason, accuracy: 0, sandboxLevel: null };
}

/** Plans the verification of a solver's answer: the text of its answer block, or null without one. */
export function planVerification(
  task: SolvableTask & { taskType: CodeTaskType },
  answer: string | null,
  rules: VerificationRules,
): VerificationPlan {
  return answer === null
    ? failed('no-answer')
    : definitionOf(task.taskType).planVerification(task, answer, rules);
}

/**
 * Verifies answers, each in a job of its own: a program may keep something between calls, and then one answer to it would
 * change the verdict on another. The calls of one answer (an induction program's hidden inputs) share a job.
 */
export function verify(
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

/** −1 without the format, −0.5 for a wrong answer, else the accuracy. */
export function solutionReward({ response, verdict }: ScoredCodeTask): number {
  return solverReward({ formatOk: response.formatOk, accuracy: verdict.accuracy });
}

/** TRR++: rewards whitened per (role, task type) batch. */
export function batchWhitening({
  framework,
}: ConfigOf<FrameworkConfig & CodeTasksConfig>): AdvantageEstimator {
  return (batch) => whitenedAdvantages(batch, framework.whitening);
}

/** What the agent itself saw or proposed and nothing more, with the golds that only the leak guard gets. */
export function codeTaskReviewItems(scored: ScoredCodeTask): SupervisedItem[] {
  const { request, verdict, found } = scored;
  const { task, taskType, given, references } = request.detail;
  // The answer to the task, and for proposals the answer that others will be asked for.
  const answered = task ?? found.newTask;
  const golds = answered === null ? [] : definitionOf(taskType).goldsOf(answered);
  if (request.purpose === 'propose') {
    const view = proposerView(
      found.proposal ?? { program: given?.program ?? null, inputs: [], message: null },
      references,
    );
    const validity = { valid: verdict.outcome === 'passed', reason: verdict.reason };
    return reviewItemsOf(scored, view, validity, { parsed: parsedFacts(found.facts), golds });
  }
  const view = task === null ? null : definitionOf(taskType).viewOf(task);
  return reviewItemsOf(scored, view, null, { parsed: parsedFacts(found.facts), golds });
}

/** The answers to a task, which no review may give away; rated prompts have none. */
export function goldsOfTask(task: TaskRecord): Gold[] {
  return isCodeTask(task.taskType) ? definitionOf(task.taskType).goldsOf(task) : [];
}
