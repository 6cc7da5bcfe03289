import { closeSync } from 'node:fs';
import { openFile } from '../../core/index.ts';
import { basename } from 'node:path';
import { ProcessFailure } from '../child/failures.ts';
import { ByteReader, MalformedFile, readMetadata, type Scalar } from './values.ts';

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
  let opened: ReturnType<typeof openFile>;
  try {
    opened = openFile(path);
  } catch (error) {
    const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
    if (code === undefined) throw badModel(path, 'it is not a file');
    throw badModel(path, code === 'ENOENT' ? 'it does not exist' : `it cannot be opened (${code})`);
  }
  const { descriptor, bytes } = opened;
  try {
    return parseHeader(path, new ByteReader(descriptor, bytes));
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
  const dataOffset = align(reader.position, alignmentOf(metadata));
  checkTensors(tensors, dataOffset, reader.size, alignmentOf(metadata));

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

/** Bytes of a key and a value as llama.cpp keeps them. */
const CACHED_BYTES = 2;

/**
 * Bytes of keys and values that a token of context takes in all layers, at two bytes a number; null where the file does not say.
 * Layers that look at a window only take less.
 */
export function cacheBytesPerToken({
  architecture,
  metadata,
}: Pick<GgufHeader, 'architecture' | 'metadata'>): number | null {
  const number = (key: string): number | null => {
    const value = metadata.get(`${architecture}.${key}`);
    return typeof value === 'number' && value > 0 ? value : null;
  };
  const layers = number('block_count');
  const heads = number('attention.head_count');
  const keyHeads = number('attention.head_count_kv') ?? heads;
  const width = number('embedding_length');
  const ownLength = width === null || heads === null ? null : width / heads;
  const keys = number('attention.key_length') ?? ownLength;
  const values = number('attention.value_length') ?? ownLength;
  if (layers === null || keyHeads === null || keys === null || values === null) return null;
  return layers * keyHeads * (keys + values) * CACHED_BYTES;
}

function entries(what: string, count: bigint): number {
  if (count > MAX_ENTRIES) throw new MalformedFile(`it claims ${count} ${what}, which no model has`);
  if (what === 'tensors' && count === 0n) throw new MalformedFile('it holds no tensors');
  return Number(count);
}

function alignmentOf(metadata: ReadonlyMap<string, Scalar>): number {
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

export type Tensor = { name: string; elements: bigint; offset: bigint; bytes: bigint };

const MAX_NAME_BYTES = 64;
const MAX_DIMENSIONS = 4;
const MAX_ELEMENTS = 1n << 50n;

/** Elements and bytes of one block by tensor type (ggml.h, GGML_TYPE_*). */
const BLOCKS = new Map<number, readonly [elements: number, bytes: number]>([
  [0, [1, 4]],
  [1, [1, 2]], // F32 F16
  [2, [32, 18]],
  [3, [32, 20]],
  [6, [32, 22]],
  [7, [32, 24]],
  [8, [32, 34]],
  [9, [32, 36]], // Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1
  [10, [256, 84]],
  [11, [256, 110]],
  [12, [256, 144]],
  [13, [256, 176]],
  [14, [256, 210]],
  [15, [256, 292]], // Q2_K … Q8_K
  [16, [256, 66]],
  [17, [256, 74]],
  [18, [256, 98]],
  [19, [256, 50]],
  [20, [32, 18]], // IQ2_XXS IQ2_XS IQ3_XXS IQ1_S IQ4_NL
  [21, [256, 110]],
  [22, [256, 82]],
  [23, [256, 136]],
  [29, [256, 56]], // IQ3_S IQ2_S IQ4_XS IQ1_M
  [24, [1, 1]],
  [25, [1, 2]],
  [26, [1, 4]],
  [27, [1, 8]],
  [28, [1, 8]],
  [30, [1, 2]], // I8 I16 I32 I64 F64 BF16
  [34, [256, 54]],
  [35, [256, 66]],
  [39, [32, 17]],
  [40, [64, 36]], // TQ1_0 TQ2_0 MXFP4 NVFP4
]);

export function readTensors(reader: ByteReader, count: number): Tensor[] {
  const names = new Set<string>();
  const tensors: Tensor[] = [];
  for (let index = 0; index < count; index++) {
    const name = reader.string(`the name of tensor ${index}`);
    if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw new MalformedFile(`tensor ${index} has an impossible name`);
    if (names.has(name)) throw new MalformedFile(`the tensor "${name}" appears twice`);
    names.add(name);
    tensors.push({ name, ...readShape(reader, name) });
  }
  return tensors;
}

function readShape(reader: ByteReader, name: string): Omit<Tensor, 'name'> {
  const dimensions = reader.u32();
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
    throw new MalformedFile(`the tensor "${name}" has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => reader.u64());
  const type = reader.u32();
  const offset = reader.u64();
  const elements = shape.reduce((product, size) => product * size, 1n);
  if (elements === 0n || elements > MAX_ELEMENTS)
    throw new MalformedFile(`the tensor "${name}" claims the shape ${shape.join(' × ')}`);
  const block = BLOCKS.get(type);
  if (!block) throw new MalformedFile(`the tensor "${name}" has the unknown type ${type}`);
  const row = shape[0] ?? 0n;
  if (row % BigInt(block[0]) !== 0n)
    throw new MalformedFile(`rows of the tensor "${name}" do not divide into blocks of ${block[0]}`);
  return { elements, offset, bytes: (elements / BigInt(block[0])) * BigInt(block[1]) };
}

/** Every tensor lies inside the file, where its alignment wants it, and over no other. */
export function checkTensors(
  tensors: readonly Tensor[],
  dataOffset: number,
  fileSize: number,
  alignment: number,
): void {
  const available = BigInt(fileSize) - BigInt(dataOffset);
  let end = 0n;
  for (const tensor of [...tensors].sort((a, b) =>
    a.offset < b.offset ? -1 : a.offset > b.offset ? 1 : 0,
  )) {
    if (tensor.offset % BigInt(alignment) !== 0n)
      throw new MalformedFile(`the tensor "${tensor.name}" begins at an unaligned place`);
    if (tensor.offset + tensor.bytes > available) {
      const needed = BigInt(dataOffset) + tensor.offset + tensor.bytes;
      throw new MalformedFile(
        `the tensor "${tensor.name}" would end at byte ${needed} of ${fileSize}; the file is cut off or damaged`,
      );
    }
    if (tensor.offset < end) throw new MalformedFile(`the tensor "${tensor.name}" lies over another one`);
    end = tensor.offset + tensor.bytes;
  }
}
