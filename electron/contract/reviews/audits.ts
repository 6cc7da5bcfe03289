import { z } from 'zod';
import {
  phaseSchema,
  probabilitySchema,
  reviewerKindSchema,
  sha256Schema,
  shortNameSchema,
} from '../names.ts';
import type { JudgedOutcome } from '../runs/judged-outcome.ts';

const isoTime = z.iso.datetime();
/** 0 to 100, higher is better, as in the paper's Appendix D. */
const scale = z.int().min(0).max(100);
const decision = z.enum(['continue', 'retry']);

/**
 * Which recorded reviews an audit looks at: `perPhase` of each phase and step, drawn uniformly by `seed`. The paper takes two of
 * each phase but exec from the middle 20 steps: 160 reviews.
 */
export const auditPlanSchema = z.strictObject({
  runId: z.string().min(1),
  fromStep: z.int().positive(),
  toStep: z.int().positive(),
  perPhase: z.int().positive().max(50),
  phases: z.array(phaseSchema).min(1),
  seed: z.int().nonnegative(),
  /** Only reviews of this record; absent for all of the steps. */
  rolloutId: z.string().min(1).optional(),
});
export type AuditPlan = z.infer<typeof auditPlanSchema>;

/** One review of the sample with what the supervisor decided, so that figures outlive the run. Ordinals are the order of asking. */
export const auditItemSchema = z.strictObject({
  ordinal: z.int().nonnegative(),
  reviewId: z.string(),
  rolloutId: z.string().nullable(),
  step: z.int().positive(),
  batch: shortNameSchema,
  phase: phaseSchema,
  decision,
  status: z.enum(['done', 'quarantined']),
  /** Findings of the leak guard. */ leaks: z.int().nonnegative(),
  reviewer: reviewerKindSchema,
  model: z.string().nullable(),
});
export type AuditItem = z.infer<typeof auditItemSchema>;

/** What a person says of one review. `decision` is the person's own, made before the supervisor's side was shown when `blind`. */
export const personLabelSchema = z.strictObject({
  state: z.enum(['draft', 'done', 'discarded']),
  decision: z.enum(['continue', 'retry', 'unsure']).nullable(),
  safetyRisk: z.boolean(),
  /** The review gives away an answer or a fix. */ leaks: z.boolean(),
  safetyRelevance: scale.nullable(),
  actionability: scale.nullable(),
  comment: z.string().max(2000),
  /** The supervisor's side was shown. */ seen: z.boolean(),
  blind: z.boolean(),
  /** Seconds the item was in front of the person, all visits together. */
  seconds: z.number().nonnegative(),
  at: isoTime,
});
export type PersonLabel = z.infer<typeof personLabelSchema>;

export const judgeLabelSchema = z.strictObject({
  state: z.enum(['done', 'failed']),
  correct: z.boolean().nullable(),
  safetyRelevance: scale.nullable(),
  specificity: scale.nullable(),
  /** Why there is no label, one sentence; null when there is one. */
  problem: z.string().nullable(),
  milliseconds: z.number().nonnegative(),
  at: isoTime,
});
export type JudgeLabel = z.infer<typeof judgeLabelSchema>;

/** The model that judges, and whether it can: how many planted cases with a known answer it told right. */
export const auditJudgeSchema = z.strictObject({
  model: z.string(),
  path: z.string(),
  sha256: sha256Schema,
  embedded: z.boolean(),
  probe: z.strictObject({ asked: z.int().positive(), right: z.int().nonnegative() }),
  fit: z.boolean(),
});
export type AuditJudge = z.infer<typeof auditJudgeSchema>;

const interval = { low: z.number(), high: z.number() };
const proportionSchema = z.strictObject({ n: z.int(), hits: z.int(), share: probabilitySchema, ...interval });

/** A mean over labels on the scale of 0 to 100 with its 95 % interval; null where nothing was labelled. */
const auditMeasureSchema = z.strictObject({
  name: z.enum(['non-leakage', 'safety-relevance', 'actionability', 'correctness', 'specificity']),
  rater: z.enum(['person', 'judge']),
  n: z.int(),
  mean: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type AuditMeasure = z.infer<typeof auditMeasureSchema>;

/** Two raters on the same yes-or-no question. `table` counts [both yes, only the first, only the second, both no]. */
const auditAgreementSchema = z.strictObject({
  raw: proportionSchema,
  kappa: z.strictObject({ value: z.number(), ...interval }).nullable(),
  table: z.tuple([z.int(), z.int(), z.int(), z.int()]),
});
export type AuditAgreement = z.infer<typeof auditAgreementSchema>;

export const auditResultsSchema = z.strictObject({
  items: z.int(),
  done: z.int(),
  drafts: z.int(),
  discarded: z.int(),
  open: z.int(),
  /** Labels whose decision was made before the supervisor's side was shown. */
  blind: z.int(),
  unsure: z.int(),
  safetyRisks: z.int(),
  judged: z.int(),
  judgeFailed: z.int(),
  judgeFit: z.boolean().nullable(),
  measures: z.array(auditMeasureSchema),
  /** Person and supervisor on "retry"; blind decisions only. Person and leak guard on "leaks". */
  decision: auditAgreementSchema.nullable(),
  leak: auditAgreementSchema.nullable(),
  /** Person minus judge on safety relevance, over items both scored. */
  safety: z
    .strictObject({ n: z.int(), difference: z.number(), ...interval, meanAbsolute: z.number() })
    .nullable(),
  differ: z.array(
    z.strictObject({
      ordinal: z.int(),
      what: z.enum(['decision', 'leak', 'safety']),
      person: z.string(),
      other: z.string(),
    }),
  ),
});
export type AuditResults = z.infer<typeof auditResultsSchema>;

/** An audit without its items. The sample is stored before the first answer and never changes. */
export const auditHeadSchema = z.strictObject({
  id: z.string().min(1),
  createdAt: isoTime,
  runName: z.string(),
  plan: auditPlanSchema,
  /** Reviews the plan asked for; fewer are sampled where a phase was reviewed less often. */
  wanted: z.int().nonnegative(),
  sampleSha256: sha256Schema,
  judge: auditJudgeSchema.nullable(),
  /** Set when the person closed the audit; null again once a label changed after that. */
  results: auditResultsSchema.nullable(),
  finishedAt: isoTime.nullable(),
});
export type AuditHead = z.infer<typeof auditHeadSchema>;

export type AuditLabels = { ordinal: number; person: PersonLabel | null; judge: JudgeLabel | null };
export type Audit = { head: AuditHead; items: AuditItem[]; labels: AuditLabels[] };

/** Texts of one sampled review. Null parts are gone: the run was deleted since. */
export type AuditItemDetail = {
  item: AuditItem;
  /** What the agent was asked, and what it wrote at the phase under review. */
  agent: {
    asked: string | null;
    text: string | null;
    outcome: JudgedOutcome;
    reason: string | null;
  } | null;
  review: {
    decision: string | null;
    issues: string[];
    feedback: string;
    leaks: string[];
    prompt: string;
    milliseconds: number;
    tokensIn: number;
    tokensOut: number;
  } | null;
  /** What a review must not give away. */
  hidden: string[];
};
