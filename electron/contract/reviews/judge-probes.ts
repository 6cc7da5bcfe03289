import { z } from 'zod';
import { phaseSchema, probabilitySchema, sha256Schema, type Phase } from '../names.ts';

const count = z.int().nonnegative();
const interval = { low: z.number(), high: z.number() };

/** How a run asks a model: it chooses our sentences, is asked yes or no and words, or words what was computed. */
export const REVIEW_MODES = ['closed', 'asks', 'words'] as const;

/**
 * What a probe asks of a model twice or thrice. `run`: as in a run. `alone`: the material without what was computed. `again`: some
 * items once more under other draws, of the pass in which the model itself decides.
 */
export const PROBE_PASSES = ['run', 'alone', 'again'] as const;
export const probePassSchema = z.enum(PROBE_PASSES);
export type ProbePass = z.infer<typeof probePassSchema>;

/** What a probe is: equal plans ask the same model the same. */
export const judgeProbePlanSchema = z.strictObject({
  modelSha256: sha256Schema,
  version: z.int().positive(),
  mode: z.enum(REVIEW_MODES),
  /** Over all texts that the model is asked with. */
  promptsSha256: sha256Schema,
  /** Over the items with what is known of them. */
  itemsSha256: sha256Schema,
  items: z.int().positive(),
  phases: z.array(phaseSchema).min(1),
  seed: count,
});
export type JudgeProbePlan = z.infer<typeof judgeProbePlanSchema>;

/** What came of one question. */
export const judgeProbeAnswerSchema = z.strictObject({
  pass: probePassSchema,
  /** Of the item. */ ordinal: count,
  status: z.enum(['done', 'quarantined', 'failed']),
  issues: z.array(z.string()),
  /** Why there is no answer, or what the review says. */
  feedback: z.string(),
  /** Findings of the leak guard. */ leaks: count,
  /** Questions in the order in which they were put, and whether the model found the issue; empty where none was put. */
  asked: z.array(z.strictObject({ issue: z.string(), found: z.boolean() })),
  tokensIn: count,
  tokensOut: count,
  milliseconds: z.number().nonnegative(),
  at: z.iso.datetime(),
});
export type JudgeProbeAnswer = z.infer<typeof judgeProbeAnswerSchema>;

/** A share with its 95 % Wilson interval; n = 0 has no share. */
const shareSchema = z.strictObject({
  n: count,
  hits: count,
  share: probabilitySchema.nullable(),
  ...interval,
});
export type ProbeShare = z.infer<typeof shareSchema>;

/** How well an issue, or the issues of a phase, are told from controls that lack them and nothing else. */
const probeCellSchema = z.strictObject({
  /** Of a phase, an issue, or a kind of defect. */ name: z.string(),
  phase: phaseSchema,
  /** Of what was reported, how much is so. */ precision: shareSchema,
  /** Of what is there, how much was reported. */ recall: shareSchema,
  /** Of controls, how many were reported. */ falseAlarms: shareSchema,
  /** Mean of recall and of 1 − false alarms; a guess gets one half. The interval is Newcombe's of their difference. Null without both sides. */
  balanced: z.strictObject({ accuracy: z.number(), ...interval }).nullable(),
  /** By Fisher's exact test that the issue is reported as often where it is as where it is not, one-sided at 2.5 % on either side. */
  against: z.enum(['better', 'chance', 'worse']),
});
export type ProbeCell = z.infer<typeof probeCellSchema>;

const probeAccuracySchema = z.strictObject({
  phases: z.array(probeCellSchema),
  issues: z.array(probeCellSchema),
  kinds: z.array(probeCellSchema),
});
export type ProbeAccuracy = z.infer<typeof probeAccuracySchema>;

const comparedByLengthSchema = z.strictObject({
  short: shareSchema,
  long: shareSchema,
  difference: z.number(),
  ...interval,
});

export const judgeProbeResultsSchema = z.strictObject({
  answered: count,
  /** Without a usable answer; they count as nothing found. */ failed: count,
  run: probeAccuracySchema,
  alone: probeAccuracySchema,
  /** Right as in a run minus right alone, over the same items, paired (Newcombe); one row a phase, then all. */
  computedAdds: z.array(
    z.strictObject({ phase: phaseSchema.nullable(), n: count, difference: z.number(), ...interval }),
  ),
  /** Shares found by place in the drawn order, with the chi-squared test that no place is favoured; null where no order is drawn. */
  position: z
    .strictObject({
      places: z.array(shareSchema),
      chiSquared: z.number(),
      degrees: count,
      p: probabilitySchema.nullable(),
    })
    .nullable(),
  /** Found in long items minus found in short ones; the issue is as frequent in both. */
  length: comparedByLengthSchema.nullable(),
  /**
   * Controls in which anything at all was named, long minus short: where nothing is wrong, length alone makes the difference. Absent
   * from probes that ended before it was counted.
   */
  lengthOfControls: comparedByLengthSchema.nullable().optional(),
  /** Reviews in words of the model's own that the leak guard would quarantine. */
  leaks: shareSchema,
  /** The same items under other draws. */
  again: z.strictObject({
    agreement: shareSchema,
    kappa: z.strictObject({ kappa: z.number(), ...interval }).nullable(),
  }),
  /** Time of answers in which the model took part, as in a run; null where it took part in none. */
  seconds: z.strictObject({ n: count, mean: z.number(), ...interval }).nullable(),
  /**
   * Mean seconds of all n answers of a phase, as in a run; of these `asked` the model took part in, the others cost nothing. Absent
   * from probes that ended before it was counted.
   */
  pace: z
    .array(z.strictObject({ phase: phaseSchema, n: count, asked: count, seconds: z.number() }))
    .optional(),
});
export type JudgeProbeResults = z.infer<typeof judgeProbeResultsSchema>;

export const judgeProbeSchema = z.strictObject({
  id: z.string().min(1),
  createdAt: z.iso.datetime(),
  /** Name at the time. */ model: z.string().min(1),
  plan: judgeProbePlanSchema,
  planSha256: sha256Schema,
  /** Null while questions are open. */
  results: judgeProbeResultsSchema.nullable(),
  finishedAt: z.iso.datetime().nullable(),
});
export type JudgeProbe = z.infer<typeof judgeProbeSchema>;

/** Whether a judge can be told from a guess by what it finds itself, without what was computed. */
export type JudgeVerdict = {
  /** In some phase or over all together. */ isBetter: boolean;
  /** In each of these taken alone. */ phases: Phase[];
};
/** The verdict is null while the probe is not finished. */
export type MeasuredJudge = JudgeProbe & { verdict: JudgeVerdict | null };
