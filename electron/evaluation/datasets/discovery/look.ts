import {
  Failure,
  type DatasetFault,
  type DatasetLook,
  type DatasetPreview,
  type FoundDataset,
} from '../../../contract/index.ts';
import type { KeptRow, KindReader } from '../kinds/kind.ts';
import { jsonRow } from '../rows/json-row.ts';
import { openPath } from '../sources/open-path.ts';
import { findSets, type FoundSet } from './sets.ts';

const MOST_COLUMNS = 8;
const MOST_ROWS = 5;
const CELL_CHARACTERS = 240;

/**
 * What stands at a path, as far as beginnings tell: sets with their first rows, and every other file with the reason. A path from
 * which nothing may be taken is `refused`. @throws Failure `missingFile` (exit code 2); the signal's reason.
 */
export async function lookForDatasets(path: string, signal?: AbortSignal): Promise<DatasetLook> {
  try {
    const opened = await openPath(path);
    try {
      const { sets, ignored } = await findSets(opened, signal);
      return {
        path: opened.path,
        sets: sets.map(describe),
        ignored,
        refused: sets.length > 0 ? null : nothingFound(path, ignored),
      };
    } finally {
      opened.close();
    }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused')
      return { path, sets: [], ignored: [], refused: error.message };
    throw error;
  }
}

export function nothingFound(path: string, ignored: readonly { name: string; why: string }[]): string {
  const [first] = ignored;
  if (first === undefined)
    return `There is no file in ${path}; choose the file, folder or archive of a test set.`;
  if (ignored.length === 1) return `${first.name} cannot be imported: ${first.why}.`;
  return `None of the ${ignored.length} files in ${path} is a test set that is known here; the first, ${first.name}: ${first.why}.`;
}

function describe(set: FoundSet): FoundDataset {
  const { reader, files, rows } = set;
  const { kept, fault } = keepFirst(set);
  const mayShow = reader.terms?.kind !== 'licence';
  return {
    key: set.key,
    kind: reader.name,
    title: reader.title,
    suggestedName: set.suggestedName,
    files: files.map(({ name, bytes }) => ({ name, bytes })),
    release: set.release,
    hazardous: reader.hazardous,
    terms: reader.terms,
    fault: set.fault ?? fault,
    alreadyAs: null,
    preview: mayShow
      ? previewOf(
          reader,
          (kept.length > 0
            ? kept
            : rows.map(({ value }, index) => ({ id: String(index), text: JSON.stringify(value) }))
          ).slice(0, MOST_ROWS),
        )
      : null,
  };
}

/** The first rows as they would be kept, up to the first that would be refused. */
function keepFirst({ reader, rows, files }: FoundSet): { kept: KeptRow[]; fault: DatasetFault | null } {
  const kept: KeptRow[] = [];
  const file = files[0]?.name ?? '';
  for (const [index, row] of rows.entries()) {
    try {
      kept.push(...reader.read(row, { file, index }));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { kept, fault: { file, row: row.row, why: error.message } };
    }
  }
  return { kept, fault: null };
}

/** Rows as a table; long cells are cut. @param rows official rows as JSON text, NaN and the infinities of Python among them. */
export function previewOf(
  { hazardous }: Pick<KindReader, 'hazardous'>,
  rows: readonly Pick<KeptRow, 'id' | 'text'>[],
): DatasetPreview {
  const values = rows.map(({ id, text }, index) => ({ id, value: valueOf(text, index + 1) }));
  const columns = [...new Set(values.flatMap(({ value }) => Object.keys(value)))].slice(0, MOST_COLUMNS);
  return {
    columns,
    hazardous,
    rows: values.map(({ id, value }) => ({ id, cells: columns.map((column) => cellOf(value[column])) })),
  };
}

function valueOf(text: string, place: number): Readonly<Record<string, unknown>> {
  const row = jsonRow(Buffer.from(text, 'utf8'), place, 'python');
  return row.fault === null ? row.value : {};
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
}
