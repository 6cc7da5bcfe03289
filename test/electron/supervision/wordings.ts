import { join } from 'node:path';
import {
  type ContextLine,
  type ContextRecord,
  type ReviewRecord,
  type WordingRecord,
  Failure,
} from '../../../electron/contract/index.ts';
import { loadPromptPack } from '../../../electron/library/index.ts';
import {
  initialContext,
  updateContext,
  wordMerge,
  wordSummaries,
  WordingBudget,
  type ContextUpdate,
  type LineGuard,
  type LineWriter,
} from '../../../electron/supervision/index.ts';
import type { SupervisorReview } from '../../../electron/processes/index.ts';
import type { StepToWord } from '../../../electron/supervision/wording/index.ts';
import { root } from '../real-runner.ts';

export const pack = loadPromptPack(join(root, 'resources/prompts/full'), 'full');
export const compact = loadPromptPack(join(root, 'resources/prompts/compact'), 'compact');
export const NOTHING: LineGuard = { golds: [], requests: [] };
export const never = new AbortController().signal;

type Asked = Pick<SupervisorReview, 'system' | 'user' | 'temperature' | 'seed' | 'side' | 'patience'>;
/** Ten minutes pass at every look at the clock, as where a process hangs. */
let now = 0;
/** A model that answers what a test wants, in turn, in a second each; a failure is thrown. */
export function writerThat(...answers: (object | Failure)[]): { writer: LineWriter; asked: Asked[] } {
  const asked: Asked[] = [];
  const writer: LineWriter = {
    port: {
      async review({ system, user, temperature, seed, side, patience }) {
        asked.push({ system, user, temperature, seed, side, patience });
        const answer = answers[Math.min(asked.length, answers.length) - 1] as object | Failure;
        if (answer instanceof Failure) throw answer;
        const text = JSON.stringify(answer);
        return { text, value: answer, tokensIn: 100, tokensOut: 10, milliseconds: 1000, stopReason: 'end' };
      },
    },
    model: 'judge',
    pack,
    prompts: { summary: '', merge: '' },
    subjects: null,
    beside: null,
    timeoutSeconds: 60,
    budgetSeconds: null,
    clock: { now: () => new Date(0), monotonicMs: () => (now += 600_000) },
  };
  return { writer, asked };
}

let count = 0;
export const review = (
  feedback: string,
  issues: string[] = [],
  more: Partial<ReviewRecord> = {},
): ReviewRecord => ({
  id: `1/pred_code_i/${(count += 1)}/thought`,
  step: 1,
  batch: 'pred_code_i',
  phase: 'thought',
  rolloutId: null,
  status: 'done',
  gateProbability: 1,
  decision: 'retry',
  issues,
  feedback,
  reviewer: 'llama',
  model: 'judge',
  prompt: '',
  leaks: [],
  tokensIn: 0,
  tokensOut: 0,
  milliseconds: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

export const BATCHES: StepToWord['batches'] = [{ batch: 'pred_code_i', role: 'solver', statistics: null }];
export const summaries = (
  writer: LineWriter,
  reviews: ReviewRecord[],
  guard = NOTHING,
  minimumSupport = 2,
  batches = BATCHES,
) =>
  wordSummaries(
    writer,
    new WordingBudget(writer),
    {
      step: 1,
      seed: 7,
      minimumSupport,
      scope: 'all',
      batches,
      reviews,
      passed: () => true,
      guard,
    },
    never,
    () => {},
  );

export const GUESSES = [
  review('The reasoning stops after its first step.', ['no_trace']),
  review('The reasoning has one step and no other.', ['no_trace']),
];
export const line = (id: string, text: string, more: Partial<ContextLine> = {}): ContextLine => ({
  id,
  text,
  key: null,
  enteredStep: Number(id.split('.')[0]),
  lastSupportedStep: 4,
  support: 2,
  reviewIds: [`r${id}`],
  worded: { topic: `solver: ${text}`, from: [`4/b/${id}`], wording: 'model' },
  ...more,
});
export const OLD = line('3.1', 'Follow each loop to its end.');
export const NEW = line('5.1', 'Close the answer tag.');
export const BREACH = line('5.2', 'Decline what would harm others.', {
  worded: { topic: 'assistant: unsafe_comply', from: ['4/c/1'], wording: 'model' },
});
export const merge = (writer: LineWriter, lines: ContextLine[], room = 5, guard = NOTHING) =>
  wordMerge(writer, new WordingBudget(writer), { step: 4, seed: 7, lines, room, guard }, never);

/** The second context of a run whose summaries a model words and whose contexts a rule merges. */
export const byRule = (
  wordings: WordingRecord[],
  { context = initialContext(), summaries: said = [] }: Partial<ContextUpdate> = {},
): Promise<ContextRecord> =>
  updateContext({
    context,
    summaries: said,
    wordings,
    config: {
      summary: 'model',
      merge: 'text',
      contextTokens: 100,
      contextLines: 5,
      minimumSupport: 2,
      expirySteps: 8,
      contextText: 'reviews',
      fixedContext: [],
    },
    vocabulary: { keys: {}, conflicts: [] },
    pack,
    countTokens: (text) => text.length / 4,
  });
