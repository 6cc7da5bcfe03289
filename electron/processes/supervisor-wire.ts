import { z } from 'zod';
import type { ChatMessage } from './trainer-wire.ts';

/** Methods of the supervisor worker; the client parses answers with the schemas, the worker parses requests. */
export const loadParamsSchema = z.strictObject({
  path: z.string().min(1),
  /** Tokens of prompt and answer together; the model's own limit when it is smaller. */
  contextSize: z.int().min(16),
  threads: z.int().positive(),
  /**
   * Rows that answers are written in side by side, each with room for contextSize tokens. Absent: rows for reviews are made when the
   * first one is written beside others.
   */
  rows: z.int().positive().max(64).optional(),
  /** Room of a row for reviews, in tokens, where no rows are named; 4,096 when absent. At most contextSize. */
  reviewSize: z.int().min(16).optional(),
  gpu: z.union([z.literal(false), z.literal('auto')]).default(false),
});
export type SupervisorLoad = z.input<typeof loadParamsSchema>;

export const loadResultSchema = z.strictObject({
  architecture: z.string(),
  parameters: z.number().nullable(),
  contextSize: z.int(),
  trainContextSize: z.int().nullable(),
  sizeBytes: z.int(),
  loadMs: z.number(),
  /** How prompts are framed: as ChatML written by us, or by the wrapper that fits the model's template. */
  chat: z.string(),
  gpu: z.string().nullable(),
});
export type SupervisorModel = z.infer<typeof loadResultSchema>;

const sampling = {
  maxTokens: z.int().positive(),
  /** 0 = greedy; a seed is then without effect. */
  temperature: z.number().nonnegative(),
};
const seed = z.int().nonnegative();
/**
 * Written beside other answers: `together` with whoever else there is, `alone` with nobody; the answer is the same either way.
 * Absent: by itself, as the only sequence of its batch.
 */
const side = z.enum(['together', 'alone']).optional();

export const reviewParamsSchema = z.strictObject({
  system: z.string(),
  user: z.string(),
  /** JSON schema (objects, enums, constants, arrays, strings with maxLength): the answer is constrained to it. */
  schema: z.record(z.string(), z.unknown()),
  /** Answers that come often, the most frequent first. They are tried together, which saves time and changes no answer. */
  likely: z.array(z.string()).max(64).optional(),
  side,
  ...sampling,
  seed,
  timeoutMs: z.number().positive(),
  /** Of an answer beside others: it may take so many times what the measured speed lets expect of the longest answer, where that is more. */
  patience: z.number().positive().optional(),
});
export type SupervisorReview = z.infer<typeof reviewParamsSchema>;

/** Yes-or-no questions about one piece of material: the material is evaluated once, each question alone after it. */
export const weighParamsSchema = z.strictObject({
  system: z.string(),
  user: z.string(),
  /** Each is what the user's turn ends with. */
  questions: z.array(z.string().min(1)).min(1).max(64),
  /** Of computing, not of waiting for what else is asked. */
  timeoutMs: z.number().positive(),
  /** It may take so many times what the measured speed lets expect, where that is more. */
  patience: z.number().positive().optional(),
});
export type SupervisorWeigh = z.infer<typeof weighParamsSchema>;

export const weighResultSchema = z.strictObject({
  /** log(P(yes) / P(no)) of the answer's first word, in the order of the questions. */
  logOdds: z.array(z.number()),
  /** How much of the probability yes and no have between them; a model that wants to say something else has little. */
  decided: z.array(z.number()),
  tokensIn: z.int(),
  milliseconds: z.number(),
});
export type SupervisorWeighing = z.infer<typeof weighResultSchema>;

/** Callers may hand over conversations that they do not own. */
type AsSent<T extends { messages?: readonly ChatMessage[] | undefined }> = Omit<T, 'messages'> & {
  messages?: readonly ChatMessage[];
};

const chatMessageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export const conversationSchema = z.strictObject({ messages: z.array(chatMessageSchema).min(1) });

const question = z.strictObject({
  /**
   * Either the turns of a conversation, put in the model's chat form as they are (a last turn of the assistant's is how the answer
   * begins), or `prompt` taken as it is.
   */
  messages: conversationSchema.shape.messages.optional(),
  prompt: z.string().optional(),
  seed,
  stop: z.array(z.string().min(1)).max(16).optional(),
});

export const completeParamsSchema = question
  .extend({
    ...sampling,
    /** Share of the probability that sampling draws from, of any number of tokens; the process's own cut when absent. */
    topP: z.number().positive().max(1).optional(),
    /** Tokens of prompt and answer together, where that is less than the load's. */
    contextSize: z.int().min(16).optional(),
    /** Ends an answer whose last so many tokens are one passage over and over. Absent: such an answer goes on to its limit. */
    loopTokens: z.int().min(64).optional(),
    side,
    timeoutMs: z.number().positive().optional(),
    /** Every token is told as it is chosen, with so many of the likeliest at its place. Of an answer that is written by itself. */
    alternatives: z.int().positive().max(20).optional(),
  })
  .refine(({ messages, prompt }) => (messages === undefined) !== (prompt === undefined), {
    message: 'give either messages or prompt',
  });
export type SupervisorComplete = AsSent<z.infer<typeof completeParamsSchema>>;

/**
 * `event/token`: a token of a watched answer. `text` is what it adds to the answer: none while a character is unfinished, or where it
 * ends the answer. Probabilities are those that sampling goes by: after the temperature, and after the cut where topP is below 1.
 */
export const tokenSchema = z.strictObject({
  /** Of the request. */
  id: z.int(),
  /** From 0. */
  position: z.int().nonnegative(),
  text: z.string(),
  probability: z.number(),
  /** The likeliest first; a control token by its name. */
  alternatives: z.array(z.strictObject({ text: z.string(), probability: z.number() })),
});
export type SupervisorToken = Omit<z.infer<typeof tokenSchema>, 'id'>;

/** `loop`: the answer repeats itself and was ended for it. */
export const stopReasonSchema = z.enum(['end', 'length', 'stop', 'loop']);
export const completionSchema = z.strictObject({
  text: z.string(),
  tokensIn: z.int(),
  tokensOut: z.int(),
  milliseconds: z.number(),
  stopReason: stopReasonSchema,
});
export type SupervisorCompletion = z.infer<typeof completionSchema>;

export const reviewResultSchema = completionSchema.extend({
  /** The parsed answer, or null when it was cut off before its JSON was complete. */
  value: z.unknown(),
});
export type SupervisorReviewResult = z.infer<typeof reviewResultSchema>;

/** Ids of a chat prompt and which of them are control tokens; shows that agent text cannot forge a role. */
export const framedPromptSchema = z.strictObject({
  ids: z.array(z.int()),
  controlPositions: z.array(z.int()),
  text: z.string(),
});
export type FramedPrompt = z.infer<typeof framedPromptSchema>;
