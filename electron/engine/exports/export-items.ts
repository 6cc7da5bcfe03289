import { Failure, type Job } from '../../contract/index.ts';
import { shownPath } from '../../core/index.ts';
import { placeOfItems, type ItemsFormat } from '../../evaluation/index.ts';
import { asFileFailure, noteUnfinished, removeQuietly } from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Services } from '../services.ts';
import { exportInThread } from './export-thread.ts';

export type ExportedItems = { path: string; bytes: number };

/**
 * Writes an evaluation with all its answers, as a job: a log that Inspect reads, or a table. The file appears complete or not at all.
 * @param store the lab that has the evaluation: the one that is open, or the recorded sample's
 * @throws Failure `evaluationState` while it is not finished, `fileExists` where the name is taken (exit code 2)
 */
export function exportItems(
  { lab, jobs, exportsUnderWay }: Pick<Services, 'lab' | 'jobs' | 'exportsUnderWay'>,
  store: Lab,
  { id, format, target }: { id: string; format: ItemsFormat; target: string },
): Job {
  const path = placeOfItems(store, id, format, target);
  if (exportsUnderWay.has(path))
    throw new Failure('fileExists', `Another export is writing the file ${path}; name a new one.`, 2);
  const { plan } = store.requireStoredEvaluation(id);
  const title = `Export ${plan.suite}, ${plan.subject.label}`;
  const total = store.countEvaluationItems(id, 'all');
  const job = jobs.start(
    { kind: `export-answers:${id}`, title, unit: 'answer', total },
    async ({ signal, advance }) => {
      const partial = `${path}.partial`;
      const forget = noteUnfinished(lab.root, partial);
      try {
        const order = { what: 'items', lab: store.folder, id, format, path } as const;
        const { bytes } = await exportInThread(order, { signal, onNews: ({ amount }) => advance(amount) });
        return { path, bytes } satisfies ExportedItems;
      } catch (error) {
        // A thread that was ended did not clean up; where nothing could be made there is nothing.
        removeQuietly(partial);
        throw asFileFailure(error, `The export ${shownPath(path)}`);
      } finally {
        forget();
        exportsUnderWay.delete(path);
      }
    },
  );
  exportsUnderWay.add(path);
  return job;
}
