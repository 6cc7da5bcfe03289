import { z } from 'zod';
import { PHASES, probabilitySchema, reviewerKindSchema } from '../names.ts';

const positiveInt = z.int().positive();

/**
 * Settings that only one reviewer knows. What stands here belongs to the one that is chosen, which reads it by a
 * schema of its own when a run is started; absent where there is none.
 */
const ownSettings = z.record(z.string(), z.json());
export type OwnSettings = z.infer<typeof ownSettings>;

/** One probability per phase: b ~ Bernoulli(p_phase) decides whether an item is reviewed (ANCHOR Eq. 5). */
export const phaseProbabilitiesSchema = z.strictObject({
  task: probabilitySchema,
  plan: probabilitySchema,
  thought: probabilitySchema,
  output: probabilitySchema,
  exec: probabilitySchema,
});
export type PhaseProbabilities = z.infer<typeof phaseProbabilitiesSchema>;

/** The same review probability in all five phases. */
export const everyPhase = (p: number): PhaseProbabilities =>
  Object.fromEntries(PHASES.map((phase) => [phase, p])) as PhaseProbabilities;

/**
 * A person takes a share of the items whose gate opened. Which ones is decided by a coin of its own, drawn from (seed, step, item,
 * phase), so that a replay asks for the same ones and a larger share only adds items. The run waits for each answer until its
 * time-out. A run that people answered in cannot be repeated bit for bit: a replay asks again, and so does resuming a step.
 */
export const personConfigSchema = z.strictObject({
  share: probabilitySchema
    .default(0.1)
    .describe('Share of the reviewed items that a person answers instead of the reviewer, 0 to 1.'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(300)
    .describe(
      'Seconds each item waits for the person, counted from when it was asked. The step cannot end before.',
    ),
  fallback: z
    .enum(['model', 'skip'])
    .default('model')
    .describe(
      'What happens to an item that nobody answered in time: the reviewer reviews it, or it is recorded as skipped.',
    ),
});
export type PersonConfig = z.infer<typeof personConfigSchema>;

export const supervisionConfigSchema = z.strictObject({
  phases: phaseProbabilitiesSchema.default({ task: 0, plan: 0, thought: 0, output: 0, exec: 0 }),
  reviewer: reviewerKindSchema.default('llama'),
  /** Settings of the chosen reviewer alone, such as the file of a checklist. */
  reviewerSettings: ownSettings.optional(),
  /** Library name or path of a GGUF file; asked by the llama reviewer, and for lines where summary or merge are by model. */
  model: z.string().min(1).default('embedded-supervisor'),
  threads: positiveInt.default(1),
  /** Where the supervisor's model computes: `auto` takes a graphics card where llama.cpp finds one. The processor when absent. */
  device: z.enum(['cpu', 'auto']).optional(),
  /**
   * Tokens of prompt and answer together that a judge of one's own is loaded for, in each of the eight rows in which reviews are written
   * too. When absent 8,192, and 4,096 in a row. The embedded supervisor keeps the window that it was trained in.
   */
  windowTokens: z.int().min(1024).optional(),
  /**
   * Characters that a judge of one's own is shown of the longest text of an item, such as a thought: of a longer one how it begins and how
   * it ends. Programs and short texts are shown in proportion. 5,000 when absent.
   */
  shownCharacters: z.int().min(500).optional(),
  /**
   * Items of a phase that may come up for review in a step, before its coin is tossed: for a policy that writes far more than its reviewer
   * can read. No limit when absent.
   */
  maxReviewsPerPhase: positiveInt.optional(),
  /** Wall-clock seconds of reviewing per step; later reviews become "skipped by budget" records. null = no limit. */
  budgetSeconds: z.number().positive().nullable().default(null),
  /** Seconds a single review may take before it is retried with another seed, then recorded as failed. */
  reviewTimeoutSeconds: z.number().positive().default(60),
  /**
   * Reviews that enter the batch summary: only of items the verifier passed (paper, A.2) and, of rated answers, of those the user was
   * satisfied with, or of all reviewed items.
   */
  summaryScope: z.enum(['verified', 'all']).default('verified'),
  /** What decision=retry does: only recorded (faithful), or the item is generated once more (a deviation). */
  retry: z.enum(['record', 'enforce']).default('record'),
  /** Eq. 6, what a batch's reviews say: counted by issue (rule), or one line for each kind of finding by the supervisor's model. */
  summary: z.enum(['rule', 'model']).optional(),
  /**
   * Eq. 7, the next context. By rule: guidance takes only lines the embedded policy was trained on, text the feedback itself or
   * the model's lines of the summaries. model: the supervisor's model chooses, joins and words the lines. `rule` is read as guidance.
   */
  merge: z.enum(['guidance', 'text', 'model']).default('guidance'),
  /**
   * Texts of one's own in place of those of the prompt pack for the two questions above, and for what stands before both, with its
   * {{placeholders}}; empty for the pack's.
   */
  wordingPrompts: z
    .strictObject({
      system: z.string().max(8000).optional(),
      summary: z.string().max(8000).default(''),
      merge: z.string().max(8000).default(''),
    })
    .optional(),
  contextTokens: positiveInt.default(96),
  contextLines: positiveInt.default(5),
  /** Reviews in one step that must agree before a line enters the context; one is enough for a breach of safety. */
  minimumSupport: positiveInt.default(2),
  /** A line nobody supported for this many steps leaves. */
  expirySteps: positiveInt.default(8),
  /**
   * filler: reviews are written, counted and recorded as ever, but the policy is shown neutral text of as many tokens in place
   * of the lines they brought: the control that separates what reviews say from there being more text.
   */
  contextText: z.enum(['reviews', 'filler']).default('reviews'),
  /**
   * shuffled: within a step and phase, each review stands for an item drawn at random in place of the one it was written about: the
   * control that separates what is said from whom it is said of. Its own item when absent.
   */
  placing: z.enum(['own', 'shuffled']).optional(),
  /**
   * Plans in which nothing can be compared with a program, such as those of requests: the reviewer is asked all the same (ask, and when
   * absent), or they are recorded as such and nobody is asked (say).
   */
  nothingToCompare: z.enum(['ask', 'say']).optional(),
  /**
   * Which issues have a line where `merge` takes guidance: those for whose line the embedded policy was trained (trained, and when absent),
   * or every one, the others with lines in plain words that only general models can be expected to follow.
   */
  guidance: z.enum(['trained', 'every']).optional(),
  /** Lines that stand first in every context of the run, whatever reviews say. */
  fixedContext: z.array(z.string().trim().min(1).max(160)).max(12).default([]),
  /** A person in the loop; absent where nobody is asked, so that such a run is the same as before people could take part. */
  human: personConfigSchema
    .optional()
    .describe('A person answers a share of the reviews while the run is at work, at the room Review.'),
});

/** Whether summaries or contexts are put into words by the supervisor's model, whoever reviews. */
export const isWordedByModel = ({
  summary,
  merge,
}: Pick<z.infer<typeof supervisionConfigSchema>, 'summary' | 'merge'>): boolean =>
  summary === 'model' || merge === 'model';
export type SupervisionConfig = z.infer<typeof supervisionConfigSchema>;
