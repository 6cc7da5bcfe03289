import {
  answerKind,
  type CodeTasksConfig,
  type CodeTaskType,
  type FormatCause,
} from '../../contract/index.ts';
import {
  findFences,
  parseLiteral,
  parseArguments,
  parseResponse,
  PYTHON_WORDS,
  type Fence,
  type ParsedResponse,
} from '../../core/index.ts';
import type { RejectionReason } from './checking/reasons.ts';
import { readCallsAndMessage } from './loose-calls.ts';

/** A response in its parts; `cause` is null when it can be read. */
export type ReadResponse = ParsedResponse & { cause: FormatCause | null };

/** What an answer has to hold. */
export type AnswerForm = {
  /** Words of the fenced blocks, each at least once. */
  blocks: readonly string[];
  /** The last block of the first word is the answer, and blocks before it are reasoning. A proposal is all of its blocks. */
  onlyLast: boolean;
  /** Texts in the question's own form; an answer that is one of them was copied. */
  examples: readonly string[];
};

/** The settings that choose a reader. */
export type ReaderSettings = Pick<CodeTasksConfig, 'reader' | 'validator'>;

/** The reader in force: the one named, else the one that belongs to the validator. */
export function readerOf({ reader, validator }: ReaderSettings): NonNullable<ReaderSettings['reader']> {
  return reader ?? validator;
}

/** The blocks that a solver's answer is made of. */
export function solutionForm(taskType: CodeTaskType, examples: readonly string[] = []): AnswerForm {
  const kind = answerKind(taskType);
  const word = kind === 'program' ? 'python' : kind === 'input' ? 'input' : 'output';
  return { blocks: [word], onlyLast: true, examples };
}

/** The blocks that a proposal is made of; its author writes the program, or inputs and a message for a given one. */
export function proposalForm(writesProgram: boolean, examples: readonly string[] = []): AnswerForm {
  return { blocks: writesProgram ? ['python', 'input'] : ['input', 'message'], onlyLast: false, examples };
}

/**
 * Reads a response.
 * strict: a think block, then an answer block, and nothing around them. azr-compat: the same at the start of the text, as the original
 * asks. lenient: the end of a text that was not cut off closes what is open, and the tags may be missing where the blocks that
 * were asked for are there.
 * @param cut the text ended at the limit of new tokens. @param form absent where no blocks are asked for.
 */
export function readResponse(
  settings: ReaderSettings,
  text: string,
  cut: boolean,
  form: AnswerForm | null,
): ReadResponse {
  const reader = readerOf(settings);
  if (reader === 'lenient' && form !== null) return readLeniently(text, cut, form);
  const parsed = parseResponse(text, reader === 'azr-compat' ? 'azr-compat' : 'strict');
  return { ...parsed, cause: parsed.formatOk ? null : causeOfTags(text, cut) };
}

/** What a verdict says of a response that cannot be read: its cause where a reader was named, as ever where none was. */
export function formatReason(
  { reader }: ReaderSettings,
  { cause }: Pick<ReadResponse, 'cause'>,
): RejectionReason {
  return reader === undefined ? 'bad-format' : (cause ?? 'bad-format');
}

function causeOfTags(text: string, cut: boolean): FormatCause {
  if (text.trim() === '') return 'empty';
  const open = text.split('<answer>').length - 1;
  const closed = text.split('</answer>').length - 1;
  if (open > 0 && closed > 0) return 'tag-order';
  if (cut) return 'cut-off';
  if (open === 0) return 'no-tag';
  return 'tag-not-closed';
}

/** Words that stand for another: what models write above a program or a value when they were asked for a plain block. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  python: [...PYTHON_WORDS, ''],
  input: ['input'],
  output: ['output'],
  message: ['message'],
};
/** Blocks that hold a value although their word says something else; read only where they are the only block after the reasoning. */
const PLAIN_WORDS = ['', 'text', 'plaintext', 'txt', 'json', ...PYTHON_WORDS];

function readLeniently(text: string, cut: boolean, form: AnswerForm): ReadResponse {
  const { reasoning, answer } = splitAnswer(text, cut, form);
  const parts = parseResponse(`<think>${withoutTags(reasoning)}</think>`);
  const parsed = { plan: parts.plan, planSource: parts.planSource, thought: parts.thought };
  if (answer === null) return { ...parsed, answer: null, formatOk: false, cause: causeOfBlocks(text, cut) };
  if (copies(answer, form)) return { ...parsed, answer, formatOk: false, cause: 'copied-example' };
  return { ...parsed, answer, formatOk: true, cause: null };
}

/** The answer's blocks and the text before them; the answer is null where a block that was asked for is missing. */
function splitAnswer(
  text: string,
  cut: boolean,
  { blocks, onlyLast }: AnswerForm,
): { reasoning: string; answer: string | null } {
  const tag = text.lastIndexOf('<answer>');
  const head = tag < 0 ? '' : text.slice(0, tag);
  const body = (tag < 0 ? text : text.slice(tag + '<answer>'.length)).split('</answer>')[0] as string;
  const rest = tag < 0 ? body.replace(/<\/?think>/g, '') : body;
  const whole = cut ? rest : closedFences(rest);
  const found = findFences(whole);
  const first = blocks[0] as string;
  if (onlyLast) {
    const block = found.findLast(({ word }) => isOfKind(word, first)) ?? loneBlock(found, first);
    if (block !== undefined)
      return { reasoning: head + whole.slice(0, block.start), answer: fenced(first, block.body) };
    const value = cut || found.length > 0 ? null : plainValue(rest.trim(), first);
    return value === null
      ? { reasoning: head + rest, answer: null }
      : { reasoning: head + rest.slice(0, value.start), answer: fenced(first, value.text) };
  }
  if (first === 'input') {
    const calls = readCallsAndMessage(rest, cut);
    const parts = calls?.inputs.map((input) => fenced('input', input)) ?? [];
    return {
      reasoning: head + rest.slice(0, calls?.start),
      answer: calls === null ? null : [...parts, fenced('message', calls.message)].join('\n'),
    };
  }
  const wanted = withCallAsInput(
    found.filter(({ word }) => blocks.some((kind) => isOfKind(word, kind))),
    blocks,
  );
  const complete = blocks.every((kind) => wanted.some(({ word }) => isOfKind(word, kind)));
  const start = wanted[0]?.start ?? whole.length;
  return {
    reasoning: head + whole.slice(0, start),
    answer: complete ? wanted.map(({ word, body: inner }) => fenced(word, inner)).join('\n') : null,
  };
}

const isOfKind = (word: string, kind: string): boolean => (ALIASES[kind] ?? [kind]).includes(word);

/** A program that ends with a call of its function holds its input: models write one where a second block is asked for. */
function withCallAsInput(found: readonly Fence[], blocks: readonly string[]): readonly Fence[] {
  const wantsBoth = blocks.includes('python') && blocks.includes('input');
  if (!wantsBoth || found.some(({ word }) => isOfKind(word, 'input'))) return found;
  const place = found.findIndex(({ body }) => /^def\s/m.test(body));
  const block = found[place];
  if (block === undefined) return found;
  const lines = block.body.trimEnd().split('\n');
  const call = /^(?:\w+ *= *)?(print\( *)?([A-Za-z_]\w*)\((.*)\)$/.exec(lines.at(-1) ?? '');
  if (call === null) return found;
  const [, printed, name = '', given = ''] = call;
  const args = (printed === undefined ? given : given.replace(/\) *$/, '')).trim();
  const isOwn = new RegExp(`^def\\s+${name}\\s*\\(`, 'm').test(block.body);
  if (!isOwn || args === '' || !isValue(args, 'input')) return found;
  const program = lines.slice(0, -1).join('\n').trimEnd();
  return [
    { ...block, body: program },
    { word: 'input', body: args, start: block.start },
  ];
}

const fenced = (word: string, body: string): string => `\`\`\`${word}\n${body}\n\`\`\``;

/** A text that ends within a block, as if it had closed it. */
function closedFences(text: string): string {
  const marks = text.split('\n').filter((line) => /^\s*`{3,}/.test(line)).length;
  return marks % 2 === 0 ? text : `${text}\n\`\`\``;
}

/** The only block of a response, where it holds a value of the kind that was asked for under another word. */
function loneBlock(found: readonly Fence[], kind: string): Fence | undefined {
  const [block] = found;
  if (found.length !== 1 || block === undefined || !PLAIN_WORDS.includes(block.word)) return undefined;
  return isValue(block.body, kind) ? block : undefined;
}

/** A value without a block: all of the text, or the only code span of its last line. */
function plainValue(text: string, kind: string): { text: string; start: number } | null {
  if (text !== '' && isValue(text, kind)) return { text, start: 0 };
  const line = text.split('\n').at(-1) ?? '';
  const spans = [...line.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span = '']) => span.trim());
  const [span] = spans;
  return spans.length === 1 && span !== undefined && isValue(span, kind)
    ? { text: span, start: text.length - line.length }
    : null;
}

function isValue(text: string, kind: string): boolean {
  if (kind === 'output') return parseLiteral(text.trim(), { extended: true }).ok;
  return kind === 'input' && parseArguments(text.trim(), { extended: true }).ok;
}

/** Whether a block of the answer is what the question's form shows in its place. */
function copies(answer: string, { examples }: AnswerForm): boolean {
  if (examples.length === 0) return false;
  const shown = new Set(examples.map(withoutSpace));
  return findFences(answer).some(({ body }) => shown.has(withoutSpace(body)));
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '');
const withoutTags = (text: string): string => text.replace(/<\/?(?:think|answer)>/g, '');

function causeOfBlocks(text: string, cut: boolean): FormatCause {
  if (withoutTags(text).trim() === '') return 'empty';
  if (cut) return 'cut-off';
  if (findFences(text).length > 0) return 'wrong-block';
  return /^[^\S\n\r\u2028\u2029]*`{3,}/m.test(text) ? 'block-not-closed' : 'no-block';
}
