import { z } from 'zod';
import type { EncodedValue } from '../contract/index.ts';
import { callErrorSchema, callStatusSchema, sandboxLevelSchema } from './runner-wire.ts';

/**
 * How a value of another type than plain data compares: '' as the data beside it, 'inexact' as a number near it, 'claims'
 * it says that it equals anything, 'custom' its own type decides, 'opaque' equal to no plain data.
 */
export const OBSERVED_MARKS = ['', 'inexact', 'claims', 'custom', 'opaque'] as const;
export type ObservedMark = (typeof OBSERVED_MARKS)[number];

/**
 * What a graded call returned: an EncodedValue in which `['x', type, data, mark]` may stand for a value of another type, and
 * `['h', digest]` for one too large to carry (over 5,000 parts, 20,000 characters or 20,000 bits). Equal values, as Python
 * compares them, have one digest; 'nan' equals nothing and 'huge' could not be told.
 */
export type ObservedValue =
  | ['n']
  | ['b', boolean]
  | ['i', string]
  | ['f', string]
  | ['z', string, string]
  | ['s', string]
  | ['y', string]
  | ['l', ObservedValue[]]
  | ['t', ObservedValue[]]
  | ['S', ObservedValue[]]
  | ['F', ObservedValue[]]
  | ['d', [ObservedValue, ObservedValue][]]
  | ['x', string, ObservedValue | null, ObservedMark]
  | ['h', string];

export type GradeMode = 'function' | 'method' | 'script';

export type GradeJob = {
  program: string;
  mode: GradeMode;
  /** Name of the function or method; not for scripts. */
  entry?: string;
  /** function: arguments as data. method: one JSON value per line. script: standard input. */
  calls: ({ args: EncodedValue[] } | { json: string } | { stdin: string })[];
  /** Something to tell of every call besides its value: its arguments afterwards, or the value taken as a set. */
  also?: 'set' | 'arguments';
  stopOnError?: boolean;
  /** script: what is in the place of sys.stdin. mock (when absent): LiveCodeBench's stand-in; text: a text in memory, as in AZR's older copy. */
  stdinKind?: 'mock' | 'text';
  /** Names that are None for the program (`os.getcwd`) and modules it cannot import (`joblib`), as in the benchmark's own judge. */
  withheld?: readonly string[];
  limits?: {
    cpuSeconds?: number;
    wallSeconds?: number;
    memoryBytes?: number;
    /** All values together, as text; at most 16 MiB. */
    reportBytes?: number;
    /** Of every call, or of each; the program gets an exception then. Time it waits for a processor does not count. */
    callSeconds?: number | number[];
    /** The same for the module body. */
    bodySeconds?: number;
  };
};

/**
 * `seconds` is processor time as the graded process tells it: to be believed of trusted programs only. `running`: a thread was started
 * that the call did not wait for.
 */
export type GradedCall = { running?: boolean } & (
  | { status: 'ok'; value: ObservedValue; also?: ObservedValue | null; seconds: number }
  | {
      status: Exclude<z.infer<typeof callStatusSchema>, 'ok'>;
      error?: { type: string; line?: number };
      seconds?: number;
    }
);

export type GradeResult = {
  level: z.infer<typeof sandboxLevelSchema>;
  status: 'ok' | 'error' | 'timeout' | 'memory' | 'output' | 'died' | 'badFrame';
  error?: { type: string; line?: number };
  calls: GradedCall[];
  wallMs: number;
  cpuMs: number;
};

const gradedCallSchema = z
  .object({
    status: callStatusSchema,
    value: z.unknown().optional(),
    also: z.unknown().optional(),
    error: callErrorSchema.optional(),
    seconds: z.number().optional(),
    running: z.literal(true).optional(),
  })
  .transform(({ status, value, also, error, seconds, running }): GradedCall => {
    const marks = running === undefined ? {} : { running };
    if (status !== 'ok') return { status, error, seconds, ...marks };
    if (!isObserved(value) || (also !== undefined && also !== null && !isObserved(also)))
      return { status: 'badFrame', seconds };
    return { status, value, ...(also === undefined ? {} : { also }), seconds: seconds ?? 0, ...marks };
  });

export const gradeResultSchema: z.ZodType<GradeResult> = z.object({
  level: sandboxLevelSchema,
  status: z.enum(['ok', 'error', 'timeout', 'memory', 'output', 'died', 'badFrame']),
  error: callErrorSchema.optional(),
  calls: z.array(gradedCallSchema),
  wallMs: z.number(),
  cpuMs: z.number(),
});

export const extractionSchema = z.array(
  z.union([z.object({ program: z.string() }), z.object({ error: z.string() })]),
);
export type Extraction = z.infer<typeof extractionSchema>[number];

/** Deeper than anything a sandbox tells, so that every later walk may recurse. */
const MAX_DEPTH = 200;
const HEX_INT = /^-?0x[0-9a-f]{1,5000}$/;
const HEX_DOUBLE = /^[0-9a-f]{16}$/;
const HEX_BYTES = /^(?:[0-9a-f]{2})*$/;
const DIGEST = /^(?:[0-9a-f]{64}|nan|huge)$/;

/** Whether data from a graded process is an observed frame, in one pass. Its size is bounded by the report it came in. */
export function isObserved(value: unknown, depth = 1): value is ObservedValue {
  if (!Array.isArray(value) || depth > MAX_DEPTH) return false;
  const [tag, first, second, third] = value as unknown[];
  const whole = (parts: number): boolean => value.length === parts;
  const text = (part: unknown, pattern: RegExp): boolean => typeof part === 'string' && pattern.test(part);
  switch (tag) {
    case 'n':
      return whole(1);
    case 'b':
      return whole(2) && typeof first === 'boolean';
    case 'i':
      return whole(2) && text(first, HEX_INT);
    case 'f':
      return whole(2) && text(first, HEX_DOUBLE);
    case 'z':
      return whole(3) && text(first, HEX_DOUBLE) && text(second, HEX_DOUBLE);
    case 's':
      return whole(2) && typeof first === 'string';
    case 'y':
      return whole(2) && text(first, HEX_BYTES);
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return whole(2) && Array.isArray(first) && first.every((item) => isObserved(item, depth + 1));
    case 'd':
      return (
        whole(2) &&
        Array.isArray(first) &&
        first.every(
          (pair) =>
            Array.isArray(pair) &&
            pair.length === 2 &&
            isObserved(pair[0], depth + 1) &&
            isObserved(pair[1], depth + 1),
        )
      );
    case 'x':
      return (
        whole(4) &&
        typeof first === 'string' &&
        (second === null || isObserved(second, depth + 1)) &&
        OBSERVED_MARKS.includes(third as ObservedMark) &&
        (third !== '' || second !== null)
      );
    case 'h':
      return whole(2) && text(first, DIGEST);
    default:
      return false;
  }
}
