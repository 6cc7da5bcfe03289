import { Failure, type WordingRecord } from '../../contract/index.ts';
import { freshDelimiter, rolloutSeed } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { ReviewClock } from '../review-batch.ts';
import { questionProblem, type ReviewPort } from '../reviewers/reviewer.ts';
import type { Subjects } from './findings.ts';

/** The supervisor's model as the writer of lines. */
export type LineWriter = {
  port: ReviewPort;
  /** Name for the records. */
  model: string;
  pack: PromptPack;
  /** Texts of the configuration in place of the pack's; the system text stands before both questions. */
  prompts: { system?: string; summary: string; merge: string };
  /** Of a writer with a small vocabulary, which merges one subject at a time; null for one that sees all lines together. */
  subjects: Subjects | null;
  /** Per attempt. */
  timeoutSeconds: number;
  /**
   * Answers are written beside others, where the number of threads changes none, and an attempt may take `patience` times what the
   * measured speed lets expect, where that is more than timeoutSeconds. Null for a model that is asked by itself.
   */
  beside: { patience: number } | null;
  /** For all questions of a step together; null for no limit. */
  budgetSeconds: number | null;
  clock: ReviewClock;
};

export type AskedQuestion = WordingRecord['questions'][number];

/** A first answer and one more with another seed. */
const ATTEMPTS = 2;
const RETRY_TEMPERATURE = 0.7;
const SEED_RANGE = 2 ** 32;

/** The record of a summary or merge of which nothing has been asked yet. */
export const emptyRecord = (
  { model, clock }: Pick<LineWriter, 'model' | 'clock'>,
  what: Pick<WordingRecord, 'id' | 'step' | 'kind' | 'batch'>,
): WordingRecord => ({
  ...what,
  status: 'done',
  model,
  questions: [],
  lines: [],
  refused: [],
  milliseconds: 0,
  createdAt: clock.now().toISOString(),
});

/**
 * The time that a step's questions may still take. What counts is what the model computed, as in reviewing: what was lost with a hung or
 * killed process, or spent waiting for it, is no work.
 */
export class WordingBudget {
  readonly #limitMs: number;
  #spentMs = 0;

  constructor({ budgetSeconds }: Pick<LineWriter, 'budgetSeconds'>) {
    this.#limitMs = budgetSeconds === null ? Infinity : budgetSeconds * 1000;
  }

  get spentMs(): number {
    return this.#spentMs;
  }

  isSpent(): boolean {
    return this.#spentMs >= this.#limitMs;
  }

  spend(milliseconds: number): void {
    this.#spentMs += milliseconds;
  }
}

export type Ask<T> = {
  system: string;
  user: string;
  schema: object;
  maxTokens: number;
  seed: number;
  /** Null for an answer that cannot be used, which is then asked for once more. */
  read: (value: unknown) => T | null;
};

/**
 * Asks the supervisor's model one question, at temperature 0 first. Resolves with null when no usable answer came, and with every
 * question that was put. @throws the signal's reason on abort, and what makes any question impossible.
 */
export async function askModel<T>(
  { port, timeoutSeconds, beside }: LineWriter,
  budget: WordingBudget,
  { system, user, schema, maxTokens, seed, read }: Ask<T>,
  signal: AbortSignal,
): Promise<{ value: T | null; questions: AskedQuestion[] }> {
  const questions: AskedQuestion[] = [];
  const timeoutMs = timeoutSeconds * 1000;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    signal.throwIfAborted();
    const question: AskedQuestion = {
      prompt: `${system}\n\n${user}`,
      answer: null,
      problem: null,
      tokensIn: 0,
      tokensOut: 0,
    };
    questions.push(question);
    if (budget.isSpent()) {
      question.problem = 'The time for wording lines in this step was used up.';
      return { value: null, questions };
    }
    try {
      const reply = await port.review(
        {
          system,
          user,
          schema: schema as Record<string, unknown>,
          maxTokens,
          temperature: attempt === 0 ? 0 : RETRY_TEMPERATURE,
          seed: rolloutSeed(seed, 'attempt', attempt) % SEED_RANGE,
          timeoutMs,
          ...(beside === null ? {} : { side: 'together' as const, ...beside }),
        },
        signal,
      );
      budget.spend(reply.milliseconds);
      question.answer = reply.text;
      question.tokensIn = reply.tokensIn;
      question.tokensOut = reply.tokensOut;
      const value = read(reply.value);
      if (value !== null) return { value, questions };
      question.problem = 'The answer was not of the form that was asked for.';
    } catch (error) {
      signal.throwIfAborted();
      question.problem = questionProblem(error);
      if (question.problem === null) throw error;
      if ((error as Failure).kind === 'timeout') budget.spend(timeoutMs);
    }
  }
  return { value: null, questions };
}

/** What each text may hold in double braces; without the first it cannot do what it is there for. */
const PLACES = {
  system: ['delimiter'],
  summary: ['findings', 'batch', 'role', 'count', 'issue', 'facts', 'delimiter'],
  merge: ['lines', 'count', 'room', 'delimiter'],
} as const;
type Kind = keyof typeof PLACES;

const NOTHING_ASKED = 'so the model would be asked about nothing; put it where the material is to stand';
/** What a text does without its first place. */
const LACKS: Readonly<Record<Kind, string>> = {
  system:
    'so the model would not be told which words are not yours; say that what follows this mark is material',
  summary: NOTHING_ASKED,
  merge: NOTHING_ASKED,
};

/** @throws Failure `usage` for a text of a configuration that leaves out what it is there for or names a place that there is not. */
export function requireWordingPlaces(prompts: LineWriter['prompts']): void {
  for (const kind of Object.keys(PLACES) as Kind[]) {
    const places: readonly string[] = PLACES[kind];
    const text = prompts[kind] ?? '';
    const used = [...text.matchAll(PLACE)].map(([, place]) => place as string);
    const unknown = used.find((place) => !places.includes(place));
    const all = places.map((place) => `{{${place}}}`).join(', ');
    const fault =
      unknown !== undefined
        ? `names {{${unknown}}}, which nothing stands for; it may hold ${all}.`
        : text.trim() !== '' && !used.includes(PLACES[kind][0])
          ? `lacks {{${PLACES[kind][0]}}}, ${LACKS[kind]}, or leave the text empty for that of the prompt pack.`
          : null;
    if (fault !== null) throw new Failure('usage', `The text supervision.wordingPrompts.${kind} ${fault}`, 2);
  }
}

const PLACE = /\{\{([a-zA-Z]+)\}\}/g;

/** A template of the configuration or the pack's text of that name. */
export function render(
  { pack, prompts }: Pick<LineWriter, 'pack' | 'prompts'>,
  kind: Kind,
  values: Readonly<Record<string, string>>,
): string {
  const own = prompts[kind] ?? '';
  return own.trim() === ''
    ? pack.render(`wording-${kind}`, values)
    : own.replace(PLACE, (whole, key: string) => values[key] ?? whole);
}

/** One mark for all questions of a step: they share their system text, which is then computed once. */
export const markSeed = (seed: number, step: number): number => rolloutSeed(seed, 'wording', step);

/** Material between delimiters that it cannot have foreseen. */
export function fenced(
  lines: readonly { label: string; text: string }[],
  seed: number,
): { text: string; delimiter: string } {
  const delimiter = freshDelimiter(
    lines.map(({ text }) => text),
    (attempt) => `wording-delimiter/${seed}/${attempt}`,
  );
  return {
    delimiter,
    text: lines.map(({ label, text }) => `<<${delimiter} ${label}>> ${text}`).join('\n'),
  };
}
