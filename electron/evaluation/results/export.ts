import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure, type EvaluationMatrix, type GradedItem } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { writeExport } from '../../library/index.ts';
import { requireSummary } from './compare.ts';
import { matrixMarkdown, matrixLatex } from '../export/tables.ts';
import { matrixCsv, itemsCsv } from '../export/csv.ts';
import { inspectFileName, inspectLog } from '../export/inspect.ts';

export const TABLE_FORMATS = ['markdown', 'latex', 'csv'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** A matrix as text for a paper, a page or a sheet. */
export function matrixText(matrix: EvaluationMatrix, format: TableFormat): string {
  switch (format) {
    case 'markdown':
      return matrixMarkdown(matrix);
    case 'latex':
      return matrixLatex(matrix);
    case 'csv':
      return matrixCsv(matrix);
  }
}

/**
 * Writes an evaluation with all its answers: a log that Inspect reads, or a table. A folder gets a file of the usual name.
 * @throws Failure `evaluationState` while it is not finished, `cannotWrite` naming the file
 */
export function exportItems(
  store: Lab,
  id: string,
  format: 'inspect' | 'csv',
  target: string,
  programVersion: string,
): { path: string; bytes: number } {
  const summary = requireSummary(store, id);
  if (summary.state !== 'done')
    throw new Failure(
      'evaluationState',
      `Evaluation "${id}" is ${summary.state}; it can be exported when it is finished.`,
      2,
    );
  const place = resolve(target);
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(place, format === 'inspect' ? inspectFileName(summary) : `${id}.csv`) : place;
  const items = itemsOf(store, id);
  writeExport(
    path,
    format === 'inspect' ? inspectLog(summary, items, programVersion) : itemsCsv(summary, items),
  );
  return { path, bytes: statSync(path).size };
}

/** One answer in memory at a time. */
function* itemsOf(
  store: Lab,
  id: string,
): Generator<{ item: GradedItem; override: ReturnType<Lab['listOverrides']>[number] | null }> {
  const overrides = new Map(store.listOverrides(id).map((one) => [one.ordinal, one]));
  for (const { grade, ...item } of store.eachEvaluationItem(id))
    if (grade !== null) yield { item: { ...item, grade }, override: overrides.get(item.ordinal) ?? null };
}
