import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, type ModelRecord } from '../contract/index.ts';
import { lookOf, readBeginning, type JobHandle } from '../core/index.ts';
import {
  adapterIn,
  adapterRefusal,
  examineModel,
  hashFile,
  isAdapterFile,
  licenceIn,
  modelHash,
  sniffFile,
  type Content,
  type Licence,
} from '../library/index.ts';
import { readGgufHeader } from '../processes/index.ts';
import { datasetKindOf } from './listing.ts';

/** What stands at a path, as far as headers and a first line tell; nothing was hashed or loaded yet. */
export type Look = {
  path: string;
  name: string;
  bytes: number;
  licence: Licence | null;
} & (
  | {
      kind: 'model';
      use: 'policy' | 'supervisor';
      architecture: string;
      parameters: number | null;
      contextLength: number | null;
      types: string[];
      hasTemplate: boolean | null;
      files: number;
    }
  | { kind: 'dataset'; of: string }
  /** `base` is what its author calls the model that it belongs to. */
  | { kind: 'adapter'; base: string | null; rank: number | null }
  | { kind: 'refused'; reason: string }
);

const FIRST_LINE_BYTES = 256 * 1024;
const TEST_SET = ' A test set for evaluations is imported in Evaluations under Datasets.';

/** Recognises a folder or file. What cannot be used is `refused` with the reason. @throws Failure `missingFile` (exit code 2). */
export function lookAt(given: string): Look {
  const path = resolve(given);
  const stat = lookOf(path);
  const base = {
    path,
    name: nameOf(path),
    bytes: stat.size,
    licence: licenceOf(stat.isDirectory() ? path : dirname(path), stat.isDirectory()),
  };
  try {
    if (stat.isDirectory()) {
      const adapter = adapterIn(path);
      return adapter === null ? { ...base, ...modelPart(path) } : { ...base, kind: 'adapter', ...adapter };
    }
    const content = sniffFile(path);
    if (content === 'gguf') return { ...base, ...modelPart(path) };
    if (content === 'json-lines') return { ...base, ...datasetPart(path) };
    return { ...base, kind: 'refused', reason: refusalOf(path, content) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...base, kind: 'refused', reason: error.message };
  }
}

/** A name for the library: that of the folder or file, without its ending. */
function nameOf(path: string): string {
  return basename(path).replace(/\.(gguf|jsonl|json)$/i, '');
}

function licenceOf(folder: string, isOwnFolder: boolean): Licence | null {
  // Beside a single file, only an explicit licence text counts: a download folder is full of other things' texts.
  const found = licenceIn(folder);
  return isOwnFolder ? found : found.file === null ? null : { ...found, name: null };
}

function modelPart(path: string): Omit<Extract<Look, { kind: 'model' }>, 'path' | 'name' | 'licence'> {
  const {
    kind: use,
    architecture,
    parameters,
    contextLength,
    bytes,
    dtypes,
    files,
    format,
  } = examineModel(path);
  if (format === 'safetensors') {
    const names = files.map(({ name }) => name);
    const hasTemplate = names.some((name) => name.startsWith('chat_template.'))
      ? true
      : names.includes('tokenizer_config.json')
        ? null
        : false;
    return {
      kind: 'model',
      use,
      architecture,
      parameters,
      contextLength,
      bytes,
      types: dtypes,
      hasTemplate,
      files: files.length,
    };
  }
  const header = readGgufHeader(path);
  const type = header.metadata.get('general.file_type');
  return {
    kind: 'model',
    use,
    architecture: header.architecture,
    parameters: header.parameters,
    contextLength: header.contextLength,
    bytes,
    types: typeof type === 'number' ? [GGUF_TYPES[type] ?? `type ${type}`] : [],
    hasTemplate: header.chatTemplate !== null,
    files: 1,
  };
}

/** Names of general.file_type (llama.cpp, llama_ftype) for the common ones. */
const GGUF_TYPES: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  32: 'BF16',
};

function datasetPart(path: string): { kind: 'dataset'; of: string } | { kind: 'refused'; reason: string } {
  const row = firstRow(path);
  const kind = row === undefined ? null : datasetKindOf(row);
  if (kind !== null) return { kind: 'dataset', of: kind.name };
  const keys =
    typeof row === 'object' && row !== null ? Object.keys(row).slice(0, 8).join(', ') : 'no object';
  return {
    kind: 'refused',
    reason: `${basename(path)} is JSON Lines, but its rows (${keys}) are neither tasks, nor rated prompts, nor items of a suite of this program; bring them into the form of resources/suites/seeds.jsonl.${TEST_SET}`,
  };
}

function firstRow(path: string): unknown {
  try {
    const text = readBeginning(path, FIRST_LINE_BYTES)
      .toString('utf8')
      .replace(/^\ufeff/, '');
    return JSON.parse(text.split('\n').find((line) => line.trim() !== '') ?? '') as unknown;
  } catch {
    return undefined; // a first line that is cut or no JSON is told by the scan that follows an import
  }
}

function refusalOf(path: string, content: Content): string {
  const name = basename(path);
  switch (content) {
    case 'pickle':
    case 'torch-archive':
      return `${name} is a pickle file, whatever it is called. Pickles can run code when opened, so this program never reads them; convert the weights to safetensors on a machine you trust.`;
    case 'numpy':
      return `${name} is a NumPy file, which can hold pickled objects; export the data as JSON Lines instead.`;
    case 'safetensors':
      if (isAdapterFile(path)) return adapterRefusal(name);
      return existsSync(resolve(dirname(path), 'config.json'))
        ? `${name} is one part of a model; choose the folder it lies in (${dirname(path)}).`
        : `${name} holds weights without a config.json and tokenizer.json beside it; copy the whole model folder and choose that.`;
    case 'parquet':
      return `${name} is a Parquet table; this program reads JSON Lines. Convert it where it comes from, one JSON object a line.${TEST_SET}`;
    case 'zip':
    case 'gzip':
      return `${name} is an archive; unpack it and choose the folder or file inside.${TEST_SET}`;
    case 'sqlite':
      return `${name} is a database; a backup of a lab is restored in Settings under Storage.`;
    case 'json':
      return `${name} is JSON, but not one object a line; convert it to JSON Lines.${TEST_SET}`;
    case 'text':
      return /\.(csv|tsv)$/i.test(name)
        ? `${name} is a table of text; this program reads JSON Lines. Convert it to one JSON object a line.${TEST_SET}`
        : `${name} is plain text; neither a model nor a data set is kept so.`;
    case 'empty':
      return `${name} is empty; copy it again.`;
    case 'gguf':
    case 'json-lines':
    case 'binary':
      return `${name} is of no kind this program knows: it reads model folders with safetensors, .gguf files and JSON Lines.`;
  }
}

/** Hashes a model again and compares. @throws Failure `modelChanged` when its files are not what was imported. */
export async function verifyModel(model: ModelRecord, job: JobHandle): Promise<true> {
  if (!existsSync(model.path))
    throw new Failure(
      'missingModel',
      `The files of "${model.name}" are not at ${model.path} any more; plug in the drive, or remove the entry and import it again.`,
      2,
    );
  const { hashed, format } = examineModel(model.path);
  const hashes = new Map<string, string>();
  for (const file of hashed)
    hashes.set(
      file,
      await hashFile(format === 'gguf' ? model.path : join(model.path, file), {
        onBytes: job.advance,
        signal: job.signal,
      }),
    );
  if (modelHash(format, hashed, hashes) !== model.sha256)
    throw new Failure(
      'modelChanged',
      `The files of "${model.name}" changed since it was imported; runs that used it cannot be repeated with them. Put the originals back, or import it under another name.`,
      2,
    );
  return true;
}
