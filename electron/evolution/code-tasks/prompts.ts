import { type CodeTaskType, type RunConfig, type TaskRecord, type TaskView } from '../../contract/index.ts';
import type { LiteralStyle } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { EMPTY_VIEW } from '../../supervision/index.ts';
import { framed, systemPrompt, type Prompt } from '../loop/framework.ts';
import { readerOf, type ReaderSettings } from './reader.ts';
import { definitionOf } from './task-types/registry.ts';
import type { ProposalTextAsk, TaskContent } from './task-types/task-type.ts';

/** How a pack writes Python values: the embedded policy was trained without spaces after commas. */
export function literalStyleOf(promptPack: RunConfig['policy']['promptPack']): LiteralStyle {
  return promptPack === 'compact' ? 'compact' : 'repr';
}

export type ProposalPromptAsk = ProposalTextAsk & { taskType: CodeTaskType };

/** Asks for a new task of a type. */
export function proposalPrompt(
  pack: PromptPack,
  ask: ProposalPromptAsk,
  context: string,
  reading: ReaderSettings = { validator: 'strict' },
): Prompt {
  return framed(pack, {
    system: systemPrompt(pack, 'proposer', context),
    user: definitionOf(ask.taskType).proposalText(pack, ask),
    ...endsOf(pack, `propose-${ask.taskType}`, reading),
  });
}

/** How the answer begins, where the pack opens it, and what ends it: the pack's own text, and the closing tag for a reader that does without. */
function endsOf(
  pack: PromptPack,
  template: string,
  reading: ReaderSettings,
): Pick<Prompt, 'opening' | 'stops'> {
  const stops = [
    ...(pack.has(`stop-${template}`) ? [pack.render(`stop-${template}`, {})] : []),
    ...(readerOf(reading) === 'lenient' ? ['</answer>'] : []),
  ];
  return {
    ...(pack.has(`open-${template}`) ? { opening: pack.render(`open-${template}`, {}) } : {}),
    ...(stops.length === 0 ? {} : { stops }),
  };
}

/** Asks for the solution of a task, showing nothing of its gold. */
export function solutionPrompt(
  pack: PromptPack,
  task: TaskContent & { taskType: CodeTaskType },
  context: string,
  reading: ReaderSettings = { validator: 'strict' },
): Prompt {
  return framed(pack, {
    system: systemPrompt(pack, 'solver', context),
    user: definitionOf(task.taskType).solutionText(pack, task),
    ...endsOf(pack, `solve-${task.taskType}`, reading),
  });
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
