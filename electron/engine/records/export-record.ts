import { join } from 'node:path';
import type { FullRecord } from '../../store/index.ts';
import { writeExport } from '../../library/index.ts';
import type { LabFolder } from '../lab-folder.ts';

/** Anything that could be a path or upset a file system becomes a dash. */
const asName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);

/**
 * Writes a record with its reviews and its task as JSON to `exports/` below the lab and returns the file's path. The same record
 * has the same file, which is replaced as a whole. @throws Failure `cannotWrite`.
 */
export function exportRecord(lab: LabFolder, runId: string, record: FullRecord): { path: string } {
  const path = join(lab.root, 'exports', `${asName(runId)}-${asName(record.rollout.id)}.json`);
  writeExport(path, [`${JSON.stringify({ format: 'anchor-record-v1', runId, ...record }, null, 2)}\n`]);
  return { path };
}
