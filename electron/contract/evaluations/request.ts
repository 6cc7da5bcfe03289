import { z } from 'zod';
import type { EvaluationScore, SuiteGroup } from './evaluation.ts';

/** An evaluation that is wanted, as one start or estimate asks for it. */
export const evaluationRequestSchema = z.strictObject({
  subjects: z.array(z.string().min(1)).min(1).max(60),
  suites: z.array(z.string().min(1)).min(1),
  limit: z.int().positive().nullable(),
  seed: z.int().nonnegative().default(1),
  /** run: under the context that the checkpoint's run had reached; null: the weights alone. */
  context: z.enum(['run']).nullable().default(null),
  /** Library name or path of a GGUF file; null grades without one (labelled so) where a suite allows it. */
  judge: z.string().min(1).nullable().default(null),
  /** Protocol by suite; the suite's first one where absent. */
  protocols: z.record(z.string(), z.string()).default({}),
  /** Also where the same is stored already. */
  again: z.boolean().default(false),
});
export type EvaluationOrder = z.infer<typeof evaluationRequestSchema>;

/** What stands between an order and its figures. Seconds are null where nothing was measured and nothing can be told. */
export type EvaluationEstimate = {
  cells: {
    subject: string;
    suite: string;
    items: number;
    seconds: number | null;
    basis: 'measured' | 'similar' | 'unknown';
    /** Graded already, in an evaluation that was cut off. */ done: number;
  }[];
  skipped: { subject: string; suite: string; why: string }[];
  items: number;
  seconds: number | null;
};

/** A suite as people choose it. */
export type SuiteChoice = {
  name: string;
  title: string;
  group: SuiteGroup;
  measures: string;
  better: EvaluationScore['better'];
  /** Items there are; null while they are not counted. */
  items: number | null;
  source:
    | { kind: 'bundled' }
    | { kind: 'dataset'; dataset: string; state: 'ready' | 'absent' | 'unacknowledged'; note: string | null };
  needs: { sandbox: boolean; judge: 'none' | 'optional' | 'required'; maths: boolean };
  /** Its texts are hidden until a person asks to see them. */
  hazardous: boolean;
  protocols: { name: string; temperature: number; maxNewTokens: number; samples: number; says: string }[];
  /** Measured in this lab, per answer; null before. */
  secondsPerItem: number | null;
  mini: boolean;
};

/** A condition on a score of a run's own evaluations. */
export const tripwireSchema = z.strictObject({
  suite: z.string().min(1).describe('Suite whose score is watched.'),
  score: z.string().min(1).optional().describe('Name of the score; the suite’s first one when absent.'),
  /** below, above: the score itself. falls, rises: its distance from the weights the run began with. Shares are 0 to 1: six points are 0.06. */
  when: z.enum(['below', 'above', 'falls', 'rises']),
  by: z.number().describe('The limit, in the score’s own unit; 0.06 is six points of a share.'),
  action: z.enum(['mark', 'pause']).default('mark'),
  /** Trip only when the interval lies beyond the limit as well, so that chance alone seldom trips it. */
  certain: z.boolean().default(false),
});
export type Tripwire = z.infer<typeof tripwireSchema>;

/** Kind of the event that keeps a touched tripwire. */
export const TRIPPED = 'tripwire.tripped';

/** A tripwire that was touched. `said` is the sentence for people. */
export const trippedSchema = z.strictObject({
  runId: z.string(),
  step: z.int().nonnegative(),
  evaluationId: z.string(),
  wire: tripwireSchema,
  value: z.number(),
  base: z.number().nullable(),
  said: z.string(),
});
export type Tripped = z.infer<typeof trippedSchema>;

/** A value that a tripwire watches for on the curve of a suite, which is the share that passed. */
export type WireLimit = Pick<Tripwire, 'suite' | 'when'> & { value: number };
/** What a run's tripwires put into curves of its scores; those that were touched are oldest first. */
export type RunWires = { tripped: Tripped[]; limits: WireLimit[] };
