import { z } from 'zod';

/** What a person says of a label: whether the question has this answer, or has none that is right. */
export const LABEL_VERDICTS = ['right', 'wrong', 'no-answer'] as const;
export const labelVerdictSchema = z.enum(LABEL_VERDICTS);
export type LabelVerdict = z.infer<typeof labelVerdictSchema>;

/** The event that records it; of several about one task the last counts. */
export const LABEL_AUDITED = 'label.audited';
export const labelAuditedSchema = z.strictObject({ taskId: z.string(), verdict: labelVerdictSchema });

/** Right ones of so many, with the 95 % interval (Wilson). */
export type Accuracy = { right: number; n: number; low: number; high: number };

/** How right the labels of an iteration are, as far as anybody knows, beside how much the answers agreed. */
export type LabelAccuracy = {
  iteration: number;
  labels: number;
  agreement: number | null;
  /** Of the labels that can be computed; null where none can. */
  computed: Accuracy | null;
  /** Of those that a person looked at, drawn at random; null where nobody did. */
  audited: Accuracy | null;
};

/** A label that waits for a person. How far the answers agreed is not said: it would tell what to think. */
export type LabelToAudit = { taskId: string; iteration: number; question: string; label: string };
