import type { Content } from '../../../library/index.ts';
import type { Format } from '../rows/read-rows.ts';
import { baseName } from '../sources/source.ts';

const plainName = (name: string): string => baseName(name).toLowerCase().replace(/\.gz$/, '');

/** A pickle is read in one form only, by a reader that runs nothing: the hashes of HarmBench. */
export const PICKLED =
  'it is a pickle file, whatever it is called; pickles can run code when opened, so they are never opened';

/** Why a file cannot hold rows, by its first bytes, whatever it is called; null when it may. */
export function refusalOf(content: Content): string | null {
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
export function formatsOf(name: string, content: Content, head: Buffer, isWhole: boolean): Format[] {
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
