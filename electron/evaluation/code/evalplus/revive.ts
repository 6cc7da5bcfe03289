import { Failure, type EncodedValue } from '../../../contract/index.ts';
import { encodedFloat } from '../../../core/index.ts';

type Arguments = readonly EncodedValue[];
type Revival = (args: Arguments) => EncodedValue[];

const fail = (what: string): never => {
  throw new Failure(
    'badFile',
    `An input cannot be made into ${what}; the file is not MBPP+ in its published form.`,
  );
};

/** Python's tuple(value) for what JSON can hold. */
function toTuple(frame: EncodedValue | undefined): EncodedValue {
  if (frame?.[0] === 'l' || frame?.[0] === 't') return ['t', frame[1]];
  if (frame?.[0] === 's') return ['t', [...frame[1]].map((letter): EncodedValue => ['s', letter])];
  return fail('a tuple');
}

const itemsOf = (frame: EncodedValue | undefined): readonly EncodedValue[] =>
  frame?.[0] === 'l' || frame?.[0] === 't' ? frame[1] : fail('a list');
const listOfTuples = (frame: EncodedValue | undefined): EncodedValue => ['l', itemsOf(frame).map(toTuple)];
const tupleOfTuples = (frame: EncodedValue | undefined): EncodedValue => ['t', itemsOf(frame).map(toTuple)];
const deepTuple = (frame: EncodedValue): EncodedValue =>
  frame[0] === 'l' ? ['t', frame[1].map(deepTuple)] : frame;
/** Lists become sets; an empty one stays what the published loader makes of it, a dict. */
const toSet = (frame: EncodedValue): EncodedValue =>
  frame[0] === 'l' && frame[1].length > 0 ? ['S', frame[1]] : ['d', []];
const tupleValues = (frame: EncodedValue | undefined): EncodedValue =>
  frame?.[0] === 'd'
    ? ['d', frame[1].map(([key, value]): [EncodedValue, EncodedValue] => [key, toTuple(value)])]
    : fail('a dict of tuples');

const PART = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const COMPLEX = new RegExp(String.raw`^\(?(?:(${PART})(?![\d.eE]*j))?(?:(${PART})j)?\)?$`);

/** complex(text), as str(complex) writes numbers, or of a number. */
function toComplex(frame: EncodedValue | undefined): EncodedValue {
  if (frame?.[0] === 'i')
    return complexFrame(Number(frame[1].startsWith('-') ? -BigInt(frame[1].slice(1)) : BigInt(frame[1])), 0);
  const match = frame?.[0] === 's' ? COMPLEX.exec(frame[1].trim()) : null;
  if (!match || (match[1] === undefined && match[2] === undefined)) return fail('a complex number');
  return complexFrame(Number(match[1] ?? 0), Number(match[2] ?? 0));
}

const complexFrame = (real: number, imaginary: number): EncodedValue => [
  'z',
  encodedFloat(real)[1] as string,
  encodedFloat(imaginary)[1] as string,
];

function toFloat(frame: EncodedValue | undefined): EncodedValue {
  if (frame?.[0] === 'f') return frame;
  const [real, imaginary] = toComplex(frame).slice(1) as [string, string];
  return imaginary === encodedFloat(0)[1] ? ['f', real] : fail('a float');
}

const each =
  (convert: (frame: EncodedValue) => EncodedValue): Revival =>
  (args) =>
    args.map(convert);
const first =
  (convert: (frame: EncodedValue | undefined) => EncodedValue): Revival =>
  (args) => [convert(args[0]), ...args.slice(1)];

/** What the published loader does to the inputs of these tasks, because JSON knows no tuples, sets and complex numbers. */
const RULES: readonly (readonly [readonly number[], Revival])[] = [
  [
    [
      2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740, 744,
      809,
    ],
    each(toTuple),
  ],
  [[63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780], each(listOfTuples)],
  [[75, 413, 444, 753], first(listOfTuples)],
  [[106, 750], (args) => [args[0] ?? fail('a list'), toTuple(args[1]), ...args.slice(2)]],
  [[115], first((frame) => ['l', itemsOf(frame).map(toSet)])],
  [[124], (args) => [toFloat(args[0]), toComplex(args[1])]],
  [[250, 307, 405, 446, 617, 720, 763, 808], first(toTuple)],
  [[252], first(toComplex)],
  [[259, 401, 445], each(tupleOfTuples)],
  [[278], first((frame) => ['t', itemsOf(frame).map((item) => (item[0] === 'l' ? toTuple(item) : item))])],
  [[580, 615, 791], each(deepTuple)],
  [[722], first(tupleValues)],
];
const BY_NUMBER = new Map(
  RULES.flatMap(([numbers, revive]) => numbers.map((number) => [number, revive] as const)),
);

/**
 * The arguments of one MBPP+ input with the types its task is written for; most tasks need nothing.
 * @param number the task's own, 2 of "Mbpp/2".
 * @throws Failure `badFile` when the input has another form than the published one.
 */
export function reviveMbpp(number: number, args: Arguments): EncodedValue[] {
  return (BY_NUMBER.get(number) ?? ((same) => [...same]))(args);
}
