import { existsSync, readlinkSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFolder } from '../../core/index.ts';
import {
  csvLine,
  Failure,
  type EvaluationMatrix,
  type EvaluationSummary,
  type EvaluationJudge,
} from '../../contract/index.ts';
import { writeExport } from '../../library/index.ts';
import { requireSummary } from '../results/compare.ts';
import type { EvaluationReads } from '../results/reads.ts';
import { inspectFileName, inspectLog, type ExportedItem } from './inspect.ts';
import { matrixMarkdown, matrixLatex, uniqueLabels } from './tables.ts';

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

export type ItemsFormat = 'inspect' | 'csv';

/**
 * The file that an evaluation is exported to. A folder gets one of the usual name.
 * @throws Failure `evaluationState` while it is not finished, `fileExists` where the name is taken
 */
export function placeOfItems(
  store: EvaluationReads,
  id: string,
  format: ItemsFormat,
  target: string,
): string {
  const summary = requireSummary(store, id);
  if (summary.state !== 'done')
    throw new Failure(
      'evaluationState',
      `Evaluation "${id}" is ${summary.state}; it can be exported when it is finished.`,
      2,
    );
  const place = resolve(target);
  const path = isFolder(place)
    ? join(place, format === 'inspect' ? inspectFileName(summary) : `${id}.csv`)
    : place;
  // A link is something too, wherever it leads.
  if (existsSync(path) || isLink(path))
    throw new Failure('fileExists', `The file ${path} exists already; name a new one.`, 2);
  return path;
}

/**
 * Writes an evaluation with all its answers: a log that Inspect reads, or a table.
 * @param version of this program, for the record. @param onItem told of each answer. @throws Failure `cannotWrite` naming the file
 */
export function writeItems(
  store: EvaluationReads,
  { id, format, path, version }: { id: string; format: ItemsFormat; path: string; version: string },
  onItem: () => void = () => {},
): { bytes: number } {
  const summary = requireSummary(store, id);
  const items = itemsOf(store, id, onItem);
  writeExport(path, format === 'inspect' ? inspectLog(summary, items, version) : itemsCsv(summary, items));
  return { bytes: statSync(path).size };
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** One answer in memory at a time. */
function* itemsOf(store: EvaluationReads, id: string, onItem: () => void): Generator<ExportedItem> {
  const overrides = new Map(store.listOverrides(id).map((one) => [one.ordinal, one]));
  for (const { grade, ...item } of store.eachEvaluationItem(id)) {
    onItem();
    if (grade !== null) yield { item: { ...item, grade }, override: overrides.get(item.ordinal) ?? null };
  }
}

const COLUMNS = [
  'suite',
  'subject',
  'ordinal',
  'item',
  'sample',
  'outcome',
  'score',
  'method',
  'reason',
  'flags',
  'judge',
  'person_outcome',
  'person',
  'person_note',
  'person_at',
  'new_tokens',
  'question',
  'answer',
  'target',
] as const;

/** One line per answer, piece by piece, one answer in memory at a time. @param items in the evaluation's order. */
export function* itemsCsv({ plan }: EvaluationSummary, items: Iterable<ExportedItem>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const { item, override } of items) {
    const { outcome, score, method, reason, flags, judge } = item.grade;
    yield csvLine([
      plan.suite,
      plan.subject.id,
      item.ordinal,
      item.itemId,
      item.sample,
      outcome,
      score,
      method,
      reason,
      flags.join('; '),
      judgeText(judge),
      override?.outcome,
      override?.by,
      override?.note,
      override?.at,
      item.newTokens,
      item.asked.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n'),
      item.text,
      item.target,
    ]);
  }
}

/** A judge on one line, with the start of its file's hash. */
function judgeText(judge: EvaluationJudge | null): string | null {
  if (judge === null) return null;
  const { name, sha256, promptVersion } = judge;
  return `${name}${sha256 === null ? '' : ` ${sha256.slice(0, 8)}`} (rubric ${promptVersion})`;
}

const ROW = ['group', 'kind', 'key', 'suite', 'score', 'label', 'unit', 'better'] as const;
const CELL = [
  'value',
  'low',
  'high',
  'n',
  'of',
  'state',
  'marks',
  'judge',
  'corrected',
  'corrected_low',
  'corrected_high',
  'corrected_n',
  'why',
] as const;

/** A line per suite, score and aggregate, thirteen columns per subject. Shares are 0 to 1, in full; marks are words, so it needs no legend. */
export function matrixCsv({ columns, rows }: EvaluationMatrix): string {
  const head = [...ROW, ...uniqueLabels(columns).flatMap((label) => CELL.map((name) => `${label}: ${name}`))];
  const lines = rows.map(({ group, kind, key, suite, score, label, unit, better, cells }) =>
    csvLine([
      group,
      kind,
      key,
      suite,
      score,
      label,
      unit,
      better,
      ...cells.flatMap((cell) =>
        cell === null
          ? CELL.map(() => null)
          : [
              cell.value,
              cell.low,
              cell.high,
              cell.n,
              cell.of,
              cell.state,
              cell.marks.join('; '),
              judgeText(cell.judge),
              cell.corrected?.value ?? null,
              cell.corrected?.low ?? null,
              cell.corrected?.high ?? null,
              cell.corrected?.n ?? null,
              cell.why,
            ],
      ),
    ]),
  );
  return csvLine(head) + lines.join('');
}
