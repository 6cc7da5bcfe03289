import { closeSync, readSync } from 'node:fs';
import { Failure } from '../../contract/index.ts';
import { openFile } from '../../core/index.ts';

const HEADER_LIMIT = 16 * 1024 * 1024; // bytes; larger headers are a known way to fill a reader's memory
const MOST_TENSORS = 100_000;
const LENGTH_BYTES = 8;

/** Bits of one element. */
const BITS: Readonly<Record<string, number>> = {
  F64: 64,
  I64: 64,
  U64: 64,
  F32: 32,
  I32: 32,
  U32: 32,
  F16: 16,
  BF16: 16,
  I16: 16,
  U16: 16,
  I8: 8,
  U8: 8,
  BOOL: 8,
  F8_E4M3: 8,
  F8_E5M2: 8,
  F8_E8M0: 8,
};

export type SafetensorsHeader = { parameters: number; tensors: number; dtypes: string[] };

/**
 * Reads and checks the header of a safetensors file: its length, every tensor's type, shape and place, that the tensors fill
 * the file without a gap or an overlap, and that no name comes twice. @throws Failure `badModel` (exit code 2) with the fault.
 */
export function readSafetensorsHeader(file: string): SafetensorsHeader {
  const { descriptor: handle, bytes: size } = openFile(file);
  try {
    const length = headerLength(handle, size);
    if (length === null) throw notIntact(file, 'its header is truncated or corrupt');
    const text = Buffer.alloc(length);
    if (readSync(handle, text, 0, length, LENGTH_BYTES) !== length)
      throw notIntact(file, 'its header is truncated or corrupt');
    return checked(file, text.toString('utf8'), size - LENGTH_BYTES - length);
  } finally {
    closeSync(handle);
  }
}

function headerLength(handle: number, size: number): number | null {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  if (readSync(handle, bytes, 0, LENGTH_BYTES, 0) !== LENGTH_BYTES) return null;
  const length = bytes.readBigUInt64LE();
  return length < 2n || length > BigInt(HEADER_LIMIT) || Number(length) + LENGTH_BYTES > size
    ? null
    : Number(length);
}

function checked(file: string, text: string, dataBytes: number): SafetensorsHeader {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch (cause) {
    throw notIntact(file, 'its header is not JSON', cause);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw notIntact(file, 'its header is not a list of tensors');
  const twice = firstRepeatedKey(text);
  if (twice !== null) throw notIntact(file, `its header names the tensor "${twice}" twice`);
  const tensors = Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => tensorOf(file, name, entry));
  if (tensors.length > MOST_TENSORS)
    throw notIntact(file, `it claims ${tensors.length} tensors, which no model has`);
  let end = 0;
  for (const { name, begin, end: next } of tensors.toSorted((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== end)
      throw notIntact(
        file,
        `the tensor "${name}" ${begin < end ? 'lies over another one' : 'follows a gap'}`,
      );
    end = next;
  }
  if (end !== dataBytes) throw notIntact(file, 'it is cut off or has something appended');
  return {
    tensors: tensors.length,
    parameters: tensors.reduce((sum, { elements }) => sum + elements, 0),
    dtypes: [...new Set(tensors.map(({ dtype }) => dtype))].sort(),
  };
}

type Tensor = { name: string; dtype: string; elements: number; begin: number; end: number };

function tensorOf(file: string, name: string, entry: unknown): Tensor {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = (entry ?? {}) as { dtype?: unknown; shape?: unknown; data_offsets?: unknown };
  const bits = typeof dtype === 'string' ? BITS[dtype] : undefined;
  if (bits === undefined)
    throw notIntact(
      file,
      `the tensor "${name}" has the type ${JSON.stringify(dtype) ?? 'none'}, which is not known`,
    );
  if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2)
    throw notIntact(file, `the tensor "${name}" has no proper shape or place`);
  const elements = shape.reduce((product, side) => product * side, 1);
  const [begin, end] = offsets as [number, number];
  if (!Number.isSafeInteger(elements) || (elements * bits) / 8 !== end - begin)
    throw notIntact(file, `the tensor "${name}" takes ${end - begin} bytes, which does not fit its shape`);
  return { name, dtype: dtype as string, elements, begin, end };
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);

/** JSON.parse keeps the last of two entries of the same name and says nothing; another reader may keep the first. */
function firstRepeatedKey(text: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  for (const { 0: token, 1: follower } of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && follower !== undefined) {
      const key = JSON.parse(token.slice(0, token.length - follower.length)) as string;
      if (seen.has(key)) return key;
      seen.add(key);
    }
  }
  return null;
}

function notIntact(file: string, why: string, cause?: unknown): Failure {
  return new Failure(
    'badModel',
    `The file ${file} is not an intact safetensors file (${why}); copy it again.`,
    2,
    { cause },
  );
}
