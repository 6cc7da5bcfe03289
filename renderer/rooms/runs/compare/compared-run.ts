import type { RunRecord, RunRow } from '../../../../electron/contract/index.ts';

/** A run with everything a comparison says of it. */
export type ComparedRun = { run: RunRecord; row: RunRow | null; sandboxLevels: string[] };
