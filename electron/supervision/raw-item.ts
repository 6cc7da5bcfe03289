import { z } from 'zod';
import {
  BATCHES,
  Failure,
  phaseSchema,
  roleSchema,
  taskTypeSchema,
  type BatchSpec,
  type Phase,
  type PhaseItem,
} from '../contract/index.ts';
import type { GuidanceVocabulary, PromptPack } from '../library/index.ts';
import { serializeAnswer } from './reviewers/answers.ts';
import { reviewPrompt } from './reviewers/review-prompt.ts';
import { rubricAnswer } from './reviewers/rubric/index.ts';
import { buildWordingRecord, isRawWording, type WordingTrainingRecord } from './wording/training.ts';

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/**
 * One line of raw agent output, from which the supervisor model's training records are made. Absent fields were not there:
 * an agent that wrote no plan has no `plan`. Unknown fields are an error, so that a misspelt one is noticed.
 */
const rawItemSchema = z.strictObject({
  phase: phaseSchema,
  taskType: taskTypeSchema,
  role: roleSchema,
  /** The proposed program (task phase; other phases of a proposer), or the one shown to the solver. */
  program: z.string().nullish(),
  /** Literals: a proposal's inputs, or the input shown to a solver. */
  inputs: z.array(z.string()).default([]),
  /** Abduction solver only: the output it was shown. */
  output: z.string().nullish(),
  /** Induction solver only: the pairs it was shown. */
  examples: z.array(z.strictObject({ input: z.string(), output: z.string() })).default([]),
  /** Sources of the references a proposer was shown. */
  references: z.array(z.string()).default([]),
  message: z.string().nullish(),
  plan: z.string().nullish(),
  thought: z.string().nullish(),
  /** Text between the answer tags, as written. */
  answer: z.string().nullish(),
  /** Rewarded prompts: the whole user message. */
  request: z.string().nullish(),
  /** Questions in words: the question, empty where a text asked none. */
  question: z.string().optional(),
  /** Share of its batch that a question is like. */
  clusterShare: share.optional(),
  /** Whether an answer ended at the limit of new tokens. */
  cutOff: z.boolean().optional(),
  formatOk: z.boolean().default(true),
  /** Proposals: the validator's verdict; `reason` is one of its words (syntax-error, banned-module, raised, timeout, …). */
  validity: z.strictObject({ valid: z.boolean(), reason: z.string().nullish() }).nullish(),
  /** What a Python parser says of the program under review; without it a line-by-line reading is used. */
  parsed: z
    .strictObject({ ok: z.boolean(), errorLine: z.int().nullish(), imports: z.array(z.string()) })
    .nullish(),
  /** exec only. `solveRateHistogram` (n + 1 bins, from solve rate 0 to 1) is for proposal batches. */
  statistics: z
    .strictObject({
      n: count,
      passed: count,
      invalid: count.default(0),
      formatFailures: count.default(0),
      timeouts: count.default(0),
      solveRateHistogram: z.array(count).default([]),
      /** Of a batch of questions or of answers to them. */
      agreement: z
        .strictObject({
          abstained: share.optional(),
          clusters: count.optional(),
          biggestCluster: share.optional(),
          kept: share.optional(),
          labelEntropy: z.number().nonnegative().optional(),
          allAlike: share.optional(),
          cutOff: share.optional(),
          meanTokens: z.number().nonnegative().optional(),
        })
        .optional(),
    })
    .nullish(),
});
export type RawItem = z.input<typeof rawItemSchema>;

/** One training record: the prompt of the embedded supervisor and exactly the text it must answer. */
export type ReviewTrainingRecord = {
  phase: Phase;
  issues: string[];
  system: string;
  user: string;
  label: string;
};

/** The phase item a raw line describes. Step, batch position and ids are neutral: no prompt shows them. */
function phaseItemOf(raw: RawItem): PhaseItem {
  const item = rawItemSchema.parse(raw);
  // Lines of hand-written data may give a role that no batch of the type has; a prompt shows neither.
  const ofType = BATCHES.filter(({ taskType }) => taskType === item.taskType);
  const batch = (ofType.find(({ role }) => role === item.role) ?? (ofType.at(-1) as BatchSpec)).name;
  return {
    step: 0,
    batch,
    index: 0,
    phase: item.phase,
    role: item.role,
    taskType: item.taskType,
    rolloutId: null,
    task:
      item.phase === 'exec'
        ? null
        : {
            program: item.program ?? null,
            inputs: item.inputs,
            output: item.output ?? null,
            examples: item.examples,
            message: item.message ?? null,
            references: item.references,
            request: item.request ?? null,
            ...(item.question === undefined ? {} : { question: item.question }),
          },
    plan: item.plan ?? null,
    thought: item.thought ?? null,
    answer: item.answer ?? null,
    formatOk: item.formatOk,
    validity: item.validity ? { valid: item.validity.valid, reason: item.validity.reason ?? null } : null,
    statistics: item.statistics ?? null,
    ...(item.clusterShare === undefined ? {} : { clusterShare: item.clusterShare }),
    ...(item.cutOff === undefined ? {} : { cutOff: item.cutOff }),
  };
}

/** The production prompt of a raw item, and what the rubric says of it that a model is asked for. @throws ZodError on a malformed item. */
export function buildReviewRecord(raw: RawItem, pack: PromptPack): ReviewTrainingRecord {
  const item = phaseItemOf(raw);
  const parsed = raw.parsed
    ? { ok: raw.parsed.ok, errorLine: raw.parsed.errorLine ?? null, imports: raw.parsed.imports }
    : null;
  const answer = rubricAnswer(item, parsed, 'asked');
  return {
    phase: item.phase,
    issues: answer.issues,
    ...reviewPrompt(pack, item, 0, parsed),
    label: serializeAnswer(answer),
  };
}

/**
 * Raw JSON lines in, training-record JSON lines out, in order; empty lines are skipped.
 * @throws Failure `rawItem` naming the first line that is not a raw item.
 */
export async function* reviewRecords(
  lines: AsyncIterable<string>,
  { pack, guidance }: { pack: PromptPack; guidance: GuidanceVocabulary },
): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    let record: ReviewTrainingRecord | WordingTrainingRecord;
    try {
      const raw: unknown = JSON.parse(line);
      record = isRawWording(raw)
        ? buildWordingRecord(raw, pack, guidance)
        : buildReviewRecord(raw as RawItem, pack);
    } catch (cause) {
      throw new Failure(
        'rawItem',
        `Line ${number} is not a raw item: ${reasonOf(cause)}. Correct the line and run again.`,
        2,
        { cause },
      );
    }
    yield JSON.stringify(record);
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) return z.prettifyError(cause).replace(/\s*\n\s*/g, ' ');
  return cause instanceof Error ? cause.message : String(cause);
}
