import { z } from 'zod';

/** The five points of a self-evolution step a supervisor can review (ANCHOR §4). `exec` sees batch statistics only. */
export const PHASES = ['task', 'plan', 'thought', 'output', 'exec'] as const;
export const phaseSchema = z.enum(PHASES);
export type Phase = z.infer<typeof phaseSchema>;

/** What a solver answers with: call arguments, a value, a function, one bare Python name, or a mathematical expression. */
export type AnswerKind = 'input' | 'output' | 'program' | 'name' | 'expression';

/**
 * The task types a policy proposes and solves, in the order of tables. This line holds what rooms below evolution need to know
 * of a type: its suffix in AZR's batch names (azr_ray_trainer.py:_compute_batch), what its solver answers with, and whether a
 * run has it unless it is told otherwise. All else is in evolution/code-tasks/task-types/<name>/.
 */
export const CODE_TASKS = {
  abduction: { suffix: 'code_i', answer: 'input', byDefault: true },
  deduction: { suffix: 'code_o', answer: 'output', byDefault: true },
  induction: { suffix: 'code_f', answer: 'program', byDefault: true },
  error: { suffix: 'code_e', answer: 'name', byDefault: false },
} as const satisfies Record<string, { suffix: string; answer: AnswerKind; byDefault: boolean }>;

export type CodeTaskType = keyof typeof CODE_TASKS;
export const CODE_TASK_TYPES = Object.keys(CODE_TASKS) as CodeTaskType[];
export const DEFAULT_TASK_TYPES = CODE_TASK_TYPES.filter((name) => CODE_TASKS[name].byDefault);
export const codeTaskTypeSchema = z.enum(CODE_TASK_TYPES);

/** Exist only where prompts are rewarded, our extension of the paper's Appendix C.2, and are never proposed by the policy. */
export const RATED_TASK_TYPES = ['request', 'memory'] as const;
export type RatedTaskType = (typeof RATED_TASK_TYPES)[number];

/** Questions of mathematics in words, whose answer nobody knows beforehand. */
export const QUESTION_TASK_TYPES = ['question'] as const;
export type QuestionTaskType = (typeof QUESTION_TASK_TYPES)[number];

/** What a task asks for. */
export type TaskType = CodeTaskType | RatedTaskType | QuestionTaskType;
export const TASK_TYPES: readonly TaskType[] = [
  ...CODE_TASK_TYPES,
  ...RATED_TASK_TYPES,
  ...QUESTION_TASK_TYPES,
];
export const taskTypeSchema = z.enum(TASK_TYPES);

const isOneOf =
  <T extends string>(names: readonly T[]) =>
  (name: string): name is T =>
    (names as readonly string[]).includes(name);
export const isCodeTask = isOneOf(CODE_TASK_TYPES);
export const isRated = isOneOf(RATED_TASK_TYPES);

/** What the solver of a task answers with; null for a rated prompt, which is answered in plain words. */
export function answerKind(taskType: CodeTaskType): AnswerKind;
export function answerKind(taskType: TaskType): AnswerKind | null;
export function answerKind(taskType: TaskType): AnswerKind | null {
  if (isCodeTask(taskType)) return CODE_TASKS[taskType].answer;
  return isRated(taskType) ? null : 'expression';
}

export const roleSchema = z.enum(['proposer', 'solver', 'assistant']);
export type Role = z.infer<typeof roleSchema>;

/** Why a rollout was generated: trained proposals and solutions, or Monte-Carlo estimates of a proposal's solve rate. */
const purposeSchema = z.enum(['propose', 'solve', 'estimate']);
export type Purpose = z.infer<typeof purposeSchema>;

/** Who can review, by the names of configuration and records; the makers are in supervision/reviewers/registry.ts. */
export const REVIEWER_KINDS = ['llama', 'rubric', 'checklist', 'scripted', 'human', 'yoked'] as const;
export const reviewerKindSchema = z.enum(REVIEWER_KINDS);
export type ReviewerKind = z.infer<typeof reviewerKindSchema>;

/** Lower-case hexadecimal SHA-256. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
export const probabilitySchema = z.number().min(0).max(1);
export type Probability = number;

/**
 * A name that a framework chooses: of a batch, a stage, a role, a purpose or an origin. The contract and the store know its
 * shape only; which names there are is the framework's to say.
 */
export const shortNameSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,39}$/,
    'a name has at most 40 lower-case letters, digits, "_" and "-", and begins with a letter',
  );
