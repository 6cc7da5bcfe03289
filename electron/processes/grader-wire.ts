import { z } from 'zod';

/** Protocol of native/grader. Unknown fields of answers are dropped; the major version must be the same. */
export const GRADER_PROTOCOL = { name: 'anchor-grader', major: 1 } as const;

export const graderHelloSchema = z.object({
  protocol: z.string(),
  major: z.int(),
  minor: z.int(),
  python: z.string(),
  /** Of the packages that decide a verdict; part of what a stored verdict rests on. */
  versions: z.record(z.string(), z.string()),
  /** `processorTimer`: the kernel ends the process when a pair has used its processor time; elsewhere only wall time counts. */
  limits: z.object({ addressBytes: z.int().nullable(), processorTimer: z.boolean() }),
});
export type GraderHello = z.infer<typeof graderHelloSchema>;

/** Two answers and how math-verify reads them; what is left out is its own default. */
export type ComparePair = {
  gold: string;
  answer: string;
  /** Each text is an answer by itself and is boxed before it is parsed (default); false searches both texts for their answers. */
  boxed?: boolean;
  targets?: readonly ('latex' | 'expr')[];
  /** A box counts more than what a sentence calls the final answer. */
  boxFirst?: boolean;
  floatRounding?: number;
  numericPrecision?: number;
  strict?: boolean;
  setRelations?: boolean;
};

const formSchema = z.enum(['parsed', 'text', 'nothing']);
export const comparedSchema = z.object({
  equal: z.boolean(),
  gold: formSchema,
  answer: formSchema,
  /** Name of the failure inside the comparison, which counts as "not equal". */
  problem: z.string().nullable(),
  processorMs: z.number(),
});

/**
 * `timeout`: the pair used up its time and the process was killed; by the wall clock, where there is a processor timer, because the
 * machine was busy with something else. `lost`: the process died of the pair, twice.
 */
export type Comparison =
  | ({ outcome: 'compared'; wallMs: number } & z.infer<typeof comparedSchema>)
  | { outcome: 'timeout'; limit: 'processor' | 'wall'; wallMs: number; reason: string }
  | { outcome: 'lost'; wallMs: number; reason: string };
