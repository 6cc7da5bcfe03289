import {
  isRated,
  type CodeTaskType,
  type Role,
  type RunConfig,
  type TaskRecord,
  type TaskView,
} from '../../contract/index.ts';
import type { LiteralStyle } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { definitionOf } from './task-types/registry.ts';
import { EMPTY_VIEW, type ProposalTextAsk } from './task-types/task-type.ts';

/** What the policy is asked, before the chat template of its tokenizer. */
export type Prompt = { system: string; user: string };

/** How a pack writes Python values: the embedded policy was trained without spaces after commas. */
export function literalStyleOf(promptPack: RunConfig['policy']['promptPack']): LiteralStyle {
  return promptPack === 'compact' ? 'compact' : 'repr';
}

/**
 * The system message: who the policy is in this prompt, and the supervisor's context C_t as rendered text ('' for none).
 * The proposer, the solver and the Monte-Carlo solver of a step must all be given the same context, or learnability is
 * measured on another policy than the one that learns.
 */
export function systemPrompt(pack: PromptPack, role: Role, context: string): string {
  return pack.render('system', { role, context });
}

export type ProposalPromptAsk = ProposalTextAsk & { taskType: CodeTaskType };

/** Asks for a new task of a type. */
export function proposalPrompt(pack: PromptPack, ask: ProposalPromptAsk, context: string): Prompt {
  return {
    system: systemPrompt(pack, 'proposer', context),
    user: definitionOf(ask.taskType).proposalText(pack, ask),
  };
}

/** Asks for the solution of a task, showing nothing of its gold. */
export function solutionPrompt(pack: PromptPack, task: TaskRecord, context: string): Prompt {
  if (isRated(task.taskType))
    throw new RangeError(`Task ${task.id} is a ${task.taskType}, which is asked in its own words.`);
  return {
    system: systemPrompt(pack, 'solver', context),
    user: definitionOf(task.taskType).solutionText(pack, task),
  };
}

/** What a reviewer may see of the task a solver was given: the same as the solver, so no gold. */
export function solverView(task: TaskRecord): TaskView {
  return isRated(task.taskType)
    ? { ...EMPTY_VIEW, request: task.message }
    : definitionOf(task.taskType).viewOf(task);
}

/** What a reviewer may see of a proposal: what was written, and the references it was to differ from. */
export function proposerView(
  content: { program: string | null; inputs: readonly string[]; message: string | null },
  references: readonly TaskRecord[],
): TaskView {
  return {
    ...EMPTY_VIEW,
    program: content.program,
    inputs: [...content.inputs],
    message: content.message,
    references: references.map((task) => task.program),
  };
}
