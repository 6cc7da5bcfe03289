import { type ByteReader, MalformedFile } from './byte-reader.ts';

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
