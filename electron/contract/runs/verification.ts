import { z } from 'zod';

const count = z.int().nonnegative();

/** One rule of docs/verify.md and how the records stand to it. */
const ruleOutcomeSchema = z.strictObject({
  rule: z.string().min(1),
  says: z.string(),
  /** Where the rule is written down. */
  source: z.string(),
  /** Values that were compared, and those of them that are not what the rule gives. */
  checked: count,
  differing: count,
  /** The first that differs: the record it is of, what is stored and what the rule gives; long texts are cut to where they part. */
  first: z.strictObject({ about: z.string(), stored: z.string(), recomputed: z.string() }).nullable(),
  /** The records of the next ones, up to 99. */
  further: z.array(z.string()),
  /** What the rule could not be applied to, and why. */
  skipped: z.array(z.strictObject({ why: z.string(), count })),
});
export type RuleOutcome = z.infer<typeof ruleOutcomeSchema>;

/** What a program that shares no rule with the loop found when it computed a run or an evaluation again. */
const verificationSchema = z.strictObject({
  kind: z.enum(['run', 'evaluation']),
  id: z.string().min(1),
  title: z.string(),
  seconds: z.number().nonnegative(),
  checked: count,
  differing: count,
  rules: z.array(ruleOutcomeSchema),
});
export type Verification = z.infer<typeof verificationSchema>;

export const verificationsSchema = z.strictObject({
  reports: z.array(verificationSchema),
  differing: count,
  seconds: z.number().nonnegative(),
});
export type Verifications = z.infer<typeof verificationsSchema>;
