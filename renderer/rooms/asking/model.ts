import { z } from 'zod';
import type {
  AnswerToken,
  AskedAnswer,
  AskedContextChoice,
  AskedFrame,
  AskedQuestion,
  AskingSettings,
  LiveEvent,
  OpenQuestion,
} from '../../../electron/contract/index.ts';

const text = z.string().optional().catch(undefined);
/** The address of the room: who is asked, and which question is shown. */
export const askingSearch = z.object({ left: text, right: text, question: text });

/** Somebody who can be asked, as the engine offers it. */
export type Subject = {
  id: string;
  label: string;
  kind: 'checkpoint' | 'model';
  runId: string | null;
  runName: string | null;
  step: number | null;
  base: boolean;
  kept: boolean;
  sample: boolean;
};

export const EMBEDDED = 'model:embedded-policy';
const WITH_SYSTEM_MESSAGE = [EMBEDDED, 'model:embedded-questions'];
export const FIRST_SETTINGS: AskingSettings = { temperature: 0, topP: 1, seed: 1, maxNewTokens: 256 };

/** How one side is asked, as a person sets it. */
export type SideSetting = { frame: AskedFrame | null; from: AskedContextChoice['from']; lines: string };
export const FIRST_SIDE: SideSetting = { frame: null, from: 'none', lines: '' };

/** Checkpoints and the policies that come with the program were trained with a system message; others were not. */
export const frameOf = (subject: string, { frame }: SideSetting): AskedFrame =>
  frame ?? (subject.includes('@') || WITH_SYSTEM_MESSAGE.includes(subject) ? 'assistant' : 'none');

export const linesOf = (lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Whether a side can be asked under what was chosen. */
export const contextOf = ({ from, lines }: SideSetting): AskedContextChoice | null => {
  if (from !== 'lines') return { from };
  const own = linesOf(lines);
  return own.length === 0 ? null : { from, lines: own };
};

/** Whom a fresh page asks: the newest checkpoints of the two newest runs, else a run's first and last, else the embedded policy. */
export function firstSubjects(subjects: readonly Subject[]): [string, string | null] {
  const runs = [
    ...Map.groupBy(
      subjects.filter(({ runId, kept }) => runId !== null && kept),
      ({ runId }) => runId,
    ).values(),
  ];
  const [newest, other] = runs;
  const last = (own: readonly Subject[]): string => own.at(-1)!.id;
  if (newest === undefined) return [EMBEDDED, null];
  if (other !== undefined) return [last(other), last(newest)];
  return newest.length > 1 ? [newest[0]!.id, last(newest)] : [EMBEDDED, last(newest)];
}

/** A question as the page shows it, whether its answers have ended or not. */
export type Shown = {
  id: string;
  question: string;
  askedAt: string;
  settings: AskingSettings;
  problem: string | null;
  isOpen: boolean;
  sides: ShownSide[];
};
export type ShownSide = Pick<AskedAnswer, 'subject' | 'frame' | 'context' | 'messages'> & {
  state: OpenQuestion['sides'][number]['state'];
  tokens: readonly AnswerToken[];
  /** Null while it is written. */
  answer: AskedAnswer | null;
};

export const shownOpen = ({ id, question, askedAt, settings, problem, sides }: OpenQuestion): Shown => ({
  id,
  question,
  askedAt,
  settings,
  problem,
  isOpen: problem === null,
  sides: sides.map((side) => ({ ...side, answer: null })),
});

export const shownStored = (
  { id, question, askedAt, settings, answers }: AskedQuestion,
  tokens: readonly AnswerToken[][],
): Shown => ({
  id,
  question,
  askedAt,
  settings,
  problem: null,
  isOpen: false,
  sides: answers.map((answer, index) => ({ ...answer, state: 'ended', tokens: tokens[index] ?? [], answer })),
});

type AnswerEvent = Extract<LiveEvent, { kind: 'answer' }>;

/** A question after a word on one of its answers; null where words in between are missing. */
export function moved(open: OpenQuestion, { side, state, from, tokens }: AnswerEvent): OpenQuestion | null {
  const before = open.sides[side];
  if (before === undefined || from > before.tokens.length) return null;
  return {
    ...open,
    sides: open.sides.map((each, index) =>
      index === side ? { ...each, state, tokens: [...each.tokens.slice(0, from), ...tokens] } : each,
    ),
  };
}

/** What was said before the question, without the system message. */
export const earlierTurns = ({ messages }: Pick<ShownSide, 'messages'>): ShownSide['messages'] =>
  messages.filter(({ role }) => role !== 'system').slice(0, -1);

const ANSWER = /<answer>([\s\S]*?)(?:<\/answer>|$)/;

/** Where the answer stands that the model gives to whoever asked: between its marks, or all of the text where it has none. */
export function saidSpan(written: string): { from: number; to: number } {
  const found = ANSWER.exec(written);
  if (found === null) return { from: 0, to: written.includes('<think>') ? 0 : written.length };
  const from = found.index + '<answer>'.length;
  return { from, to: from + found[1]!.length };
}

/** Tokens with where each begins in the text. */
export function placed(tokens: readonly AnswerToken[]): { token: AnswerToken; at: number }[] {
  let at = 0;
  return tokens.map((token) => {
    const place = { token, at };
    at += token.text.length;
    return place;
  });
}
