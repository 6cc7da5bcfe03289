import { readBeginning } from '../../core/index.ts';

/** What a file is by its first bytes, whatever it is called. */
export type Content =
  | 'gguf'
  | 'safetensors'
  | 'pickle'
  | 'torch-archive'
  | 'zip'
  | 'numpy'
  | 'parquet'
  | 'sqlite'
  | 'gzip'
  | 'json-lines'
  | 'json'
  | 'text'
  | 'binary'
  | 'empty';

const SNIFFED_BYTES = 4096; // the name of a torch archive's first entry and a whole JSON line are well inside

/** Reads the beginning only; nothing is executed, unpacked or unpickled. @throws Failure `missingFile` or `refused`. */
export const sniffFile = (path: string): Content => sniff(readBeginning(path, SNIFFED_BYTES));

export function sniff(head: Buffer): Content {
  const latin = head.toString('latin1');
  if (head.length === 0) return 'empty';
  if (latin.startsWith('GGUF')) return 'gguf';
  if (latin.startsWith('PAR1')) return 'parquet';
  if (latin.startsWith('SQLite format 3\0')) return 'sqlite';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (latin.startsWith('\u0093NUMPY')) return 'numpy';
  // torch.save writes a zip whose entries end in data.pkl; older ones and joblib write the pickle protocol byte directly.
  if (latin.startsWith('PK\u0003\u0004')) return /\.pkl/.test(latin) ? 'torch-archive' : 'zip';
  if (isPickle(head)) return 'pickle';
  if (isSafetensors(head)) return 'safetensors';
  return textKind(head);
}

/** Protocol 2 to 5: PROTO opcode, then a version; protocol 5 and 4 follow with a frame. Protocol 0 begins with text opcodes. */
function isPickle(head: Buffer): boolean {
  if (head[0] === 0x80 && (head[1] ?? 0) >= 2 && (head[1] ?? 0) <= 5) return true;
  return /^(?:\(dp|\(lp|c[a-zA-Z_][\w.]*\n[a-zA-Z_]\w*\n)/.test(head.toString('latin1', 0, 128));
}

/** Eight bytes of length, then a JSON object. */
function isSafetensors(head: Buffer): boolean {
  return head.length > 9 && head[8] === 0x7b && head.readUInt32LE(4) === 0;
}

function textKind(head: Buffer): Content {
  if (head.includes(0)) return 'binary';
  // The last character of a longer file may be cut by the end of what was read.
  const whole = head.length < SNIFFED_BYTES ? head : head.subarray(0, SNIFFED_BYTES - 4);
  const text = new TextDecoder('utf-8', { fatal: false }).decode(whole);
  if (text.includes('\ufffd')) return 'binary';
  const firstLine =
    text
      .replace(/^\ufeff/, '')
      .trimStart()
      .split('\n')[0] ?? '';
  if (firstLine.startsWith('{')) return isJson(firstLine) ? 'json-lines' : 'json';
  return firstLine.startsWith('[') ? 'json' : 'text';
}

function isJson(line: string): boolean {
  // A first line longer than what was read cannot be parsed here; such files are lines of JSON far more often than one object on one line.
  if (line.length > SNIFFED_BYTES - 16) return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
