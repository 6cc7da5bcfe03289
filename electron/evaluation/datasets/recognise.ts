import { createHash } from 'node:crypto';
import { Failure, type DatasetFault } from '../../contract/index.ts';
import type { Content } from '../../library/index.ts';
import type { KindReader } from './kinds/kind.ts';
import { KIND_READERS, readerOf, releaseOf } from './kinds/registry.ts';
import { readRows, type Format } from './rows/read-rows.ts';
import { MEBIBYTE, type Row } from './rows/row.ts';
import { headOf, unpack, baseName, type SourceFile } from './sources/source.ts';

/** A file, how it is read, and the kinds its rows may be of. */
export type Recognised = {
  file: SourceFile;
  format: Format;
  readers: KindReader[];
  release: string | null;
  rows: Row[];
  fault: DatasetFault | null;
};
type NotRecognised = { file: SourceFile; why: string };

const FIRST_ROWS = 5;
const LEAST_ROW_BYTES = 4 * MEBIBYTE;
/** Larger files are hashed while they are imported, not while a person waits for a look. */
const HASHED_BYTES = 64 * MEBIBYTE;

/** What a file holds, by its first bytes, the fields of its first rows, and its hash when that is quick. @param top what a person chose: the file, its folder or its archive. */
export async function recognise(file: SourceFile, top: string): Promise<Recognised | NotRecognised> {
  try {
    const { head, content, isWhole } = await headOf(file);
    const refusal = refusalOf(content);
    if (refusal !== null) return { file, why: refusal };
    const formats = formatsOf(file.name, content, head, isWhole);
    let why: string | null = null;
    for (const format of formats) {
      if (format === 'minhash-pickle' && !/\.pkl$/i.test(file.name)) return { file, why: PICKLED };
      const found =
        format === 'text'
          ? await script(file)
          : await table(file, format, head, file.path ?? `${top}/${file.name}`);
      if ('readers' in found) return found;
      why ??= found.why; // the first form is the likely one
    }
    return { file, why: why ?? 'it is neither a table (CSV, Parquet) nor JSON, so it holds no rows' };
  } catch (error) {
    if (error instanceof Failure) return { file, why: error.message };
    throw error;
  }
}

async function table(
  file: SourceFile,
  format: Format,
  head: Buffer,
  path: string,
): Promise<Recognised | NotRecognised> {
  const { rows, fault } = await firstRows(file, format, mostRowBytes(head));
  if (rows.length === 0 && format === 'minhash-pickle')
    return {
      file,
      why: `${PICKLED}, except for HarmBench's hashes, and as these ${fault?.why ?? 'it is empty'}`,
    };
  if (rows.length === 0)
    return { file, why: fault === null ? 'it has no rows' : `its first row is refused: ${fault.why}` };
  const values = rows.map(({ value }) => value);
  const readers = KIND_READERS.filter((reader) => {
    // A row that lacks a field among others that have it is refused as a row, with its number, by the import.
    const whole = values.filter((value) => reader.fields.every((field) => field in value));
    return reader.formats.includes(format) && whole.length * 2 >= values.length && reader.fits(whole, path);
  });
  if (readers.length === 0) return { file, why: nearest(format, values[0] ?? {}) };
  const known = file.bytes <= HASHED_BYTES ? releaseOf(await hashOf(file)) : null;
  const own = known === null ? readers : readers.filter(({ name }) => name === known.kind);
  return {
    file,
    format,
    readers: own.length === 0 ? readers : own,
    release: own.length === 0 ? null : (known?.release ?? null),
    rows,
    fault,
  };
}

/** A Python source is one set only, known by its bytes or by its name. */
async function script(file: SourceFile): Promise<Recognised | NotRecognised> {
  const known = file.bytes <= HASHED_BYTES ? releaseOf(await hashOf(file)) : null;
  if (known === null && !/(?:^|\/)reward_hacking_test\.py$/.test(file.name))
    return { file, why: 'it is a program, not data' };
  return {
    file,
    format: 'text',
    readers: [readerOf('misevolution-texts')],
    release: known?.release ?? null,
    rows: [],
    fault: null,
  };
}

/** The first rows that can be read, and the first that is refused. */
async function firstRows(
  file: SourceFile,
  format: Format,
  rowBytes: number,
): Promise<{ rows: Row[]; fault: DatasetFault | null }> {
  const rows: Row[] = [];
  let seen = 0;
  for await (const row of readRows(file, format, { dialect: 'python', rowBytes })) {
    if (row.fault !== null) return { rows, fault: { file: file.name, row: row.row, why: row.fault } };
    rows.push(row);
    seen += 1;
    if (seen === FIRST_ROWS) break;
  }
  return { rows, fault: null };
}

/** Bytes the first rows may have: as many as the most generous kind allows whose fields stand in the file's beginning. */
function mostRowBytes(head: Buffer): number {
  const text = head.toString('latin1');
  return Math.max(
    LEAST_ROW_BYTES,
    ...KIND_READERS.filter(({ fields }) => fields.some((field) => text.includes(`"${field}"`))).map(
      ({ rowBytes }) => rowBytes,
    ),
  );
}

/** What is missing to be of the kind that shares most fields. */
function nearest(format: Format, value: Readonly<Record<string, unknown>>): string {
  const columns = Object.keys(value)
    .slice(0, 8)
    .map((name) => (name.length > 30 ? `${name.slice(0, 30)}…` : name))
    .join(', ');
  const [best] = KIND_READERS.filter(({ fields }) => fields.length > 1)
    .map((reader) => ({ reader, missing: reader.fields.filter((field) => !(field in value)) }))
    .toSorted(
      (a, b) => a.missing.length / a.reader.fields.length - b.missing.length / b.reader.fields.length,
    );
  if (best === undefined || best.missing.length * 2 > best.reader.fields.length)
    return format === 'bare-csv'
      ? 'it is a table of no test set that is known here'
      : `its fields (${columns}) are those of no test set that is known here`;
  if (best.missing.length === 0) return `its fields are those of ${best.reader.title}, but its rows are not`;
  return `it looks like ${best.reader.title}, but lacks ${best.missing.join(', ')}`;
}

async function hashOf(file: SourceFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of unpack(file)) hash.update(piece);
  return hash.digest('hex');
}

const plainName = (name: string): string => baseName(name).toLowerCase().replace(/\.gz$/, '');

/** A pickle is read in one form only, by a reader that runs nothing: the hashes of HarmBench. */
const PICKLED =
  'it is a pickle file, whatever it is called; pickles can run code when opened, so they are never opened';

/** Why a file cannot hold rows, by its first bytes, whatever it is called; null when it may. */
function refusalOf(content: Content): string | null {
  switch (content) {
    case 'torch-archive':
      return PICKLED;
    case 'numpy':
      return 'it is a NumPy file, which can hold pickled objects';
    case 'zip':
      return 'it is an archive within; unpack it, or choose it alone';
    case 'gguf':
    case 'safetensors':
      return 'it holds the weights of a model; models are imported in the library';
    case 'sqlite':
      return 'it is a database';
    case 'gzip':
      return 'it is packed twice; unpack it once';
    case 'empty':
      return 'it is empty; copy it again';
    case 'parquet':
    case 'pickle':
    case 'json-lines':
    case 'json':
    case 'text':
    case 'binary':
      return null;
  }
}

/** How a file holds its rows, in the order they should be tried; empty when it is of no form that is read. */
function formatsOf(name: string, content: Content, head: Buffer, isWhole: boolean): Format[] {
  if (content === 'parquet') return ['parquet'];
  if (content === 'pickle') return ['minhash-pickle'];
  const plain = plainName(name);
  if (plain.endsWith('.csv')) return ['csv', 'bare-csv'];
  if (plain.endsWith('.py')) return content === 'text' || content === 'json' ? ['text'] : [];
  const text = head
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  if (text.startsWith('[')) return ['list'];
  if (!text.startsWith('{')) return /\.(?:jsonl|ndjson)$/.test(plain) ? ['lines'] : [];
  if (/\.(?:jsonl|ndjson)$/.test(plain)) return ['lines'];
  // One object may be a whole document or the first of many lines; more of them after a line break tell.
  if (/^\{.*\}\s*\n\s*\{/.test(text)) return ['lines'];
  return isWhole || plain.endsWith('.json') ? ['document', 'lines'] : ['lines', 'document'];
}
