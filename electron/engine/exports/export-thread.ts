import { Failure } from '../../contract/index.ts';
import { inThread, threadModule } from '../../core/index.ts';
import type { CopyEntry } from '../../library/index.ts';

/** What an export of a run writes beside what its trainer does. */
type RunOrder = {
  what: 'run';
  /** Folder of the lab. */
  lab: string;
  runId: string;
  /** Folder that is not yet complete. */
  folder: string;
  /** Files of the model, which have to be as they were stored. */
  model: readonly { path: string; sha256: string }[];
  /** What is copied of them, and into which folder; null for nothing. */
  copy: { to: string; files: CopyEntry[] } | null;
};
type ItemsOrder = {
  what: 'items';
  /** Folder of the lab, or of the recorded sample's where the evaluation is one of that. */
  lab: string;
  id: string;
  format: 'inspect' | 'csv';
  path: string;
};
export type ExportOrder = RunOrder | ItemsOrder;

/** Records of one step more, bytes of the model that were hashed or copied, or answers. */
export type ExportNews = { kind: 'step' | 'model' | 'answers'; amount: number };

/** What each order comes to: the steps and files of a run, or the bytes of a file. */
export type ExportResults = { run: { steps: number; files: string[] }; items: { bytes: number } };

/** Has an export done in a thread and with a connection of its own. When this rejects, the thread writes nothing any more. */
export const exportInThread = <O extends ExportOrder>(
  order: O,
  options: { signal: AbortSignal; onNews: (news: ExportNews) => void },
): Promise<ExportResults[O['what']]> =>
  inThread(threadModule('exporter', import.meta.url), order, {
    ...options,
    died: (cause) =>
      new Failure(
        'checkFailed',
        `The export ended before it was through${cause === undefined ? '' : ` (${cause.message})`}; nothing of it was kept. Try again.`,
        1,
        { cause },
      ),
  });
