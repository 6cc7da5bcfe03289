import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { ProcessFailure } from './child/process-failure.ts';
import { ByteReader, MalformedFile } from './gguf/byte-reader.ts';
import { readMetadata, type Scalar } from './gguf/metadata.ts';
import { checkTensors, readTensors } from './gguf/tensors.ts';

const MAGIC = 0x46554747; // "GGUF", little endian
const MAX_ENTRIES = 100_000n;
const DEFAULT_ALIGNMENT = 32;

export type GgufHeader = {
  path: string;
  version: number;
  architecture: string;
  name: string | null;
  /** Sum over all tensors. */
  parameters: number;
  tensors: number;
  /** Context length the model was trained with, in tokens. */
  contextLength: number | null;
  chatTemplate: string | null;
  sizeBytes: number;
  /** Where tensor data begins. */
  dataOffset: number;
  /** Metadata that is no list. */
  metadata: ReadonlyMap<string, Scalar>;
};

/**
 * Reads and checks the header of a GGUF file, so that a damaged file is one sentence and never reaches native code, which
 * has had memory faults in its loader. Checks counts, string lengths, types, alignment, and that every tensor lies
 * inside the file and over no other. Throws `badModel`.
 */
export function readGgufHeader(path: string): GgufHeader {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw badModel(path, code === 'ENOENT' ? 'it does not exist' : `it cannot be opened (${code})`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new MalformedFile('it is not a file');
    return parseHeader(path, new ByteReader(descriptor, stat.size));
  } catch (error) {
    if (error instanceof MalformedFile) throw badModel(path, error.message);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function parseHeader(path: string, reader: ByteReader): GgufHeader {
  if (reader.size < 24)
    throw new MalformedFile(`it has ${reader.size} bytes and is too short for a GGUF file`);
  if (reader.u32() !== MAGIC)
    throw new MalformedFile('it does not begin with the GGUF mark, so it is another kind of file');
  const version = reader.u32();
  if (version !== 2 && version !== 3) {
    const swapped = version > 0xffff ? ' (a big-endian file?)' : '';
    throw new MalformedFile(
      `it has GGUF version ${version}${swapped}, and only versions 2 and 3 can be read`,
    );
  }
  const tensorCount = entries('tensors', reader.u64());
  const metadataCount = entries('metadata entries', reader.u64());
  const metadata = readMetadata(reader, metadataCount);
  const tensors = readTensors(reader, tensorCount);
  const dataOffset = align(reader.position, alignment(metadata));
  checkTensors(tensors, dataOffset, reader.size, alignment(metadata));

  const architecture = metadata.get('general.architecture');
  if (typeof architecture !== 'string' || architecture === '')
    throw new MalformedFile('it does not say its architecture');
  const contextLength = metadata.get(`${architecture}.context_length`);
  return {
    path,
    version,
    architecture,
    name: text(metadata.get('general.name')),
    tensors: tensors.length,
    dataOffset,
    metadata,
    parameters: Number(tensors.reduce((sum, tensor) => sum + tensor.elements, 0n)),
    contextLength: typeof contextLength === 'number' && contextLength > 0 ? contextLength : null,
    chatTemplate: text(metadata.get('tokenizer.chat_template')),
    sizeBytes: reader.size,
  };
}

function entries(what: string, count: bigint): number {
  if (count > MAX_ENTRIES) throw new MalformedFile(`it claims ${count} ${what}, which no model has`);
  if (what === 'tensors' && count === 0n) throw new MalformedFile('it holds no tensors');
  return Number(count);
}

function alignment(metadata: ReadonlyMap<string, Scalar>): number {
  const value = metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT;
  const valid =
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= 8 &&
    value <= 65536 &&
    (value & (value - 1)) === 0;
  if (!valid) throw new MalformedFile(`its alignment ${String(value)} is not a power of two`);
  return value;
}

function align(position: number, to: number): number {
  return Math.ceil(position / to) * to;
}

function text(value: Scalar | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function badModel(path: string, why: string): ProcessFailure {
  return new ProcessFailure('supervisor', {
    kind: 'badModel',
    message: `${basename(path)} is not a usable GGUF model: ${why}. Copy the file again from its source (${path}).`,
  });
}
