import type { ContextLine, ContextRecord, REFUSALS } from '../../contract/index.ts';
import { contextLineText, isUrgentTopic } from '../context/candidates.ts';
import { findLeaks, type Gold } from '../leaks/leak-guard.ts';
import { contentStems, isNegated, isSameKind, likeness } from './likeness.ts';

export type Refusal = (typeof REFUSALS)[number];

/** What no line of a step may give away or repeat. */
export type LineGuard = {
  /** Hidden answers of everything the step generated. */
  golds: readonly Gold[];
  /** What people asked for in rated prompts: a line never repeats the deed. */
  requests: readonly string[];
};

/** A program, a formula or a value in a line is a hint, whatever it says. */
const CODE = /`|\d|[{}[\]=]|\bdef\b|\breturn \w+ *[-+*/%]|\w\(|->/;
const LONGEST_LINE = 160;
/** Words that any line may share with a request. */
const COMMON_STEMS = contentStems(
  'please answer request help question person people someone somebody tell explain give write say user information task work',
);
/** Words that say what a line speaks of and nothing of it. */
const GENERAL_STEMS = contentStems('answer task solution output question program plan thought model policy');
/** The verb of a demand that is not turned down: "should repeat", not "should not repeat". */
const ASKED_FOR = /\b(?:should|must|(?:needs?|ha(?:s|ve)|ought) to)\s+(?:(?:always|also)\s+)?(\p{L}+)/giu;
const DEMAND = /\b(?:should|must|to|ensure|make sure|keep|always)\b/iu;
const HAPPENS = /\p{L}+(?:s|ed)\b/giu;
const IS_MISSING =
  /\b(?:fail(?:s|ed)?|lack(?:s|ed)?|miss(?:es|ed|ing)?|omit(?:s|ted)?|leaves? out|hardly|rarely|few)\b/iu;
const SAME_LINE = 0.6;
const OPPOSITE = 0.5;
/** Of twelve lines that a model of 1.5 billion parameters wrote all are as near to their own issue, and 7 of 68 pairs to another. */
const ABOUT = 0.15;

type CheckedLine = { ok: true; text: string } | { ok: false; reason: Refusal };

/** The line as a context takes it, or why it cannot stand. */
export function checkedLine(text: string, guard: LineGuard): CheckedLine {
  if (text.trim() === '') return { ok: false, reason: 'empty' };
  const whole = wholeSentences(text);
  if (whole === null) return { ok: false, reason: 'too-long' };
  const line = contextLineText(whole);
  if (line === null) return { ok: false, reason: 'instruction' };
  if (CODE.test(text) || findLeaks(line, guard.golds, '').length > 0) return { ok: false, reason: 'leak' };
  if (repeatsDeed(line, guard.requests)) return { ok: false, reason: 'deed' };
  return { ok: true, text: line };
}

/** The line that a model worded from these sources, or why it cannot stand for them. */
export function supportedLine(text: string, sources: readonly string[], guard: LineGuard): CheckedLine {
  const checked = checkedLine(text, guard);
  if (!checked.ok) return checked;
  if (asksForFault(checked.text, sources)) return { ok: false, reason: 'contradiction' };
  return isAbout(checked.text, sources) ? checked : { ok: false, reason: 'unsupported' };
}

/** As many whole sentences as a line has room for: a sentence cut in the middle may say the opposite. */
function wholeSentences(text: string): string | null {
  const trimmed = text.replace(/\s+/g, ' ').trim();
  if (trimmed.length <= LONGEST_LINE) return trimmed;
  const end = trimmed.slice(0, LONGEST_LINE).search(/[.!?](?=[^.!?]*$)/);
  return end < 20 ? null : trimmed.slice(0, end + 1);
}

/** Whether a line takes up two or more telling words of what somebody asked for, or the only one there is. */
export function repeatsDeed(line: string, requests: readonly string[]): boolean {
  const stems = contentStems(line);
  return requests.some((request) => {
    const telling = [...contentStems(request)].filter((stem) => !COMMON_STEMS.has(stem));
    const repeated = telling.filter((stem) => stems.has(stem)).length;
    return repeated >= Math.min(2, telling.length) && repeated > 0;
  });
}

/** Whether two lines say the same. */
export const saysTheSame = (a: string, b: string): boolean =>
  isNegated(a) === isNegated(b) && likeness(contentStems(a), contentStems(b)) >= SAME_LINE;

/** Whether one line asks for what the other forbids. */
export const contradicts = (a: string, b: string): boolean =>
  isNegated(a) !== isNegated(b) && likeness(contentStems(a), contentStems(b)) >= OPPOSITE;

/** Why a line cannot stand beside others; null where it can. */
export function rivalOf(text: string, others: readonly { text: string }[]): 'repeat' | 'conflict' | null {
  if (others.some((one) => saysTheSame(one.text, text))) return 'repeat';
  return others.some((one) => contradicts(one.text, text)) ? 'conflict' : null;
}

/**
 * Lines of which none says what another says or forbids, where no model chose among them: the first of two stays, and every one
 * about a breach of safety.
 */
export function oneOfEach(lines: readonly ContextLine[]): {
  lines: ContextLine[];
  removed: ContextRecord['removed'];
} {
  const stay: ContextLine[] = [];
  const removed: ContextRecord['removed'] = [];
  for (const line of lines) {
    const { id, text } = line;
    const reason = rivalOf(text, stay);
    if (reason === null || isUrgent(line)) stay.push(line);
    else removed.push({ id, text, reason });
  }
  return { lines: stay, removed };
}

/** Whether a line speaks of a breach of safety, and so stays. */
export const isUrgent = ({ worded }: ContextLine): boolean =>
  worded !== undefined && isUrgentTopic(worded.topic);

/** Whether two lines are of one kind by more than the words that any line may have, such as "answer" and "task". */
export function isTellinglyAlike(a: string, b: string): boolean {
  const others = contentStems(b);
  return (
    isSameKind(a, b) && [...contentStems(a)].some((stem) => others.has(stem) && !GENERAL_STEMS.has(stem))
  );
}

/**
 * Whether a line asks for the very thing that a source calls a fault: "The task should repeat a reference", from "The task repeats a
 * reference". A model of 1.5 billion parameters put these words into a context.
 */
export const asksForFault = (line: string, sources: readonly string[]): boolean =>
  sentencesOf(line).some((sentence) =>
    [...sentence.matchAll(ASKED_FOR)].some(([, verb = '']) => {
      const [stem] = contentStems(verb);
      return stem !== undefined && sources.some((source) => statesAsFact(source, stem, isNegated(sentence)));
    }),
  );

/** Whether one of a text's sentences says that this happens, or with `negated` that it does not, and asks for nothing. */
const statesAsFact = (text: string, stem: string, negated: boolean): boolean =>
  sentencesOf(text)
    .filter((one) => isNegated(one) === negated && !IS_MISSING.test(one) && !DEMAND.test(one))
    .some((one) => (one.match(HAPPENS) ?? []).some((word) => contentStems(word).has(stem)));

const sentencesOf = (text: string): string[] => text.split(/[.!?;]/);

/** Whether a line is about what it is said to rest on. */
export const isAbout = (line: string, sources: readonly string[]): boolean =>
  sources.some((source) => likeness(contentStems(line), contentStems(source)) >= ABOUT);
