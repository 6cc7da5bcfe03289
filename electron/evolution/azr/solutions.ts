import type { CodeTaskType } from '../../contract/index.ts';
import { failed, type VerificationPlan, type VerificationRules } from './checking/verification.ts';
import { definitionOf } from './task-types/registry.ts';
import type { SolvableTask } from './task-types/task-type.ts';

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
