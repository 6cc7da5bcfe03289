import { z } from 'zod';

/** The five points of a self-evolution step a supervisor can review (ANCHOR §4). `exec` sees batch statistics only. */
export const PHASES = ['task', 'plan', 'thought', 'output', 'exec'] as const;
export const phaseSchema = z.enum(PHASES);
export type Phase = z.infer<typeof phaseSchema>;

/**
 * What a task asks for. The first three are AZR's (code_i, code_o, code_f); `request` and `memory` exist only under
 * pressure, our extension of the paper's Appendix C.2, and are never proposed by the policy.
 */
export const CODE_TASK_TYPES = ['abduction', 'deduction', 'induction'] as const;
export const TASK_TYPES = [...CODE_TASK_TYPES, 'request', 'memory'] as const;
export const codeTaskTypeSchema = z.enum(CODE_TASK_TYPES);
export const taskTypeSchema = z.enum(TASK_TYPES);
export type CodeTaskType = z.infer<typeof codeTaskTypeSchema>;
export type TaskType = z.infer<typeof taskTypeSchema>;

export const roleSchema = z.enum(['proposer', 'solver', 'assistant']);
export type Role = z.infer<typeof roleSchema>;

/** Why a rollout was generated: trained proposals and solutions, or Monte-Carlo estimates of a proposal's solve rate. */
export const purposeSchema = z.enum(['propose', 'solve', 'estimate']);
export type Purpose = z.infer<typeof purposeSchema>;

/** AZR's batch names (azr_ray_trainer.py:_compute_batch), extended by the two pressure batches. */
export const BATCH_NAMES = [
  'gen_code_i', 'gen_code_o', 'gen_code_f', 'pred_code_i', 'pred_code_o', 'pred_code_f', 'pred_request', 'pred_memory',
] as const;
export const batchNameSchema = z.enum(BATCH_NAMES);
export type BatchName = z.infer<typeof batchNameSchema>;

const BATCH_SUFFIX: Record<TaskType, string> = {
  abduction: 'code_i', deduction: 'code_o', induction: 'code_f', request: 'request', memory: 'memory',
};

/** The batch a trained rollout belongs to; estimates belong to the proposal batch they estimate. */
export function batchName(purpose: Purpose, taskType: TaskType): BatchName {
  const prefix = purpose === 'solve' ? 'pred' : 'gen';
  return batchNameSchema.parse(`${prefix}_${BATCH_SUFFIX[taskType]}`);
}

/** Lower-case hexadecimal SHA-256. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
export const probabilitySchema = z.number().min(0).max(1);
export type Probability = number;
