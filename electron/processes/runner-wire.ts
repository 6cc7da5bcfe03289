import { z } from 'zod';
import { frameSchema, type Frame } from '../contract/index.ts';

export const sandboxLevelSchema = z.enum(['L3', 'L2', 'unsafe']);
export type SandboxLevel = z.infer<typeof sandboxLevelSchema>;

export const callStatusSchema = z.enum(['ok', 'error', 'timeout', 'memory', 'output', 'died', 'badFrame', 'notRun']);
const callErrorSchema = z.object({ type: z.string(), line: z.int().optional() });

export const helloSchema = z.object({
  level: sandboxLevelSchema, why: z.string(), python: z.string(),
  selfTest: z.array(z.object({ probe: z.string(), ok: z.boolean(), detail: z.string() })),
  executionAllowed: z.boolean(),
});
export type RunnerHello = z.infer<typeof helloSchema>;

export const runResultSchema = z.object({
  level: sandboxLevelSchema,
  status: z.enum(['ok', 'error', 'timeout', 'memory', 'output', 'died', 'badFrame']),
  error: callErrorSchema.optional(),
  calls: z.array(z.object({ status: callStatusSchema, value: frameSchema.optional(), error: callErrorSchema.optional() })),
  stdout: z.string(), wallMs: z.number(), cpuMs: z.number(),
});
export type RunResult = z.infer<typeof runResultSchema>;

export const checkResultSchema = runResultSchema.extend({
  deterministic: z.boolean(),
  /** Index of the first call whose values differed. */
  differedCall: z.int().nullish(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

export const parseFactsSchema = z.object({
  ok: z.boolean(),
  error: z.object({ line: z.int().nullish(), message: z.string() }).nullish(),
  imports: z.array(z.string()),
  functions: z.array(z.object({ name: z.string(), line: z.int(), args: z.union([z.int(), z.array(z.string())]), nested: z.boolean() })),
  statements: z.int(), loops: z.int(), callsTo: z.array(z.string()), astNodes: z.int(),
  normalized: z.string().nullish(),
});
export type ParseFacts = z.infer<typeof parseFactsSchema>;

/** Arguments as canonical data, or an expression evaluated inside the sandbox (compatibility mode only). */
export type RunnerCall = { args: Frame[] } | { expression: string };
export type RunLimits = { cpuSeconds?: number; wallSeconds?: number; memoryBytes?: number; outputBytes?: number };
export type RunJob = {
  program: string;
  /** Name of the function the calls go to. */
  entry: string;
  calls: RunnerCall[]; hashSeed?: number; limits?: RunLimits; stopOnError?: boolean;
};
export type CheckJob = Omit<RunJob, 'hashSeed' | 'stopOnError'>;
