import { join } from 'node:path';
import {
  BATCH_NAMES,
  Failure,
  type ReviewRecord,
  type RolloutRecord,
  type TaskRecord,
} from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { writeExport } from '../../library/index.ts';
import { contextMarkdown } from './context-file.ts';
import { appendStepEvents } from './events-log.ts';
import {
  batchSummaries,
  evaluationSummary,
  recordsOfRollout,
  supervisorEntry,
  trainedOf,
  type ExportedRecord,
} from './records.ts';

/** The reading half of the store these exports need. */
export type StepSource = Pick<
  Lab,
  'getStep' | 'listRollouts' | 'listReviews' | 'listSummaries' | 'getContext' | 'getTask'
>;

export const stepFileName = (step: number, batch: string): string => `step${step}_${batch}.json`;
export const contextFileName = (step: number): string => `context_${step}.md`;

/**
 * Writes what a committed step left, under the paper's names, into `folder`: `step{t}_{batch}.json` for each batch, its lines in
 * `events.jsonl`, and `context_{t}.md` with the context the next step gets beside it. Everything comes from the store, which
 * stays the truth; writing a step again gives the same files. Returns the names written.
 * @throws Failure `noSuchStep`, or `cannotWrite` naming the file; no file is ever half-written.
 */
export function writeStepFiles(folder: string, store: StepSource, runId: string, step: number): string[] {
  const committed = store.getStep(runId, step);
  if (committed === null)
    throw new Failure(
      'noSuchStep',
      `Step ${step} of run "${runId}" is not stored, so it cannot be exported; choose a committed step.`,
      2,
    );
  const at = committed.finishedAt;
  const rollouts = store.listRollouts(runId, step);
  const reviews = store.listReviews(runId, step);
  const summaries = store.listSummaries(runId, step);
  const names: string[] = [];
  const events: (ExportedRecord | ReturnType<typeof batchSummaries>[number])[] = [];
  for (const batch of BATCH_NAMES) {
    const own = trainedOf(rollouts, batch);
    const records = batchRecords(
      own,
      reviews.filter((review) => review.batch === batch),
      (id) => store.getTask(runId, id),
      at,
    );
    if (records.length === 0) continue;
    const closing = evaluationSummary(summaries.find((summary) => summary.batch === batch));
    names.push(stepFileName(step, batch));
    writeExport(join(folder, stepFileName(step, batch)), [
      `${JSON.stringify([...records, ...closing], null, 1)}\n`,
    ]);
    events.push(...records);
  }
  events.push(...batchSummaries(step, summaries, at));
  appendStepEvents(join(folder, 'events.jsonl'), step, events);
  for (const context of [store.getContext(runId, step), store.getContext(runId, step + 1)]) {
    if (context === null) continue;
    names.push(contextFileName(context.step));
    writeExport(join(folder, contextFileName(context.step)), [contextMarkdown(context)]);
  }
  return [...names, 'events.jsonl'];
}

function batchRecords(
  rollouts: RolloutRecord[],
  reviews: ReviewRecord[],
  taskOf: (id: string) => TaskRecord | null,
  at: string,
): ExportedRecord[] {
  const ofRollout = Map.groupBy(reviews, ({ rolloutId }) => rolloutId);
  const records = rollouts.flatMap((rollout) =>
    recordsOfRollout(
      rollout,
      rollout.taskId === null ? null : taskOf(rollout.taskId),
      ofRollout.get(rollout.id) ?? [],
      at,
    ),
  );
  return [...records, ...(ofRollout.get(null) ?? []).map(supervisorEntry)];
}
