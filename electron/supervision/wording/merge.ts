import type { ContextLine, ContextRecord, WordingRecord } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import { askModel, emptyRecord, fenced, render, type LineWriter, type WordingBudget } from './ask.ts';
import {
  checkedLine,
  contradicts,
  isAbout,
  isUrgent,
  saysTheSame,
  oneOfEach,
  type LineGuard,
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
      text: `(${isNew(line) ? 'new' : `there for ${step + 1 - line.enteredStep} steps`}, ${line.support} reviews) ${line.text}`,
    })),
    askSeed,
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

/** The answer's entries as context lines, and what became of the others. */
function chosenLines(
  record: WordingRecord,
  entries: readonly Entry[],
  { step, lines, guard }: Pick<MergeToWord, 'step' | 'lines' | 'guard'>,
): Merged {
  const isNew = (line: ContextLine): boolean => line.enteredStep > step;
  // Each line that an entry names, and why it leaves where it is not chosen itself.
  const used = new Map<ContextLine, Removed['reason']>();
  const chosen: ContextLine[] = [];
  const removed: Removed[] = [];
  let ordinal = lines.filter(isNew).length;
  for (const { from, text } of entries) {
    const named = [...new Set(from)]
      .map((number) => lines[number - 1] as ContextLine)
      .filter((line) => !used.has(line))
      // The first gives the topic, and its words where those of the model cannot stand.
      .toSorted((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)));
    const [first] = named;
    const ids = named.flatMap((line) => sourceIds(line, isNew(line)));
    if (first === undefined) {
      record.refused.push({ text, sources: [], reason: 'repeat' });
      continue;
    }
    const rival = chosen.find((line) => contradicts(line.text, text));
    if (rival !== undefined) {
      record.refused.push({ text, sources: ids, reason: 'contradiction' });
      continue;
    }
    if (chosen.some((line) => saysTheSame(line.text, text))) {
      // A line about a breach of safety stays though another says the same: that one may leave.
      for (const source of named) if (!isUrgent(source)) used.set(source, 'repeat');
      record.refused.push({ text, sources: ids, reason: 'repeat' });
      continue;
    }
    const checked = checkedLine(text, guard);
    const reason = !checked.ok
      ? checked.reason
      : isAbout(
            checked.text,
            named.map((source) => source.text),
          )
        ? null
        : ('unsupported' as const);
    if (reason !== null) record.refused.push({ text, sources: ids, reason });
    const words = checked.ok && reason === null ? checked.text : first.text;
    const says = (source: ContextLine): boolean => words === source.text || isAbout(words, [source.text]);
    const sources = named.filter((source) => !isUrgent(source) || says(source));
    for (const source of sources) used.set(source, 'model');
    const isWhole = words === sources[0]?.text;
    const line =
      isWhole && sources.length === 1
        ? (sources[0] as ContextLine)
        : joined(sources, words, step, () => (ordinal += 1));
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
    if (!used.has(line) && isUrgent(line)) chosen.unshift(line);
    // What a new line became is told by the line that it is in; one that stood in a context leaves it.
    else if (!used.has(line) || !isNew(line))
      removed.push({ id: line.id, text: line.text, reason: used.get(line) ?? 'model' });
  }
  return { record, lines: chosen, removed };
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
