import { diffWordsWithSpace } from 'diff';
import type { ContextLine, ContextRecord } from '../../../../electron/contract/index.ts';

type DiffPart = { text: string; is: 'same' | 'added' | 'removed' };
/** One line of the context with what changed in it since the earlier one. `line` is null for one that is gone. */
export type DiffLine = {
  id: string;
  is: 'same' | 'added' | 'removed' | 'changed';
  parts: DiffPart[];
  line: ContextLine | null;
  reason: ContextRecord['removed'][number]['reason'] | null;
};

/** Words in common over words there are, above which two lines are one line that was reworded. */
const REWORDED_FROM = 0.5;

/** The later context line by line, in its order, then what left since the earlier one. Without an earlier one nothing is marked. */
export function contextDiff(earlier: ContextRecord | null, later: ContextRecord): DiffLine[] {
  if (earlier === null)
    return later.lines.map((line) => ({
      id: line.id,
      is: 'same',
      parts: [{ text: line.text, is: 'same' }],
      line,
      reason: null,
    }));
  const before = new Map(earlier.lines.map((line) => [line.id, line]));
  const gone = earlier.lines.filter(({ id }) => !later.lines.some((line) => line.id === id));
  const reworded = new Map<string, ContextLine>();
  for (const line of later.lines) {
    const match = before.has(line.id)
      ? undefined
      : gone.find((old) => !reworded.has(old.id) && likeness(old.text, line.text) >= REWORDED_FROM);
    if (match !== undefined) reworded.set(match.id, line);
  }
  const wordedFrom = new Map(
    [...reworded.entries()].map(([oldId, line]) => [
      line.id,
      gone.find(({ id }) => id === oldId) as ContextLine,
    ]),
  );
  const shown = later.lines.map((line): DiffLine => {
    const old = before.get(line.id) ?? wordedFrom.get(line.id);
    if (old === undefined)
      return { id: line.id, is: 'added', parts: [{ text: line.text, is: 'added' }], line, reason: null };
    const parts = wordDiff(old.text, line.text);
    return {
      id: line.id,
      is: parts.every(({ is }) => is === 'same') ? 'same' : 'changed',
      parts,
      line,
      reason: null,
    };
  });
  const reasons = new Map(later.removed.map(({ id, reason }) => [id, reason]));
  const left = gone
    .filter(({ id }) => !reworded.has(id))
    .map((line): DiffLine => ({
      id: line.id,
      is: 'removed',
      parts: [{ text: line.text, is: 'removed' }],
      line: null,
      reason: reasons.get(line.id) ?? null,
    }));
  return [...shown, ...left];
}

/** The words of two texts, in the order of reading. */
export function wordDiff(before: string, after: string): DiffPart[] {
  return diffWordsWithSpace(before, after).map(({ value, added, removed }) => ({
    text: value,
    is: added ? 'added' : removed ? 'removed' : 'same',
  }));
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

/** Share of words two texts have in common (Jaccard), 0…1. */
export function likeness(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const common = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}
