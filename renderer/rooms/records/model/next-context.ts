import type { ContextLine, Phase } from '../../../../electron/contract/index.ts';
import type { FullRecord } from './types.ts';

/** Lines of a context, each with the phases of a record whose reviews caused or renewed it. */
export function linesWithCauses(
  lines: readonly ContextLine[],
  record: FullRecord | null,
): { line: ContextLine; phases: Phase[] }[] {
  const reviews =
    record === null ? [] : [...record.reviews, ...(record.execReview === null ? [] : [record.execReview])];
  return lines.map((line) => {
    const causes = new Set(line.reviewIds);
    return { line, phases: reviews.filter(({ id }) => causes.has(id)).map(({ phase }) => phase) };
  });
}
