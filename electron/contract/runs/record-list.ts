import { z } from 'zod';
import { phaseSchema, taskTypeSchema } from '../names.ts';
import {
  reviewRecordSchema,
  reviewStatusSchema,
  rolloutRecordSchema,
  shortNameSchema,
  verdictSchema,
} from './records.ts';

/**
 * Which records of a run; every given part must hold. Steps are inclusive. `issue`, `phase`, `decision` and `leak` ask for one
 * answered review of which all of them hold: issue "vague-plan" and phase "plan" finds a review of a plan that raised it.
 */
export const recordFilterSchema = z.strictObject({
  fromStep: z.int().optional(),
  toStep: z.int().optional(),
  batch: shortNameSchema.optional(),
  role: shortNameSchema.optional(),
  taskType: taskTypeSchema.optional(),
  outcome: verdictSchema.shape.outcome.optional(),
  reviewed: z.boolean().optional(),
  issue: z.string().optional(),
  phase: phaseSchema.optional(),
  decision: z.enum(['continue', 'retry']).optional(),
  /** Only records with a review that the leak guard quarantined. */
  leak: z.literal(true).optional(),
});
export type RecordFilter = z.infer<typeof recordFilterSchema>;

/** What a list shows of a review. */
export const reviewMarkSchema = z.strictObject({
  phase: phaseSchema,
  status: reviewStatusSchema,
  decision: reviewRecordSchema.shape.decision,
});
export type ReviewMark = z.infer<typeof reviewMarkSchema>;

/** A record as a list shows it; the whole one is read by its id. */
export const recordRowSchema = rolloutRecordSchema
  .pick({
    id: true,
    step: true,
    batch: true,
    index: true,
    sample: true,
    purpose: true,
    role: true,
    taskType: true,
    formatOk: true,
    finish: true,
    newTokens: true,
    verdict: true,
    reward: true,
  })
  .extend({
    /** The answer's beginning, or the text's where there is none; control characters included. */ excerpt:
      z.string(),
    reviews: z.array(reviewMarkSchema),
  });
export type RecordRow = z.infer<typeof recordRowSchema>;

/** Where in a record a search looked. */
export const searchPlaceSchema = z.enum(['agent', 'prompt', 'review']);
export type SearchPlace = z.infer<typeof searchPlaceSchema>;

/** A filter a person has named, kept for the whole lab. */
export const savedFilterSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filter: recordFilterSchema,
  text: z.string().max(400),
});
export type SavedFilter = z.infer<typeof savedFilterSchema>;
