import type { RzeroConfig } from '../../../contract/index.ts';
import { lastBox, lastBoxed } from '../../../core/index.ts';

/** Why a challenger's text is no question. */
export type QuestionCause =
  | 'empty'
  | 'cut-off'
  | 'no-question'
  | 'question-not-closed'
  | 'empty-question'
  | 'missing-box'
  | 'copied-example'
  | 'empty-box';

export const QUESTION_CAUSE_SENTENCES: Readonly<Record<QuestionCause, string>> = {
  empty: 'The response is empty.',
  'cut-off': 'The response was cut off at the limit of new tokens before question and answer were complete.',
  'no-question': 'The response has no question block.',
  'question-not-closed': 'The question block is not closed.',
  'empty-question': 'The question block is empty.',
  'missing-box': 'No boxed answer follows the question.',
  'empty-box': 'The box after the question is empty.',
  'copied-example': 'The question repeats the example of the prompt.',
};

/** A challenger's text as it was read: the question, and what its author claims to be the answer. */
export type ParsedQuestion =
  | { ok: true; question: string; claimed: string | null }
  | { ok: false; cause: QuestionCause };

const [OPENING, CLOSING] = ['<question>', '</question>'];

/**
 * The last question block and where it ends; in one pass, since what is not closed behind one opening is behind no later one. A text may
 * name the tags before it uses them: a block begins at the last opening before its end, under rzero-compat at the first.
 */
function lastBlock(text: string, parser: RzeroConfig['parser']): { content: string; end: number } | null {
  let last = null;
  for (let at = 0; ;) {
    const open = text.indexOf(OPENING, at);
    const close = open < 0 ? -1 : text.indexOf(CLOSING, open + OPENING.length);
    if (close < 0) return last;
    at = close + CLOSING.length;
    const begin = parser === 'rzero-compat' ? open : text.lastIndexOf(OPENING, close);
    last = { content: text.slice(begin + OPENING.length, close), end: at };
  }
}

/**
 * The last question block of a text and the last box behind it. rzero-compat takes a box from anywhere, reads its last character as the
 * claimed answer, as the original's indexing of a string does, and finds no fault in a missing one.
 * @param cut the text ended at the limit of new tokens.
 */
export function parseQuestion(text: string, cut: boolean, parser: RzeroConfig['parser']): ParsedQuestion {
  const broken = (cause: QuestionCause): ParsedQuestion => ({
    ok: false,
    cause: cut && cause !== 'empty' ? 'cut-off' : cause,
  });
  if (text.trim() === '') return broken('empty');
  const block = lastBlock(text, parser);
  if (block === null) return broken(text.includes(OPENING) ? 'question-not-closed' : 'no-question');
  const question = block.content.trim();
  if (question === '') return broken('empty-question');
  if (parser === 'rzero-compat') {
    const boxed = lastBoxed(text) ?? 'None';
    return { ok: true, question, claimed: boxed.at(-1) ?? null };
  }
  const claimed = lastBoxed(text.slice(block.end));
  if (claimed === null) return broken('missing-box');
  return claimed === '' ? broken('empty-box') : { ok: true, question, claimed };
}

/** A solver's text as it was read. */
export type ParsedSolution = {
  plan: string | null;
  thought: string | null;
  /** Content of the last box; null where the text ends without an answer, which then does not vote. */
  answer: string | null;
  /** From the last box to the end, as a reviewer of the output is shown it. */
  output: string | null;
};

/** A quarter of the words at most, before which the plan ends. */
const PLAN_SHARE = 0.25;
/** Where working begins: a displayed formula, or a line with an equals sign. */
const WORKING = /\\\[|\$\$|\\begin\{|^.*=/m;

/**
 * Splitter 1 of a solver's text, which has no marks of its own: the plan is what leads up to the first displayed formula or line with an
 * equals sign, or the sentences that begin within the first quarter of the words, whichever is shorter; the output begins at the last box;
 * what lies between is the thought.
 */
export function parseSolution(text: string): ParsedSolution {
  const box = lastBox(text);
  const reasoning = box === null ? text : text.slice(0, box.start);
  const working = WORKING.exec(reasoning)?.index ?? reasoning.length;
  const end = Math.min(working, sentencesWithin(reasoning, PLAN_SHARE));
  const answer = box === null || box.content === '' ? null : box.content;
  return {
    plan: orNull(reasoning.slice(0, end)),
    thought: orNull(reasoning.slice(end)),
    answer,
    output: box === null ? null : orNull(text.slice(box.start)),
  };
}

/** Where the last sentence ends that is over within this share of the words. */
function sentencesWithin(text: string, share: number): number {
  const words = [...text.matchAll(/\S+/g)];
  const limit = Math.floor(words.length * share);
  let end = 0;
  for (const word of words.slice(0, limit)) {
    const after = word.index + word[0].length;
    if (/[.!?:]$/.test(word[0]) || text[after] === '\n') end = after;
  }
  return end;
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/** Under which two questions are the same: letters, digits and signs, whatever their case and spacing. */
export const questionKey = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\p{L}\p{N} ]) ?/gu, '$1')
    .trim();

/** What the original leaves out: "box", also as a word of geometry, and the Chinese word for "prove". */
export const isLeftOutByOriginal = (question: string): boolean =>
  question.includes('box') || question.includes('证明');
