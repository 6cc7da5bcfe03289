import type {
  BatchStatistics,
  ReviewRecord,
  Role,
  SummaryRecord,
  WordingRecord,
} from '../../contract/index.ts';
import type { LineWriter, WordingBudget } from './ask.ts';
import { mergeWhole, type Merged, type MergeToWord } from './merge.ts';
import { mergeBySubject } from './merge-subjects.ts';
import { acrossBatches, findingGroups, supportByTopic } from './findings.ts';
import type { LineGuard } from './line-checks.ts';
import { wordSummary } from './summary.ts';
import { isCounted } from '../summary.ts';
import { ISSUES, sentenceFor, type Issue } from '../reviewers/answers.ts';

export { requireWordingPlaces, WordingBudget, type LineWriter } from './ask.ts';
export type { LineGuard } from './line-checks.ts';
export { subjectsOf } from './findings.ts';

export type StepToWord = {
  step: number;
  seed: number;
  /** Reviews of the step that must agree on a kind of finding before a line is written about it. */
  minimumSupport: number;
  scope: SummaryRecord['scope'];
  batches: readonly { batch: string; role: Role; statistics: BatchStatistics | null }[];
  reviews: readonly ReviewRecord[];
  passed: (rolloutId: string) => boolean;
  guard: LineGuard;
};

/** The summaries of a step in the model's words, batch by batch (ANCHOR Eq. 6); `onWorded` is called after each batch. */
export async function wordSummaries(
  writer: LineWriter,
  budget: WordingBudget,
  { step, seed, minimumSupport, scope, batches, reviews, passed, guard }: StepToWord,
  signal: AbortSignal,
  onWorded: (done: number, total: number) => void,
): Promise<WordingRecord[]> {
  // A writer of a small vocabulary knows the closed sentences.
  const sentences = writer.subjects === null ? sentenceFor : (issue: Issue) => ISSUES[issue].feedback;
  const groups = acrossBatches(
    batches.map(({ batch, role }) =>
      findingGroups(
        batch,
        role,
        reviews.filter((review) => isCounted(review, { batch, scope, passed })),
        sentences,
      ),
    ),
  );
  const support = supportByTopic(groups.flat());
  const records: WordingRecord[] = [];
  for (const [index, { batch, statistics }] of batches.entries()) {
    const supported = (groups[index] ?? []).filter(
      ({ topic, urgent }) => (support.get(topic) ?? 0) >= (urgent ? 1 : minimumSupport),
    );
    const record = await wordSummary(
      writer,
      budget,
      { step, batch, seed, groups: supported, statistics, guard },
      signal,
    );
    if (record !== null) records.push(record);
    onWorded(index + 1, batches.length);
  }
  return records;
}

/** The lines of the next context in the model's words (ANCHOR Eq. 7), all at once or by subject, as the writer can; null where nothing is asked. */
export const wordMerge = (
  writer: LineWriter,
  budget: WordingBudget,
  merge: MergeToWord,
  signal: AbortSignal,
): Promise<Merged | null> =>
  writer.subjects === null
    ? mergeWhole(writer, budget, merge, signal)
    : mergeBySubject(writer, writer.subjects, budget, merge, signal);
