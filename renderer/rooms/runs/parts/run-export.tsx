import type { RunRecord } from '../../../../electron/contract/index.ts';
import { useRunExport } from '../../../data/index.ts';
import { RunExportButton } from '../../../ui/index.ts';

/** The selected run as files to take along. */
export function RunExport({ run }: { run: RunRecord }) {
  return <RunExportButton run={run} {...useRunExport(run)} />;
}
