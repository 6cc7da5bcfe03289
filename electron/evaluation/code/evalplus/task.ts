import type { CodeTools } from '../values/compare.ts';
import { Failure, type EncodedValue } from '../../../contract/index.ts';
import { hexToDouble, hexToInt, encodedFloat } from '../../../core/index.ts';
import { parsePythonJson } from '../values/python-json.ts';

export type EvalPlusDataset = 'humaneval' | 'mbpp';

export type EvalPlusTask = {
  dataset: EvalPlusDataset;
  /** "HumanEval/0", "Mbpp/2". */
  id: string;
  /** What a model is shown: signature and docstring, or for MBPP a docstring with one example. */
  prompt: string;
  entryPoint: string;
  /** A whole program, prompt included, that answers every input rightly. */
  reference: string;
  /** Absolute tolerance; 0 compares exactly, but floats (see evalplus/oracles.ts). */
  tolerance: number;
  /** Argument lists. MBPP's have the types its programs are written for. */
  baseInputs: EncodedValue[][];
  plusInputs: EncodedValue[][];
};

const ID = { humaneval: /^HumanEval\/(\d+)$/, mbpp: /^Mbpp\/(\d+)$/ };

/**
 * Reads one line of HumanEvalPlus.jsonl or MbppPlus.jsonl (EvalPlus's files, also its Mini and NoExtreme forms). Numbers keep
 * their Python type: 1 and 1.0 are two inputs.
 * @throws Failure `badFile` naming the task and the field that is missing or of another form.
 */
export function readEvalPlus(line: string, dataset: EvalPlusDataset): EvalPlusTask {
  const row = fieldsOf(line);
  const id = textOf(row, 'task_id', 'a line');
  const number = ID[dataset].exec(id)?.[1];
  if (number === undefined)
    throw new Failure(
      'badFile',
      `The task "${id.slice(0, 40)}" does not belong to ${dataset === 'mbpp' ? 'MBPP+' : 'HumanEval+'}; its id must look like ${dataset === 'mbpp' ? 'Mbpp/2' : 'HumanEval/0'}.`,
    );
  const prompt = textOf(row, 'prompt', id);
  const inputs = (name: string): EncodedValue[][] =>
    inputsOf(row.get(name), id, name).map((args) =>
      dataset === 'mbpp' ? reviveMbpp(Number(number), args) : args,
    );
  return {
    dataset,
    id,
    prompt,
    entryPoint: textOf(row, 'entry_point', id),
    reference: prompt + textOf(row, 'canonical_solution', id),
    tolerance: numberOf(row.get('atol'), id),
    baseInputs: inputs('base_input'),
    plusInputs: inputs('plus_input'),
  };
}

function fieldsOf(line: string): Map<string, EncodedValue> {
  const encoded = parsePythonJson(line);
  if (encoded[0] !== 'd') throw new Failure('badFile', 'A line is no task: it must be a JSON object.');
  return new Map(encoded[1].map(([key, value]) => [key[1] as string, value]));
}

function textOf(row: ReadonlyMap<string, EncodedValue>, name: string, where: string): string {
  const encoded = row.get(name);
  if (encoded?.[0] !== 's')
    throw new Failure(
      'badFile',
      `The field ${name} of ${where} is missing or no text; take the file as EvalPlus published it.`,
    );
  return encoded[1];
}

/** One published task has an empty object in place of an empty list. */
function inputsOf(encoded: EncodedValue | undefined, id: string, name: string): EncodedValue[][] {
  if (encoded?.[0] === 'd' && encoded[1].length === 0) return [];
  if (encoded?.[0] === 'l' && encoded[1].every((input) => input[0] === 'l'))
    return encoded[1].map((input) => input[1] as EncodedValue[]);
  throw new Failure(
    'badFile',
    `The field ${name} of ${id} must be a list of argument lists; take the file as EvalPlus published it.`,
  );
}

function numberOf(encoded: EncodedValue | undefined, id: string): number {
  if (encoded?.[0] === 'i') return Number(hexToInt(encoded[1]));
  if (encoded?.[0] === 'f') return hexToDouble(encoded[1]);
  throw new Failure(
    'badFile',
    `The field atol of ${id} is missing or no number; take the file as EvalPlus published it.`,
  );
}

export type EvalPlusStyle = 'chat' | 'base';

/** What a model is asked. The answer is generated greedily, one per task. */
type EvalPlusPrompt = {
  style: EvalPlusStyle;
  /** chat: the user's turn. base: the text to continue. */
  prompt: string;
  /** chat: how the assistant's turn begins, ending inside an opened code fence. */
  prefill: string;
  /** The first of these to come ends the answer and does not belong to it. */
  stops: readonly string[];
  maxNewTokens: number;
};

/** EvalPlus's own limit: an answer is a program, without room to think first. */
const MAX_NEW_TOKENS = 768;
const ALWAYS = ['\nif __name__', '\ndef main(', '\nprint('];
const BASE_STOPS = {
  humaneval: ['\ndef ', '\nclass ', '\nimport ', '\nfrom ', '\nassert '],
  mbpp: ['\n"""', '\nassert'],
};
// EvalPlus's protocol in our own words; scores of one model under another wording of the same request may differ a little.
const REQUEST =
  'Write one self-contained Python script that solves the problem below, in a Markdown code block:';
const REPLY =
  'Here is a self-contained Python script whose function solves the problem and passes its tests:';

/** The question of a task: for chat models a request and a pre-filled answer, for base models the bare prompt to continue. */
export function evalPlusPrompt(task: EvalPlusTask, style: EvalPlusStyle): EvalPlusPrompt {
  const prompt = task.prompt.trim();
  if (style === 'base')
    return {
      style,
      prompt: `${prompt}\n`,
      prefill: '',
      stops: [...ALWAYS, ...BASE_STOPS[task.dataset]],
      maxNewTokens: MAX_NEW_TOKENS,
    };
  return {
    style,
    prompt: `${REQUEST}\n\`\`\`\n${prompt}\n\`\`\`\n`,
    prefill: `${REPLY}\n\`\`\`python\n`,
    stops: [...ALWAYS, '\n```\n'],
    maxNewTokens: MAX_NEW_TOKENS,
  };
}

/**
 * The text a program is taken out of: the completion up to the first stop, with tabs as four spaces; behind the prompt where
 * the model continued it. Hand it to `sanitize`.
 */
export function answerText(question: EvalPlusPrompt, completion: string): string {
  const ends = question.stops.map((stop) => completion.indexOf(stop)).filter((at) => at >= 0);
  const answer = completion.slice(0, Math.min(completion.length, ...ends)).replaceAll('\t', '    ');
  return question.style === 'base' ? question.prompt + answer : answer;
}

type Arguments = readonly EncodedValue[];
type Revival = (args: Arguments) => EncodedValue[];

const fail = (what: string): never => {
  throw new Failure(
    'badFile',
    `An input cannot be made into ${what}; the file is not MBPP+ in its published form.`,
  );
};

/** Python's tuple(value) for what JSON can hold. */
function toTuple(encoded: EncodedValue | undefined): EncodedValue {
  if (encoded?.[0] === 'l' || encoded?.[0] === 't') return ['t', encoded[1]];
  if (encoded?.[0] === 's') return ['t', [...encoded[1]].map((letter): EncodedValue => ['s', letter])];
  return fail('a tuple');
}

const itemsOf = (encoded: EncodedValue | undefined): readonly EncodedValue[] =>
  encoded?.[0] === 'l' || encoded?.[0] === 't' ? encoded[1] : fail('a list');
const listOfTuples = (encoded: EncodedValue | undefined): EncodedValue => [
  'l',
  itemsOf(encoded).map(toTuple),
];
const tupleOfTuples = (encoded: EncodedValue | undefined): EncodedValue => [
  't',
  itemsOf(encoded).map(toTuple),
];
const deepTuple = (encoded: EncodedValue): EncodedValue =>
  encoded[0] === 'l' ? ['t', encoded[1].map(deepTuple)] : encoded;
/** Lists become sets; an empty one stays what the published loader makes of it, a dict. */
const toSet = (encoded: EncodedValue): EncodedValue =>
  encoded[0] === 'l' && encoded[1].length > 0 ? ['S', encoded[1]] : ['d', []];
const tupleValues = (encoded: EncodedValue | undefined): EncodedValue =>
  encoded?.[0] === 'd'
    ? ['d', encoded[1].map(([key, value]): [EncodedValue, EncodedValue] => [key, toTuple(value)])]
    : fail('a dict of tuples');

const PART = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const COMPLEX = new RegExp(String.raw`^\(?(?:(${PART})(?![\d.eE]*j))?(?:(${PART})j)?\)?$`);

/** complex(text), as str(complex) writes numbers, or of a number. */
function toComplex(encoded: EncodedValue | undefined): EncodedValue {
  if (encoded?.[0] === 'i')
    return encodedComplex(
      Number(encoded[1].startsWith('-') ? -BigInt(encoded[1].slice(1)) : BigInt(encoded[1])),
      0,
    );
  const match = encoded?.[0] === 's' ? COMPLEX.exec(encoded[1].trim()) : null;
  if (!match || (match[1] === undefined && match[2] === undefined)) return fail('a complex number');
  return encodedComplex(Number(match[1] ?? 0), Number(match[2] ?? 0));
}

const encodedComplex = (real: number, imaginary: number): EncodedValue => [
  'z',
  encodedFloat(real)[1] as string,
  encodedFloat(imaginary)[1] as string,
];

function toFloat(encoded: EncodedValue | undefined): EncodedValue {
  if (encoded?.[0] === 'f') return encoded;
  const [real, imaginary] = toComplex(encoded).slice(1) as [string, string];
  return imaginary === encodedFloat(0)[1] ? ['f', real] : fail('a float');
}

const each =
  (convert: (encoded: EncodedValue) => EncodedValue): Revival =>
  (args) =>
    args.map(convert);
const first =
  (convert: (encoded: EncodedValue | undefined) => EncodedValue): Revival =>
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
  [[115], first((encoded) => ['l', itemsOf(encoded).map(toSet)])],
  [[124], (args) => [toFloat(args[0]), toComplex(args[1])]],
  [[250, 307, 405, 446, 617, 720, 763, 808], first(toTuple)],
  [[252], first(toComplex)],
  [[259, 401, 445], each(tupleOfTuples)],
  [
    [278],
    first((encoded) => ['t', itemsOf(encoded).map((item) => (item[0] === 'l' ? toTuple(item) : item))]),
  ],
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

/** `problem` names why no program could be taken out; then `program` is the text itself, which will not pass for one. */
type Sanitized = { program: string; problem: string | null };

/**
 * The program in a model's answer by EvalPlus's rules: the longest run of lines that is Python, and of it imports, classes,
 * functions that return and assignments, the first of each name; with an entry point only what it reaches. Python's own ast
 * module does it, in the sandbox: it is the parser that executes the program later, and it needs no second grammar.
 */
export async function sanitize(
  text: string,
  entryPoint: string | null,
  { runner }: Pick<CodeTools, 'runner'>,
): Promise<Sanitized> {
  const [answer] = await runner.extract([{ text, entry: entryPoint }]);
  if (answer === undefined || 'error' in answer)
    return { program: text, problem: answer?.error ?? 'no answer' };
  return { program: answer.program, problem: null };
}
