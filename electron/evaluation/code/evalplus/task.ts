import { Failure, type EncodedValue } from '../../../contract/index.ts';
import { hexToDouble, hexToInt } from '../../../core/index.ts';
import { parsePythonJson } from '../values/python-json.ts';
import { reviveMbpp } from './revive.ts';

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
  const frame = parsePythonJson(line);
  if (frame[0] !== 'd') throw new Failure('badFile', 'A line is no task: it must be a JSON object.');
  return new Map(frame[1].map(([key, value]) => [key[1] as string, value]));
}

function textOf(row: ReadonlyMap<string, EncodedValue>, name: string, where: string): string {
  const frame = row.get(name);
  if (frame?.[0] !== 's')
    throw new Failure(
      'badFile',
      `The field ${name} of ${where} is missing or no text; take the file as EvalPlus published it.`,
    );
  return frame[1];
}

/** One published task has an empty object in place of an empty list. */
function inputsOf(frame: EncodedValue | undefined, id: string, name: string): EncodedValue[][] {
  if (frame?.[0] === 'd' && frame[1].length === 0) return [];
  if (frame?.[0] === 'l' && frame[1].every((input) => input[0] === 'l'))
    return frame[1].map((input) => input[1] as EncodedValue[]);
  throw new Failure(
    'badFile',
    `The field ${name} of ${id} must be a list of argument lists; take the file as EvalPlus published it.`,
  );
}

function numberOf(frame: EncodedValue | undefined, id: string): number {
  if (frame?.[0] === 'i') return Number(hexToInt(frame[1]));
  if (frame?.[0] === 'f') return hexToDouble(frame[1]);
  throw new Failure(
    'badFile',
    `The field atol of ${id} is missing or no number; take the file as EvalPlus published it.`,
  );
}

export type EvalPlusStyle = 'chat' | 'base';

/** What a model is asked. The answer is generated greedily, one per task. */
export type EvalPlusPrompt = {
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
