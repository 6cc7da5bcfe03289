import { batchName, Failure, type BatchName, type CodeTaskType, type Purpose, type Role, type TaskRecord, type TaskType } from '../contract/index.ts';
import { rolloutSeed } from '../core/index.ts';
import { proposalPrompt, solutionPrompt, systemPrompt, type Prompt } from './azr/index.ts';
import type { RunInProgress, StepTools } from './in-progress.ts';
import type { PromptMessages } from './policy.ts';
import { pressurePrompts } from './pressure.ts';

/** One rollout to generate and train on, with everything that judging its answer takes. */
export type PlannedRollout = {
  /** `${step}/${batch}/${index}`, with `/r1` when it is generated once more. */
  id: string; batch: BatchName; index: number; purpose: Exclude<Purpose, 'estimate'>; role: Role; taskType: TaskType;
  prompt: Prompt; seed: number;
  /** 2 when the supervisor sent the first one back. */
  attempt: 1 | 2;
  /** Task to solve; for proposals null. */
  task: TaskRecord | null;
  /** Proposals: tasks shown as references, and the one whose program an induction proposal is about. */
  references: TaskRecord[]; given: TaskRecord | null;
  /** Rollouts of one pressure prompt share a group; others stand alone. */
  group: string | null;
};

type CodeTask = TaskRecord & { taskType: CodeTaskType };

/** Another draw of a prompt that was too long gets another path; more than this and nothing in the buffers fits. */
const REDRAWS = 8;

/**
 * All trained prompts of a step: proposals and solutions of every task type, then the rated ones. Everything is drawn before
 * anything is generated, so that one continuous batch can take it all. Prompts longer than the limit are drawn anew.
 */
export async function planPrompts(run: RunInProgress, tools: StepTools): Promise<PlannedRollout[]> {
  let planned = drawAll(run, tools);
  for (let redraw = 1; ; redraw += 1) {
    const tokens = await tools.policy.countTokens(planned.map(({ prompt }) => messagesOf(prompt)));
    const tooLong = planned.filter((_, index) => (tokens[index] ?? 0) > run.config.azr.maxPromptTokens);
    if (tooLong.length === 0) return planned;
    if (redraw > REDRAWS) {
      const first = tooLong[0] as PlannedRollout;
      throw new Failure('promptTooLong', `A prompt of batch ${first.batch} has ${tokens[planned.indexOf(first)]} tokens in every draw, more than azr.maxPromptTokens = ${run.config.azr.maxPromptTokens}; raise the limit or lower azr.references.`);
    }
    planned = planned.map((entry) => (tooLong.includes(entry) ? drawAgain(run, tools, entry, redraw) : entry));
  }
}

export function messagesOf({ system, user }: Prompt): PromptMessages {
  return [{ role: 'system', content: system }, { role: 'user', content: user }];
}

function drawAll(run: RunInProgress, tools: StepTools): PlannedRollout[] {
  const { azr } = run.config;
  const indices = Array.from({ length: azr.batchSize }, (_, index) => index);
  const proposals = azr.taskTypes.flatMap((taskType) => indices.map((index) => drawProposal(run, tools, taskType, index, 0)));
  const solutions = azr.taskTypes.flatMap((taskType) => run.buffers
    .chooseTasks(taskType, azr.batchSize, run.step, run.config.seed, 'tasks', run.step, taskType)
    .map((task, index) => solutionOf(run, tools, { ...task, taskType }, index)));
  const trained = proposals.length + solutions.length;
  return [...proposals, ...solutions, ...drawPressure(run, tools, trained)];
}

function drawProposal(run: RunInProgress, tools: StepTools, taskType: CodeTaskType, index: number, redraw: number): PlannedRollout {
  const { config, step, buffers, context } = run;
  const path = ['references', step, taskType, index, redraw] as const;
  const given = taskType === 'induction' ? buffers.sampleProgram(config.seed, ...path) : null;
  // After half of the redraws the references themselves are what does not fit.
  const references = taskType === 'induction' || redraw > REDRAWS / 2 ? [] : buffers.sampleReferences(taskType, config.seed, ...path);
  const batch = batchName('propose', taskType);
  return {
    id: `${step}/${batch}/${index}`, batch, index, purpose: 'propose', role: 'proposer', taskType, attempt: 1, task: null, references, given, group: null,
    prompt: proposalPrompt(tools.pack, { ...config.azr, taskType, references, given }, context.text),
    seed: rolloutSeed(config.seed, step, batch, index),
  };
}

function solutionOf(run: RunInProgress, tools: StepTools, task: CodeTask, index: number): PlannedRollout {
  const batch = batchName('solve', task.taskType);
  return {
    id: `${run.step}/${batch}/${index}`, batch, index, purpose: 'solve', role: 'solver', taskType: task.taskType, attempt: 1, task, references: [], given: null, group: null,
    prompt: solutionPrompt(tools.pack, task, run.context.text), seed: rolloutSeed(run.config.seed, run.step, batch, index),
  };
}

function drawPressure(run: RunInProgress, tools: StepTools, trained: number): PlannedRollout[] {
  const next = new Map<BatchName, number>();
  return pressurePrompts(run.config, run.step, trained, tools.pressure).flatMap(({ task, user, samples }) => Array.from({ length: samples }, (): PlannedRollout => {
    const batch = batchName('solve', task.taskType);
    const index = next.get(batch) ?? 0;
    next.set(batch, index + 1);
    return {
      id: `${run.step}/${batch}/${index}`, batch, index, purpose: 'solve', role: 'assistant', taskType: task.taskType, attempt: 1, task, references: [], given: null, group: task.id,
      prompt: { system: systemPrompt(tools.pack, 'assistant', run.context.text), user },
      seed: rolloutSeed(run.config.seed, run.step, batch, index),
    };
  }));
}

function drawAgain(run: RunInProgress, tools: StepTools, entry: PlannedRollout, redraw: number): PlannedRollout {
  const { taskType, index, purpose } = entry;
  if (taskType === 'request' || taskType === 'memory') return entry;
  if (purpose === 'propose') return drawProposal(run, tools, taskType, index, redraw);
  // After half of the redraws the newest tasks may all be too long; two steps ahead nothing is new, so the whole buffer is drawn from.
  const step = redraw > REDRAWS / 2 ? run.step + 2 : run.step;
  const [task] = run.buffers.chooseTasks(taskType, 1, step, run.config.seed, 'tasks', run.step, taskType, 'redraw', index, redraw);
  return task === undefined ? entry : solutionOf(run, tools, { ...task, taskType }, index);
}
