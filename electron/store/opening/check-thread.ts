import { Failure } from '../../contract/index.ts';
import { inThread, threadModule } from '../../core/index.ts';
import type { Watch } from './pages.ts';

/** One finding of a check: which part, and what is wrong in one sentence. */
export type Damage = { part: 'database' | 'search' | 'events' | 'records'; finding: string };

/** What a copy of a lab holds, after every page and every event of it was checked. */
export type BackupFacts = {
  schema: number;
  bytes: number;
  runs: number;
  steps: number;
  events: number;
  head: string;
};

/** What a salvaged lab holds of the damaged one. */
export type Salvaged = {
  /** In full, and up to a step. */
  runs: { whole: number; cut: number };
  /** A sentence for each thing that could not be taken over as it was stored; none where nothing is missing. */
  lost: string[];
};

/** What each check comes to. */
export type CheckResults = {
  /** Pages and events, after a program ended without closing the lab: what is damaged, or null. */
  afterCrash: string | null;
  /** Everything that can be checked without the files of the runs. */
  records: { damage: Damage[]; events: number };
  /** Pages and events of a copy of a lab. */
  backup: BackupFacts;
  /** What can be read of a damaged lab, taken over into the new file `to`. */
  salvage: Salvaged;
};

/** What the thread is asked; its news are the share of the work that is done. */
export type CheckOrder = { check: keyof CheckResults; file: string; to: string };

export type CheckOptions = {
  signal?: AbortSignal | undefined;
  onShare?: Watch | undefined;
  /** The file to make, for what makes one. */
  to?: string | undefined;
};

/** What a check reads at once may be large, and nobody waits longer than this for its end. */
const END_MS = 900;

/**
 * Reads a whole database in a thread and with a connection of its own, so that whoever asks goes on meanwhile. What the check refuses is
 * thrown here, as is the signal's reason within a second; a thread that dies costs this check alone.
 */
export const checkInThread = <K extends keyof CheckResults>(
  check: K,
  file: string,
  { signal, onShare, to = '' }: CheckOptions = {},
): Promise<CheckResults[K]> =>
  inThread<CheckResults[K], number>(
    threadModule('checker', import.meta.url),
    { check, file, to } satisfies CheckOrder,
    { signal, onNews: onShare, died: (cause) => died(file, cause), endMs: END_MS },
  );

function died(file: string, cause?: Error): Failure {
  const why = cause === undefined ? '' : ` (${cause.message})`;
  return new Failure(
    'checkFailed',
    `The check of ${file} ended before it was through${why}; nothing was found out. Try again.`,
    1,
    { cause },
  );
}
