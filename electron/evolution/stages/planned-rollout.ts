import {
  batchName,
  type BatchName,
  type CodeTaskType,
  type Purpose,
  type Role,
  type TaskRecord,
  type TaskType,
} from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { ChatMessage } from '../../processes/index.ts';
import { solutionPrompt, type Prompt } from '../azr/index.ts';
import type { RunInProgress } from '../in-progress.ts';

/** One rollout to generate and train on, with everything that judging its answer takes. */
export type PlannedRollout = {
  /** `${step}/${batch}/${index}`, with `/r1` when it is generated once more. */
  id: string;
  batch: BatchName;
  index: number;
  purpose: Exclude<Purpose, 'estimate'>;
  role: Role;
  taskType: TaskType;
  prompt: Prompt;
  seed: number;
  /** 2 when the supervisor sent the first one back. */
  attempt: 1 | 2;
  /** Task to solve; for proposals null. */
  task: TaskRecord | null;
  /** Proposals: tasks shown as references, and the one whose program the proposal is about (null where it writes its own). */
  references: TaskRecord[];
  given: TaskRecord | null;
  /** Rollouts of one pressure prompt share a group; others stand alone. */
  group: string | null;
};

/** A task of a type that is proposed and solved. */
export type CodeTask = TaskRecord & { taskType: CodeTaskType };

export function messagesOf({ system, user }: Prompt): ChatMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

/** The rollout of place `index` in the batch that solves tasks of this type. */
export function planSolution(
  run: RunInProgress,
  pack: PromptPack,
  task: CodeTask,
  index: number,
): PlannedRollout {
  const batch = batchName('solve', task.taskType);
  return {
    id: `${run.step}/${batch}/${index}`,
    batch,
    index,
    purpose: 'solve',
    role: 'solver',
    taskType: task.taskType,
    attempt: 1,
    task,
    references: [],
    given: null,
    group: null,
    prompt: solutionPrompt(pack, task, run.context.text),
    seed: rolloutSeed(run.config.seed, run.step, batch, index),
  };
}
