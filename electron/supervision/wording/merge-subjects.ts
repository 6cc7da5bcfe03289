import type { ContextLine, WordingRecord } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { sameLineKey } from '../context/candidates.ts';
import { askModel, fenced, render, type Ask, type LineWriter, type WordingBudget } from './ask.ts';
import { isUrgent, supportedLine, type LineGuard } from './line-checks.ts';
import { joined, mergeRecord, sourceIds, type Merged, type MergeToWord } from './merge.ts';
import type { Subjects } from './findings.ts';
import { LINE_SCHEMA, readLine } from './summary.ts';

const ANSWER_TOKENS = 48;

/**
 * Eq. 7 by a writer that is asked one subject at a time: a model of a few million parameters words a line and cannot keep account
 * of ten numbered ones. Lines that are alone in their subject stand as they are. Null where each is, so that nothing is asked.
 */
export async function mergeBySubject(
  writer: LineWriter,
  { subjectOf }: Subjects,
  budget: WordingBudget,
  { step, seed, lines, guard }: MergeToWord,
  signal: AbortSignal,
): Promise<Merged | null> {
  const groups = [...Map.groupBy(lines, ({ text }) => subjectOf(text))];
  if (groups.every(([, members]) => members.length === 1)) return null;
  const spent = budget.spentMs;
  const record = mergeRecord(writer, step);
  const merged: Merged = { record, lines: [], removed: [] };
  let ordinal = lines.filter((line) => line.enteredStep > step).length;
  for (const [subject, members] of groups) {
    const [first] = members as [ContextLine, ...ContextLine[]];
    let stays = first;
    if (members.length > 1) {
      const question = mergeQuestion(writer, members, step, rolloutSeed(seed, 'merge', step, subject));
      const { value, questions } = await askModel(writer, budget, question, signal);
      record.questions.push(...questions);
      const worded =
        value === null
          ? null
          : wordedLine(record, value, members, { step, guard, next: () => (ordinal += 1) });
      if (worded === null) record.status = 'fallback';
      stays = worded ?? first;
    }
    for (const line of members.filter((one) => one !== stays))
      if (isUrgent(line)) merged.lines.push(line);
      else merged.removed.push({ id: line.id, text: line.text, reason: 'model' });
    merged.lines.push(stays);
  }
  record.milliseconds = budget.spentMs - spent;
  return merged;
}

/** The line that the answer stands for: one of those shown, or a new one that rests on all of them; null where it cannot stand. */
function wordedLine(
  record: WordingRecord,
  text: string,
  members: readonly ContextLine[],
  { step, guard, next }: { step: number; guard: LineGuard; next: () => number },
): ContextLine | null {
  const ids = members.flatMap((line) => sourceIds(line, line.enteredStep > step));
  const take = (line: ContextLine, wording: 'model' | 'source'): ContextLine => {
    record.lines.push({
      id: line.id,
      text: line.text,
      topic: line.worded?.topic ?? '',
      sources: ids,
      wording,
    });
    return line;
  };
  const same = members.find((line) => sameLineKey(line.text) === sameLineKey(text));
  if (same !== undefined) return take(same, 'source');
  const checked = supportedLine(
    text,
    members.map((line) => line.text),
    guard,
  );
  if (checked.ok) return take(joined(members, checked.text, step, next), 'model');
  record.refused.push({ text, sources: ids, reason: checked.reason });
  return null;
}

/** Lines of one subject: how long each has stood, how many reviews speak for it, what it says. */
export function mergeQuestion(
  writer: { pack: PromptPack; prompts: LineWriter['prompts'] },
  lines: readonly Pick<ContextLine, 'text' | 'enteredStep' | 'support'>[],
  step: number,
  seed: number,
): Ask<string> {
  const { text, delimiter } = fenced(
    lines.map(({ text: line, enteredStep, support }) => ({
      label: `${enteredStep > step ? 'new' : `step ${step + 1 - enteredStep}`}, ${support} reviews`,
      text: line,
    })),
    seed,
  );
  return {
    system: render(writer, 'system', { delimiter }),
    user: render(writer, 'merge', { lines: text, delimiter, count: String(lines.length), room: '1' }),
    schema: LINE_SCHEMA,
    maxTokens: ANSWER_TOKENS,
    seed,
    read: readLine,
  };
}
