import type { CodeTaskType } from '../../../contract/index.ts';
import { abduction } from './abduction/index.ts';
import { deduction } from './deduction/index.ts';
import { error } from './error/index.ts';
import { induction } from './induction/index.ts';
import type { TaskTypeDefinition } from './task-type.ts';

/** Every task type of the contract; the compiler asks for one that is missing. */
const DEFINITIONS: Readonly<Record<CodeTaskType, TaskTypeDefinition>> = {
  abduction,
  deduction,
  induction,
  error,
};

export const definitionOf = (taskType: CodeTaskType): TaskTypeDefinition => DEFINITIONS[taskType];
