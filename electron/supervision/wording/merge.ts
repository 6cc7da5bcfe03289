import type { ContextLine, ContextRecord, WordingRecord } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import {
  askModel,
  emptyRecord,
  fenced,
  markSeed,
  render,
  type LineWriter,
  type WordingBudget,
} from './ask.ts';
import { sameLineKey } from '../context/candidates.ts';
import {
  asksForFault,
  checkedLine,
  contradicts,
  isTellinglyAlike,
  isUrgent,
  rivalOf,
  saysTheSame,
  oneOfEach,
  type LineGuard,
  type Refusal,
} from './line-checks.ts';

type Removed = ContextRecord['removed'][number];

export type MergeToWord = {
  /** Step t; the lines are those of C_{t+1}. */
  step: number;
  seed: number;
  /** Lines of C_t that are still supported, and lines that enter; enough reviews agree on each. */
  lines: readonly ContextLine[];
  /** Most lines that the next context may have beside the fixed ones. */
  room: number;
  guard: LineGuard;
};

export type Merged = { record: WordingRecord; lines: ContextLine[]; removed: Removed[] };

const MOST_JOINED = 3;
const LONGEST_ANSWER = 220;
const TOKENS_PER_LINE = 72;
const TOKENS_BESIDE = 24;

type Entry = { from: number[]; text: string };

/**
 * The lines of C_{t+1} as the supervisor's model chooses, joins, orders and words them (ANCHOR Eq. 7). Each line of the answer names
 * the lines it was made of. A wording that cannot stand gives way to that of its first source; lines about a breach of safety
 * stay as they are unless one was chosen that speaks of the same. Null where there is nothing to choose: no line enters and all have room.
 */
export async function mergeWhole(
  writer: LineWriter,
  budget: WordingBudget,
  { step, seed, lines, room, guard }: MergeToWord,
  signal: AbortSignal,
): Promise<Merged | null> {
  const isNew = (line: ContextLine): boolean => line.enteredStep > step;
  if (lines.length === 0 || room === 0 || (!lines.some(isNew) && lines.length <= room)) return null;
  const spent = budget.spentMs;
  const askSeed = rolloutSeed(seed, 'merge', step);
  const { text, delimiter } = fenced(
    lines.map((line, index) => ({
      label: `line ${index + 1}`,
      text: `(${isNew(line) ? 'new' : `there for ${step + 1 - line.enteredStep} steps`}, ${line.support === 1 ? '1 review' : `${line.support} reviews`}) ${line.text}`,
    })),
    markSeed(seed, step),
  );
  const { value, questions } = await askModel(
    writer,
    budget,
    {
      system: render(writer, 'system', { delimiter }),
      user: render(writer, 'merge', {
        lines: text,
        delimiter,
        room: String(room),
        count: String(lines.length),
      }),
      schema: answerSchema(lines.length, room),
      maxTokens: room * TOKENS_PER_LINE + TOKENS_BESIDE,
      seed: askSeed,
      read: (answer) => readEntries(answer, lines.length),
    },
    signal,
  );
  const record: WordingRecord = {
    ...mergeRecord(writer, step),
    status: value === null ? 'fallback' : 'done',
    questions,
    milliseconds: budget.spentMs - spent,
  };
  if (value === null) return { record, ...oneOfEach(lines) };
  return chosenLines(record, value, { step, lines, guard });
}

export const mergeRecord = (writer: LineWriter, step: number): WordingRecord =>
  emptyRecord(writer, { id: `${step}/merge`, step, kind: 'merge', batch: null });

/**
 * The answer's entries as context lines, and what became of the others. A small model names sources badly: what counts is which of
 * the lines its words are about. A line that it names beside words that say nothing of it stays as it is.
 */
function chosenLines(
  record: WordingRecord,
  entries: readonly Entry[],
  { step, lines, guard }: Pick<MergeToWord, 'step' | 'lines' | 'guard'>,
): Merged {
  const isNew = (line: ContextLine): boolean => line.enteredStep > step;
  // Each line that an entry took up, and why it leaves where it is not chosen itself.
  const used = new Map<ContextLine, Removed['reason']>();
  const meant = new Set<ContextLine>();
  const chosen: ContextLine[] = [];
  const removed: Removed[] = [];
  let ordinal = lines.filter(isNew).length;
  for (const { from, text } of entries) {
    const named = [...new Set(from)].map((number) => lines[number - 1] as ContextLine);
    for (const line of named) meant.add(line);
    const refuse = (reason: Refusal): void =>
      void record.refused.push({
        text,
        sources: named.flatMap((line) => sourceIds(line, isNew(line))),
        reason,
      });
    const checked = checkedLine(text, guard);
    // A line that is too long loses sentences: it rests on what is left, and what the others said stays where it stood.
    const said = checked.ok ? checked.text : text;
    const about = linesAbout(said, named, lines);
    // A line about a breach of safety stays though another says the same: that one may leave.
    const leave = (reason: Removed['reason']): void => {
      for (const source of about) if (!isUrgent(source) && !used.has(source)) used.set(source, reason);
    };
    if (chosen.some((line) => contradicts(line.text, said))) {
      leave('conflict');
      refuse('contradiction');
      continue;
    }
    if (chosen.some((line) => saysTheSame(line.text, said))) {
      leave('repeat');
      refuse('repeat');
      continue;
    }
    const open = about.filter((line) => !used.has(line));
    const reason = !checked.ok ? checked.reason : whyNot(said, about);
    if (reason !== null) refuse(reason);
    else if (open.length === 0) refuse('repeat');
    // Words that cannot stand give way to those of the first line that was meant.
    const sources = reason === null ? open : named.filter((line) => !used.has(line)).slice(0, 1);
    const [first] = sources;
    if (first === undefined) continue;
    const words = reason === null ? said : first.text;
    for (const source of sources) used.set(source, 'model');
    const isWhole = words === first.text;
    const line = isWhole && sources.length === 1 ? first : joined(sources, words, step, () => (ordinal += 1));
    chosen.push(line);
    record.lines.push({
      id: line.id,
      text: line.text,
      topic: line.worded?.topic ?? '',
      sources: sources.flatMap((source) => sourceIds(source, isNew(source))),
      wording: isWhole ? 'source' : 'model',
    });
  }
  for (const line of lines.filter((one) => !chosen.includes(one))) {
    const reason = used.get(line);
    const rival = reason === undefined && meant.has(line) ? rivalOf(line.text, chosen) : null;
    if (reason === undefined && isUrgent(line)) chosen.unshift(line);
    else if (reason === undefined && meant.has(line) && rival === null) chosen.push(line);
    // What a new line became is told by the line that it is in; one that stood in a context leaves it.
    else if (!isNew(line) || reason === undefined || reason === 'conflict')
      removed.push({ id: line.id, text: line.text, reason: reason ?? rival ?? 'model' });
  }
  return { record, lines: chosen, removed };
}

/** Why words that may stand cannot be those of the lines that they are about. */
function whyNot(words: string, about: readonly ContextLine[]): Refusal | null {
  if (about.length === 0) return 'unsupported';
  const sources = about.map(({ text }) => text);
  return asksForFault(words, sources) ? 'contradiction' : null;
}

/** The lines that the words rest on: the one that they repeat, else those of the named ones that say the same kind of thing; urgent ones first. */
function linesAbout(
  text: string,
  named: readonly ContextLine[],
  lines: readonly ContextLine[],
): ContextLine[] {
  const repeated = lines.find((line) => sameLineKey(line.text) === sameLineKey(text));
  if (repeated !== undefined) return [repeated];
  return named
    .filter((line) => isTellinglyAlike(text, line.text))
    .toSorted((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)));
}

/** Lines of summaries for one that enters now, else the line of the context itself. */
export const sourceIds = (line: ContextLine, isNew: boolean): string[] =>
  isNew && line.worded !== undefined ? line.worded.from : [line.id];

/** One line made of several. @param next the ordinal of a new line of this step. */
export function joined(
  sources: readonly ContextLine[],
  text: string,
  step: number,
  next: () => number,
): ContextLine {
  const first = sources[0] as ContextLine;
  const reviewIds = [...new Set(sources.flatMap((line) => line.reviewIds))];
  return {
    id: `${step + 1}.${next()}`,
    text,
    key: null,
    enteredStep: step + 1,
    lastSupportedStep: Math.max(...sources.map((line) => line.lastSupportedStep)),
    support: Math.max(...sources.map((line) => line.support)),
    reviewIds,
    worded: {
      topic: first.worded?.topic ?? text,
      from: [...new Set(sources.flatMap((line) => sourceIds(line, line.enteredStep > step)))],
      wording: text === first.text ? (first.worded?.wording ?? 'source') : 'model',
    },
  };
}

const answerSchema = (count: number, room: number): object => ({
  type: 'object',
  required: ['lines'],
  additionalProperties: false,
  properties: {
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: Math.min(room, count),
      items: {
        type: 'object',
        required: ['from', 'text'],
        additionalProperties: false,
        properties: {
          from: {
            type: 'array',
            minItems: 1,
            maxItems: Math.min(MOST_JOINED, count),
            items: { enum: Array.from({ length: count }, (_, index) => index + 1) },
          },
          text: { type: 'string', maxLength: LONGEST_ANSWER },
        },
      },
    },
  },
});

/** Null for anything but entries that name lines there are. */
function readEntries(value: unknown, count: number): Entry[] | null {
  const lines = (value as { lines?: unknown } | null)?.lines;
  if (!Array.isArray(lines) || lines.length === 0) return null;
  const entries = lines.filter(
    (entry): entry is Entry =>
      typeof entry === 'object' &&
      entry !== null &&
      typeof entry.text === 'string' &&
      Array.isArray(entry.from) &&
      entry.from.length > 0 &&
      entry.from.every(
        (number: unknown) =>
          Number.isInteger(number) && (number as number) >= 1 && (number as number) <= count,
      ),
  );
  return entries.length === lines.length ? entries : null;
}
