import { z } from 'zod';
import { sha256Schema } from './names.ts';

/** Anything worth telling or auditing. Stored events form a SHA-256 chain per lab: hash = H(prev ‖ canonical JSON). */
export const storedEventSchema = z.strictObject({
  seq: z.int().positive(),
  at: z.iso.datetime(),
  runId: z.string().nullable(),
  kind: z.string(),
  body: z.unknown(),
  prev: sha256Schema,
  hash: sha256Schema,
});
export type StoredEvent = z.infer<typeof storedEventSchema>;

/** Live progress of a run; not stored. `seq` grows by one per event of the engine so that a reader notices a gap. */
export const progressEventSchema = z.strictObject({
  seq: z.int().positive(),
  at: z.iso.datetime(),
  runId: z.string(),
  step: z.int().nonnegative(),
  steps: z.int().positive(),
  stage: z.string(),
  done: z.number(),
  total: z.number(),
  unit: z.string(),
  ratePerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable(),
});
export type ProgressEvent = z.infer<typeof progressEventSchema>;
