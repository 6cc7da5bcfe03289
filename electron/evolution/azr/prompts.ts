import type { AzrConfig, CodeTaskType, Role, RunConfig, TaskRecord, TaskView } from '../../contract/index.ts';
import type { LiteralStyle } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { splitPairs } from './pool/pairs.ts';

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

export type ProposalPromptAsk = Pick<AzrConfig, 'inductionInputs' | 'bannedModules'> & {
  taskType: CodeTaskType;
  /** Abduction and deduction: tasks the new one is to differ from. */
  references: readonly TaskRecord[];
  /** Induction: the task whose program is given; null for the other types. */
  given: Pick<TaskRecord, 'program'> | null;
};

/** Asks for a new task: a program with an input, or inputs and a message for a given program. */
export function proposalPrompt(pack: PromptPack, ask: ProposalPromptAsk, context: string): Prompt {
  return { system: systemPrompt(pack, 'proposer', context), user: ask.taskType === 'induction' ? inductionText(pack, ask) : tripletText(pack, ask) };
}

function tripletText(pack: PromptPack, { taskType, references, bannedModules }: ProposalPromptAsk): string {
  const shown = references.map((task, index) => pack.render('reference', {
    number: String(index + 1), program: task.program, input: task.inputs[0] ?? '', output: task.outputs[0] ?? '',
  }));
  return pack.render(`propose-${taskType}`, { references: shown.join(''), banned: bannedModules.join(', ') });
}

function inductionText(pack: PromptPack, { given, inductionInputs }: ProposalPromptAsk): string {
  if (given === null) throw new RangeError('An induction proposal needs a program; the buffers it is drawn from are empty.');
  return pack.render('propose-induction', { program: given.program, inputs: String(inductionInputs) });
}

/** Asks for the solution of a task. Of an induction task only the first half of the pairs is shown; of the others, never the gold. */
export function solutionPrompt(pack: PromptPack, task: TaskRecord, context: string): Prompt {
  return { system: systemPrompt(pack, 'solver', context), user: solutionText(pack, task) };
}

function solutionText(pack: PromptPack, task: TaskRecord): string {
  switch (task.taskType) {
    case 'abduction': return pack.render('solve-abduction', { program: task.program, output: task.outputs[0] ?? '' });
    case 'deduction': return pack.render('solve-deduction', { program: task.program, input: task.inputs[0] ?? '' });
    case 'induction': {
      const examples = splitPairs(task).given.map((pair, index) => pack.render('example', { ...pair, number: String(index + 1) }));
      return pack.render('solve-induction', { examples: examples.join('\n'), message: task.message ?? '' });
    }
    default: throw new RangeError(`Task ${task.id} is a ${task.taskType}, which is asked in its own words.`);
  }
}

/** What a reviewer may see of the task a solver was given: the same as the solver, so no gold. */
export function solverView(task: TaskRecord): TaskView {
  const none = { program: null, inputs: [], output: null, examples: [], message: null, references: [], request: null };
  switch (task.taskType) {
    case 'abduction': return { ...none, program: task.program, output: task.outputs[0] ?? null };
    case 'deduction': return { ...none, program: task.program, inputs: task.inputs.slice(0, 1) };
    case 'induction': return { ...none, examples: splitPairs(task).given, message: task.message };
    case 'request': case 'memory': return { ...none, request: task.message };
  }
}

/** What a reviewer may see of a proposal: what was written, and the references it was to differ from. */
export function proposerView(content: { program: string | null; inputs: readonly string[]; message: string | null }, references: readonly TaskRecord[]): TaskView {
  return {
    program: content.program, inputs: [...content.inputs], output: null, examples: [], message: content.message,
    references: references.map((task) => task.program), request: null,
  };
}
