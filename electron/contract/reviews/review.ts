import { z } from 'zod';
import { phaseSchema, shortNameSchema, taskTypeSchema, type Phase, type TaskType } from '../names.ts';
import { REFUSALS, type WordingRecord } from '../runs/records.ts';

/**
 * What a reviewer may read of one item at one phase (ANCHOR Eq. 4 as reconstructed for this product). There is no gold here by
 * construction: the hidden answer travels only to the leak guard.
 */
export type PhaseItem = {
  step: number;
  batch: string;
  index: number;
  phase: Phase;
  role: string;
  taskType: TaskType;
  rolloutId: string | null;
  /** Task shown to the agent, as far as it was shown: program, inputs, output (abduction only), examples, message. */
  task: TaskView | null;
  plan: string | null;
  thought: string | null;
  answer: string | null;
  /** All the agent wrote, for where the form is broken and its parts cannot be told; absent where nobody kept it. */
  text?: string | null;
  formatOk: boolean;
  /** Proposals only: what validation said, in the words of the validator. */
  validity: { valid: boolean; reason: string | null } | null;
  /** exec only. */
  statistics: BatchStatistics | null;
  /** Questions: share of the batch in its cluster of like texts, where that is known. */
  clusterShare?: number;
  /** Answers to questions: whether the text ended at the limit of new tokens. */
  cutOff?: boolean;
};

export type TaskView = {
  program: string | null;
  inputs: string[];
  output: string | null;
  examples: { input: string; output: string }[];
  message: string | null;
  references: string[];
  /** Rewarded prompts: the user's message. */
  request: string | null;
  /** A question of mathematics in words; absent where the task is none. */
  question?: string;
};

/** Verifier outcomes of one batch; the only thing the exec phase ever sees. */
export type BatchStatistics = {
  n: number;
  passed: number;
  invalid: number;
  formatFailures: number;
  timeouts: number;
  /** Proposal batches: counts of solve rates 0, 1/n, …, 1 over the n estimates; empty otherwise. */
  solveRateHistogram: number[];
  /** Where answers are judged by whether they agree: the histogram above is of agreement, in steps of a tenth. */
  agreement?: AgreementCounts;
};

/** What is counted of a batch beside its agreement; shares are 0 to 1, and what a batch has nothing of is absent. */
export type AgreementCounts = {
  /** Share of the answers without a result. */
  abstained?: number;
  /** Clusters of like questions, and the share of the batch in the biggest. */
  clusters?: number;
  biggestCluster?: number;
  /** Share of the questions that are kept to be learned from, and the entropy of their labels in bits. */
  kept?: number;
  labelEntropy?: number;
  /** Share of the groups of answers that teach nothing, since all of them agree with the label or none does. */
  allAlike?: number;
  /** Share of the answers that ended at the limit of new tokens, and tokens of an answer. */
  cutOff?: number;
  meanTokens?: number;
};

/**
 * What a reviewer answers. `feedback` is evaluative: no gold, no fix, no privileged reasoning. Issues are names of the closed table,
 * or `other` for a finding that only its words describe. `quote` is the place of the material that the finding is about.
 */
export type ReviewAnswer = {
  decision: 'continue' | 'retry';
  issues: string[];
  feedback: string;
  quote?: string;
};

/** What a person has in mind for an item: a decision, or that somebody else shall decide. */
const personDecisionSchema = z.enum(['continue', 'retry', 'unsure']);

/** An answer on its way; kept by the engine so that a reload of the window loses nothing. */
export const personDraftSchema = z.strictObject({
  decision: personDecisionSchema.nullable(),
  issues: z.array(z.string()).max(8),
  feedback: z.string().max(4000),
});
export type PersonDraft = z.infer<typeof personDraftSchema>;

/** How a question to a person ended. `timed-out` and `handed-over` go to the run's fallback; `skipped` is recorded as skipped. */
const PERSON_OUTCOMES = ['answered', 'handed-over', 'timed-out', 'skipped', 'withdrawn'] as const;
const personOutcomeSchema = z.enum(PERSON_OUTCOMES);
export type PersonOutcome = z.infer<typeof personOutcomeSchema>;

/** A question as a list shows it. `id` is the id its review record will have; it is unique within a run. */
const personQuestionSchema = z.strictObject({
  runId: z.string(),
  runName: z.string(),
  id: z.string(),
  step: z.int(),
  batch: shortNameSchema,
  phase: phaseSchema,
  role: shortNameSchema,
  taskType: taskTypeSchema,
  askedAt: z.iso.datetime(),
  /** Until when an answer is taken. */ deadline: z.iso.datetime(),
  fallback: z.enum(['model', 'skip']),
  draft: personDraftSchema.nullable(),
  /** Issues of this phase, at most two of which an answer may name; `safety`: somebody would come to harm. */
  issues: z.array(z.strictObject({ name: z.string(), sentence: z.string(), safety: z.boolean() })),
});
export type PersonQuestion = z.infer<typeof personQuestionSchema>;

/** One piece of what a reviewer is shown: text of the agent or of its task, made fit to be shown as data. */
export type ShownField = { label: string; text: string };

/** A question with everything the person may see: exactly the fields and facts that a model would be shown. */
export type PersonQuestionDetail = {
  question: PersonQuestion;
  fields: ShownField[];
  facts: string;
  prompt: string;
};

/** A question that is no longer open, with what became of it. Kept while the engine runs; the records keep the answers. */
export type PersonHistoryEntry = {
  question: PersonQuestion;
  outcome: PersonOutcome;
  endedAt: string;
  answer: { decision: string; issues: string[]; feedback: string } | null;
};

/** What a banner says: how many questions wait, and when the first of them goes to its fallback. */
export type WaitingForPerson = {
  count: number;
  oldestDeadline: string | null;
  runs: { runId: string; runName: string; count: number; oldestDeadline: string }[];
};

/**
 * What became of what the supervisor's model wrote at the end of a step (ANCHOR Eq. 6 and 7): lines that stand in its words, lines
 * refused by reason, and answers in whose place the rule's lines stand.
 */
export const LINE_OUTCOMES = ['model', ...REFUSALS, 'rule'] as const;
export type LineOutcome = (typeof LINE_OUTCOMES)[number];

/** The count as a metric of its step. It is not stored: the records of wording are, and whoever reads the metric counts them. */
export const lineMetric = (outcome: LineOutcome): string => `wording/${outcome}`;
const LINE_METRICS = new Set(LINE_OUTCOMES.map(lineMetric));
export const isLineMetric = (name: string): boolean => LINE_METRICS.has(name);

/** Every count of a step, as metrics; none where nothing was worded. */
export function lineCounts(
  records: readonly Pick<WordingRecord, 'status' | 'lines' | 'refused'>[],
): Record<string, number> {
  if (records.length === 0) return {};
  const counts = Object.fromEntries([...LINE_METRICS].map((name) => [name, 0]));
  const add = (outcome: LineOutcome): void => {
    counts[lineMetric(outcome)] = (counts[lineMetric(outcome)] ?? 0) + 1;
  };
  for (const { status, lines, refused } of records) {
    for (const { wording } of lines) if (wording === 'model') add('model');
    for (const { reason } of refused) add(reason);
    if (status === 'fallback') add('rule');
  }
  return counts;
}

/** Counts of one phase's reviews that stand. */
export type PhaseFinding = {
  phase: Phase;
  reviews: number;
  /** Of work that the verifier judged, and of work that it failed. Rated answers and whole batches are not judged by it. */
  verified: number;
  failed: number;
  /** Reviews whose prompt had computed facts; the three below are of these. */
  told: number;
  /** That name an issue; that name one which the facts do not state; that name none although the facts state one. */
  named: number;
  beyond: number;
  silent: number;
};

/** One issue over a run's reviews that stand. */
export type IssueFinding = {
  issue: string;
  phase: Phase;
  raised: number;
  verified: number;
  failed: number;
  /** Share of the work it was named in that the verifier failed, with its 95 % interval; null where it judged none of it. */
  precision: { share: number; low: number; high: number } | null;
  /** Times it was named by a review that was shown facts, and times these stated it. */
  told: number;
  stated: number;
};

export type RunFindings = { phases: PhaseFinding[]; issues: IssueFinding[] };
