import { z } from 'zod';
import {
  CODE_TASK_TYPES,
  CODE_TASKS,
  codeTaskTypeSchema,
  DEFAULT_TASK_TYPES,
  type CodeTaskType,
  type Purpose,
} from '../names.ts';
import type { BatchSpec } from './batches.ts';

const positiveInt = z.int().positive();

/** Settings of every framework that trains on program tasks, whoever wrote the tasks. */
export const codeTasksFields = {
  /** A type named twice is one type. */
  taskTypes: z
    .array(codeTaskTypeSchema)
    .min(1)
    .overwrite((names) => [...new Set(names)])
    .default([...DEFAULT_TASK_TYPES]),
  /** Prompts per (role, task type) batch. */
  batchSize: positiveInt.default(8),
  /** TRR++ baseline over response tokens (repository) or over sequences (paper's text). */
  whitening: z.enum(['token', 'sequence']).default('token'),
  inductionReward: z.enum(['binary', 'accuracy', 'any']).default('binary'),
  /** strict: typed values compared outside the sandbox; azr-compat: Python's == (1 == 1.0 == True). */
  verifier: z.enum(['strict', 'azr-compat']).default('strict'),
  /** strict: rejects empty gold, non-determinism, over-long values; azr-compat: accepts what the original accepts. */
  validator: z.enum(['strict', 'azr-compat']).default('strict'),
  /**
   * How responses are read. strict: a think block, then an answer block, nothing around them. azr-compat: the same at the start of the
   * text, and a valid proposal in a broken form is kept and estimated, as in the original. lenient: the end of the text closes open
   * tags, and blocks of the right kind are read without tags. The one that belongs to the validator when absent.
   */
  reader: z.enum(['strict', 'azr-compat', 'lenient']).optional(),
  /** Longest literal accepted as an output, in characters; azr-compat truncates to 400 instead of rejecting. */
  maxLiteralChars: positiveInt.default(400),
  bannedModules: z
    .array(z.string())
    .default([
      'logging',
      'random',
      'multiprocessing',
      'pebble',
      'subprocess',
      'threading',
      'datetime',
      'time',
      'hashlib',
      'hmac',
      'bcrypt',
      'os',
      'sys',
      'calendar',
      'secrets',
      'socket',
      'ctypes',
      'shutil',
      'importlib',
      'builtins',
      'io',
      'pathlib',
    ]),
  /** Programs may define only the entry function (AZR's Qwen runs). */
  rejectMultipleFunctions: z.boolean().default(true),
  /** Tasks kept per buffer; the newest are kept (the original keeps the oldest). */
  bufferCap: positiveInt.default(16384),
} as const;

/**
 * Why a response is not read as an answer, and its sentence for people. Of each step's trained answers they are counted as the metric
 * `format/<cause>`.
 */
export const FORMAT_CAUSE_SENTENCES = {
  empty: 'The response is empty.',
  'cut-off': 'The response was cut off at the limit of new tokens before its answer was complete.',
  'no-tag': 'The response has no answer tag.',
  'tag-not-closed': 'The answer tag is not closed.',
  'tag-order': 'The tags are not one think block followed by one answer block.',
  'no-block': 'The response has no fenced block.',
  'block-not-closed': 'The fenced block is not closed.',
  'wrong-block': 'The response has fenced blocks, but not of the kind that was asked for.',
  'copied-example': 'The answer repeats the example value of the form instead of an answer.',
} as const;
export type FormatCause = keyof typeof FORMAT_CAUSE_SENTENCES;
export const FORMAT_CAUSES = Object.keys(FORMAT_CAUSE_SENTENCES) as FormatCause[];
/** What is counted beside the causes: answers that can be read, and those without a cause of their own. */
export const READABLE = 'readable';
export const OTHER_CAUSE = 'other';
export const formatMetric = (cause: FormatCause | typeof READABLE | typeof OTHER_CAUSE): string =>
  `format/${cause}`;

const codeTasksSchema = z.object(codeTasksFields);
export type CodeTasksConfig = z.infer<typeof codeTasksSchema>;

/** The batch of a rollout, in AZR's spelling; estimates belong to the batch of the proposals they estimate. */
export const codeBatchName = (purpose: Purpose, taskType: CodeTaskType): string =>
  `${purpose === 'solve' ? 'pred' : 'gen'}_${CODE_TASKS[taskType].suffix}`;

const codeBatches = (purpose: 'propose' | 'solve', spec: Pick<BatchSpec, 'role' | 'judgedBy'>): BatchSpec[] =>
  CODE_TASK_TYPES.map((taskType) => ({
    name: codeBatchName(purpose, taskType),
    ...spec,
    taskType,
    heading: CODE_TASKS[taskType].suffix,
  }));
export const CODE_PROPOSALS: readonly BatchSpec[] = codeBatches('propose', {
  role: 'proposer',
  judgedBy: 'solve-rate',
});
export const CODE_SOLUTIONS: readonly BatchSpec[] = codeBatches('solve', {
  role: 'solver',
  judgedBy: 'pass-rate',
});
