import { Failure } from '../../../contract/index.ts';
import { inertPickle, Made, type Inert } from './inert-pickle.ts';
import type { MinHash } from './minhash.ts';

/** Names in a pickled list of datasketch's MinHash objects: the class, its hash function then and before 1.4, and NumPy's arrays then and since 2. */
const NAMES = {
  hash: new Set(['datasketch.minhash MinHash']),
  array: new Set(['numpy.core.multiarray _reconstruct', 'numpy._core.multiarray _reconstruct']),
  type: new Set(['numpy dtype']),
};
const IGNORED = ['numpy ndarray', 'datasketch.hashfunc sha1_hash32', '_hashlib openssl_sha1'];
const ALLOWED = new Set([...Object.values(NAMES).flatMap((names) => [...names]), ...IGNORED]);
const MOST_TEXT_HASHES = 100_000;
const VALUES = 128;

/** The permutations' constants, and the values of each window of one protected text. */
export type PickledHashes = { a: bigint[]; b: bigint[]; windows: MinHash[] };

/**
 * The hashes of one protected text as HarmBench publishes them (copyright_classifier_hashes/BEHAVIOUR.pkl): a pickled list of
 * datasketch.MinHash, one per window. Read as data, without importing, making or calling anything.
 * @throws Failure `badPickle` with what does not belong in such a file.
 */
export function hashesOfPickle(bytes: Uint8Array): PickledHashes {
  const list = inertPickle(bytes, ALLOWED);
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_TEXT_HASHES)
    throw refused('it holds no list of hashes');
  const all = list.map((one) => {
    if (!(one instanceof Made) || !NAMES.hash.has(one.of) || !(one.state instanceof Map))
      throw refused('it holds something else than hashes');
    const { shape, values } = numbersOf(one.state.get('permutations') ?? null);
    const hash = numbersOf(one.state.get('hashvalues') ?? null);
    if (shape.join() !== `2,${VALUES}` || hash.shape.join() !== `${VALUES}`)
      throw refused(`a hash has not ${VALUES} values`);
    if (hash.values.some((value) => value > 0xffff_ffffn)) throw refused('a hash has a value above 32 bits');
    return { constants: values, values: Uint32Array.from(hash.values, Number) };
  });
  const [first] = all as [(typeof all)[number], ...typeof all];
  if (all.some(({ constants }) => constants.some((value, index) => value !== first.constants[index])))
    throw refused('its hashes were made with different permutations');
  return {
    a: first.constants.slice(0, VALUES),
    b: first.constants.slice(VALUES),
    windows: all.map(({ values }) => values),
  };
}

/** A NumPy array of unsigned whole numbers, row by row. Its state is (version, shape, type, column by column?, bytes). */
function numbersOf(array: Inert): { shape: number[]; values: bigint[] } {
  const state =
    array instanceof Made && NAMES.array.has(array.of) && Array.isArray(array.state) ? array.state : [];
  const [, shape, type, byColumn, data] = state;
  if (
    !Array.isArray(shape) ||
    !shape.every((size) => typeof size === 'bigint' && size > 0n && size < 1_000_000n) ||
    !(data instanceof Uint8Array)
  )
    throw refused('an array has another form');
  const width = widthOf(type ?? null);
  const sizes = shape.map(Number);
  const [rows, columns] = [sizes.length === 2 ? sizes[0]! : 1, sizes.at(-1)!];
  if (sizes.length > 2 || data.length !== rows * columns * width)
    throw refused('an array has not as many numbers as it says');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const at = (place: number): bigint =>
    width === 8 ? view.getBigUint64(8 * place, true) : BigInt(view.getUint32(4 * place, true));
  const place = (row: number, column: number): number =>
    byColumn === true && sizes.length === 2 ? column * rows + row : row * columns + column;
  return {
    shape: sizes,
    values: Array.from({ length: rows * columns }, (_, index) =>
      at(place(Math.floor(index / columns), index % columns)),
    ),
  };
}

/** Bytes of one number: little-endian u4 or u8. The state of a type is (version, byte order, …). */
function widthOf(type: Inert): 4 | 8 {
  const [name, order] =
    type instanceof Made && NAMES.type.has(type.of) && Array.isArray(type.state)
      ? [type.from[0], type.state[1]]
      : [];
  if (order !== '<' || (name !== 'u8' && name !== 'u4'))
    throw refused('an array holds other numbers than unsigned whole ones');
  return name === 'u8' ? 8 : 4;
}

const refused = (why: string): Failure => new Failure('badPickle', `it is refused: ${why}`);
