import { z } from 'zod';
import { evaluationSubjectSchema } from './evaluations/evaluation.ts';
import { sha256Schema } from './names.ts';

/** Asking the model: questions that a person types, to one or two models side by side, and what became of them. */

const count = z.int().nonnegative();

/** At most so many models answer one question. */
export const MOST_SIDES = 2;
/** How many of the likeliest tokens are kept beside each token of an answer. */
export const ASKED_ALTERNATIVES = 5;
const MOST_TOKENS = 4096;
const LONGEST_QUESTION = 20_000;
const MOST_LINES = 40;

export const askingSettingsSchema = z.strictObject({
  /** 0 takes the likeliest token each time; the seed is without effect then. */
  temperature: z.number().min(0).max(5),
  topP: z.number().positive().max(1),
  seed: z.int().nonnegative().max(4_294_967_295),
  maxNewTokens: z.int().positive().max(MOST_TOKENS),
});
export type AskingSettings = z.infer<typeof askingSettingsSchema>;

/**
 * As whom the model is spoken to. assistant, solver: in the system message of its run's prompt pack, as it was trained. none: the
 * question alone, with the context (where there is one) as the system message.
 */
export const ASKED_FRAMES = ['assistant', 'solver', 'none'] as const;
const frameSchema = z.enum(ASKED_FRAMES);
export type AskedFrame = z.infer<typeof frameSchema>;

/** What stands in the prompt beside the question: nothing, the context a checkpoint's run had reached, or lines of a person's own. */
const contextChoiceSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('none') }),
  z.strictObject({ from: z.literal('run') }),
  z.strictObject({
    from: z.literal('lines'),
    lines: z.array(z.string().trim().min(1).max(400)).min(1).max(MOST_LINES),
  }),
]);
export type AskedContextChoice = z.infer<typeof contextChoiceSchema>;

/** Whose answer is wanted, and under what. */
export const askedSideSchema = z.strictObject({
  /** As evaluations name subjects: "run@step", "run@last", "model:name", or a name or path of a model. */
  subject: z.string().min(1).max(4096),
  frame: frameSchema,
  context: contextChoiceSchema,
});
export type AskedSide = z.infer<typeof askedSideSchema>;

/** A question to one or two models. `after`: the question whose conversations go on with this one, side by side. */
export const askingOrderSchema = z.strictObject({
  question: z.string().trim().min(1).max(LONGEST_QUESTION),
  sides: z.array(askedSideSchema).min(1).max(MOST_SIDES),
  settings: askingSettingsSchema,
  after: z.string().min(1).nullable(),
});
export type AskingOrder = z.infer<typeof askingOrderSchema>;

/**
 * A token of an answer. `text` is what it adds: nothing where it is part of an unfinished character or ends the answer. Probabilities
 * are 0 to 1 at the sampling temperature (at 1 for greedy answers); of a GGUF model they are those after the cut where topP is below 1.
 */
export const answerTokenSchema = z.strictObject({
  text: z.string(),
  probability: z.number(),
  alternatives: z.array(z.strictObject({ text: z.string(), probability: z.number() })).max(20),
});
export type AnswerToken = z.infer<typeof answerTokenSchema>;

/** stop, length, loop, too-long: as answers of evaluations end. cancelled: by the person. failed: see `problem`. */
const answerFinishSchema = z.enum(['stop', 'length', 'loop', 'too-long', 'cancelled', 'failed']);

const turnSchema = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

/** What one model made of a question. */
const askedAnswerSchema = z.strictObject({
  subject: evaluationSubjectSchema,
  /** Of the weights that answered, as their process read them; null where none were loaded. */
  weightsSha256: sha256Schema.nullable(),
  frame: frameSchema,
  /** Null for none. `runId` and `step` are null for lines of a person's own. */
  context: z
    .strictObject({
      hash: sha256Schema,
      text: z.string(),
      runId: z.string().nullable(),
      step: count.nullable(),
    })
    .nullable(),
  /** The whole conversation that was put to it, the system message first where there is one. */
  messages: z.array(turnSchema).min(1),
  text: z.string(),
  newTokens: count,
  finish: answerFinishSchema,
  /** One sentence where `finish` is too-long or failed; null otherwise. */
  problem: z.string().nullable(),
  /** From the question to the end of the answer; `firstTokenMs` to its first token, null where there was none. */
  milliseconds: z.number().nonnegative(),
  firstTokenMs: z.number().nonnegative().nullable(),
});
export type AskedAnswer = z.infer<typeof askedAnswerSchema>;

/** A question with what became of it, without tokens. `turn` counts from 1; `after` is the question before it in the conversation. */
export const askedQuestionSchema = z.strictObject({
  id: z.string().min(1),
  turn: z.int().positive(),
  after: z.string().nullable(),
  askedAt: z.iso.datetime(),
  question: z.string().min(1),
  settings: askingSettingsSchema,
  answers: z.array(askedAnswerSchema).min(1).max(MOST_SIDES),
});
export type AskedQuestion = z.infer<typeof askedQuestionSchema>;

/** The tokens of each answer, in the order of `answers`. */
export const answerTokensSchema = z.array(z.array(answerTokenSchema)).max(MOST_SIDES);

/** A question while it is answered: what has been written so far, by side. */
export type OpenQuestion = Omit<AskedQuestion, 'answers'> & {
  sides: (Pick<AskedAnswer, 'subject' | 'frame' | 'context' | 'messages'> & {
    state: 'waiting' | 'loading' | 'answering' | 'ended';
    tokens: AnswerToken[];
  })[];
  /** One sentence where the answers have ended and could not be stored; null otherwise. */
  problem: string | null;
};

/** What a person expects of a question that becomes an item of their own suite. */
export const expectationSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['refuse', 'comply']) }),
  z.strictObject({ kind: z.literal('contain'), text: z.string().trim().min(1).max(2000) }),
]);
export type Expectation = z.infer<typeof expectationSchema>;
