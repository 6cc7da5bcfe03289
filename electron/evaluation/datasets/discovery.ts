import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  Failure,
  type DatasetFault,
  type DatasetLook,
  type DatasetPreview,
  type FoundDataset,
} from '../../contract/index.ts';
import type { KeptRow, KindReader } from './kinds/kind.ts';
import { recognise, type Recognised } from './recognise.ts';
import { jsonRow } from './rows/json.ts';
import type { Format } from './rows/read-rows.ts';
import type { Row } from './rows/row.ts';
import { openPath, sourceOn } from './sources/open-path.ts';
import {
  baseName,
  folderName,
  type IgnoredFile,
  type OpenedPath,
  type SourceFile,
} from './sources/source.ts';

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

/** A set that was found: its files in the order they are read. */
export type FoundSet = {
  key: string;
  reader: KindReader;
  format: Format;
  files: SourceFile[];
  /** Files that belong to it and hold no rows. */
  beside: { name: string; file: SourceFile }[];
  release: string | null;
  suggestedName: string;
  rows: Row[];
  fault: DatasetFault | null;
};

/** The sets among the files of a path, and the files that are none with the reason. @throws the signal's reason. */
export async function findSets(
  opened: OpenedPath,
  signal?: AbortSignal,
): Promise<{ sets: FoundSet[]; ignored: IgnoredFile[] }> {
  const ignored: IgnoredFile[] = [...opened.ignored];
  const found: Recognised[] = [];
  for (const file of opened.files) {
    signal?.throwIfAborted();
    const one = await recognise(file, opened.path);
    if ('why' in one) ignored.push({ name: file.name, why: one.why });
    else found.push(one);
  }
  const taken = new Set<string>();
  const sets = found.flatMap((one) => one.readers.map((reader) => ({ reader, one })));
  const groups = Map.groupBy(sets, ({ reader, one }) =>
    reader.files === 'joined'
      ? `${reader.name}:${one.format}:${folderName(one.file.name)}`
      : `${reader.name}:${one.file.name}`,
  );
  const all = [...groups.values()].map((members) =>
    setOf(
      members.toSorted((a, b) => naturalOrder(a.one.file.name, b.one.file.name)),
      opened,
    ),
  );
  for (const { beside } of all) for (const { file } of beside) taken.add(file.name);
  return { sets: all, ignored: ignored.filter(({ name }) => !taken.has(name)) };
}

const naturalOrder = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function setOf(members: { reader: KindReader; one: Recognised }[], opened: OpenedPath): FoundSet {
  const { reader, one } = members[0]!;
  const beside = (reader.beside ?? []).map((name) => ({ name, file: siblingOf(one.file, name, opened) }));
  const absent = beside.find(({ file }) => file === null);
  const fault =
    absent === undefined
      ? (members.map((member) => member.one.fault).find((each) => each !== null) ?? null)
      : {
          file: one.file.name,
          row: null,
          why: `${absent.name} is not beside it; choose the folder that holds both`,
        };
  return {
    key: `${reader.name}:${one.file.name}`,
    reader,
    format: one.format,
    files: members.map((member) => member.one.file),
    beside: beside.flatMap(({ name, file }) => (file === null ? [] : [{ name, file }])),
    release: members.length === 1 ? one.release : null,
    suggestedName: suggested(reader, members.length, one),
    rows: one.rows,
    fault,
  };
}

/** A file in the same folder or archive; for a file that was chosen alone, the one beside it on the disk. */
function siblingOf(file: SourceFile, name: string, { files }: OpenedPath): SourceFile | null {
  const path = folderName(file.name) === '' ? name : `${folderName(file.name)}/${name}`;
  const listed = files.find((each) => each.name === path);
  if (listed !== undefined) return listed;
  const onDisk = file.path === null ? null : join(dirname(file.path), name);
  return onDisk !== null && existsSync(onDisk) && statSync(onDisk).isFile()
    ? sourceOn(onDisk, path, statSync(onDisk).size)
    : null;
}

/** The release, or the kind with what tells this file from its neighbours; in the letters a name may have. */
function suggested({ title }: KindReader, files: number, { file, release }: Recognised): string {
  const plain = baseName(file.name)
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z]+$/i, '');
  const rest =
    files > 1 ? `${files} files` : /^(?:test|train|val|data|items|index|manifest)$/i.test(plain) ? '' : plain;
  return (release ?? `${title} ${rest}`)
    .replace(/[^\p{L}\p{N} ._+-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 100);
}
