import { z } from 'zod';
import { encodedValueSchema, type EncodedValue, type SandboxConfig } from '../contract/index.ts';

export const sandboxLevelSchema = z.enum(['L3', 'L2', 'unsafe']);

export const callStatusSchema = z.enum([
  'ok',
  'error',
  'timeout',
  'memory',
  'output',
  'died',
  'badFrame',
  'notRun',
]);
export const callErrorSchema = z.object({ type: z.string(), line: z.int().optional() });

export const helloSchema = z.object({
  /** The level in use, or the last one tried when none could be started. */
  level: sandboxLevelSchema,
  /** One sentence: what the self-test found, or why programs cannot be executed. */
  why: z.string(),
  python: z.string(),
  selfTest: z.array(z.object({ probe: z.string(), ok: z.boolean(), detail: z.string() })),
  executionAllowed: z.boolean(),
});
export type RunnerHello = z.infer<typeof helloSchema>;

export const runResultSchema = z.object({
  level: sandboxLevelSchema,
  status: z.enum(['ok', 'error', 'timeout', 'memory', 'output', 'died', 'badFrame']),
  error: callErrorSchema.optional(),
  calls: z.array(
    z.object({
      status: callStatusSchema,
      value: encodedValueSchema.optional(),
      error: callErrorSchema.optional(),
    }),
  ),
  stdout: z.string(),
  stderr: z.string(),
  wallMs: z.number(),
  cpuMs: z.number(),
});
export type RunResult = z.infer<typeof runResultSchema>;

export const checkResultSchema = runResultSchema.extend({
  deterministic: z.boolean(),
  /** Calls (from 0) that did not end the same way on both hash seeds, both times. */
  differs: z.array(z.int()),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** Static facts of a program, or why it is none. Counts include nested code; `imports` and `callsTo` name each thing once. */
export const parseFactsSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    imports: z.array(z.string()),
    functions: z.array(
      z.object({ name: z.string(), line: z.int(), args: z.array(z.string()), nested: z.boolean() }),
    ),
    statements: z.int(),
    loops: z.int(),
    callsTo: z.array(z.string()),
    astNodes: z.int(),
    /** The program printed from its syntax tree, without comments. */
    normalized: z.string(),
  }),
  z.object({ ok: z.literal(false), error: callErrorSchema.extend({ message: z.string() }) }),
]);
export type ParseFacts = z.infer<typeof parseFactsSchema>;

/** How far a program's tree is from that of each reference; null for one that was not compared. */
export const distancesSchema = z.array(z.number().min(0).max(1).nullable());

/** Arguments as canonical data, or an expression evaluated inside the sandbox (compatibility mode only). */
export type RunnerCall =
  | { args: EncodedValue[]; kwargs?: Record<string, EncodedValue> }
  | { expression: string };
/** Limits of one job. */
export type RunLimits = {
  cpuSeconds?: number;
  wallSeconds?: number;
  memoryBytes?: number;
  outputBytes?: number;
};
export type RunJob = {
  program: string;
  /** Name of the function the calls go to. */
  entry: string;
  calls: RunnerCall[];
  hashSeed?: number;
  limits?: RunLimits;
  stopOnError?: boolean;
};
export type CheckJob = Omit<RunJob, 'hashSeed' | 'stopOnError'>;

export function limitsOf({ cpuSeconds, wallSeconds, memoryBytes, outputBytes }: SandboxConfig): RunLimits {
  return { cpuSeconds, wallSeconds, memoryBytes, outputBytes };
}
