import { spansBetween } from './text.ts';

/** A fenced block: the lower-case word after the opening backticks ('' without one), the text inside, and where its opening line begins. */
export type Fence = { word: string; body: string; start: number };

export const PYTHON_WORDS = ['python', 'py', 'python3'];

/**
 * All closed fenced blocks, in order. An opening stands at the start of a line; the block ends with the first line that is,
 * or ends with, as many backticks. ```` ```input 5``` ```` on one line is a block too. A block that is never closed (a
 * response that was cut off) is not one.
 */
export function findFences(text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let index = 0, next = 0; index < lines.length; index += 1) {
    const start = next;
    const line = lines[index] as string;
    next += line.length + 1;
    const opening = line.includes('```') ? /^\s*(`{3,})[ \t]*([A-Za-z0-9_+-]*)([^]*)$/.exec(line) : null;
    if (!opening) continue;
    const [, ticks = '', word = '', rest = ''] = opening;
    const inline = rest.trimEnd();
    if (inline.endsWith(ticks) && inline.length > ticks.length) {
      fences.push({ word: word.toLowerCase(), body: inline.slice(0, -ticks.length).trim(), start });
      continue;
    }
    if (inline !== '') continue;
    let end = index + 1;
    for (; end < lines.length; end += 1) {
      next += (lines[end] as string).length + 1;
      if ((lines[end] as string).trimEnd().endsWith(ticks)) break;
    }
    if (end === lines.length) break;
    const lastPart = (lines[end] as string).trimEnd().slice(0, -ticks.length);
    const body = [...lines.slice(index + 1, end), ...(lastPart.trim() === '' ? [] : [lastPart])];
    fences.push({ word: word.toLowerCase(), body: body.join('\n'), start });
    index = end;
  }
  return fences;
}

/** Bodies of the blocks with one of these words. */
export function fencedBodies(fences: readonly Fence[], ...words: string[]): string[] {
  return fences.filter((fence) => words.includes(fence.word)).map((fence) => fence.body);
}

/** Program text without blank lines around it and without trailing white space. */
export function tidyProgram(body: string): string {
  return body
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** Bodies of what the original takes for a block of this word: wherever its backticks open, empty ones as well. */
export const compatBlocks = (text: string, word: string): string[] =>
  spansBetween(text, new RegExp(`\`\`\`${word}\\s*`, 'gi'), /```/g).map((body) => body.trim());

/** The texts behind a comment such as `# Input:` as the original reads them: over all lines up to a fence, or to the end. */
export const compatComments = (text: string, word: string): string[] =>
  spansBetween(text, new RegExp(`# ${word}:\\s*`, 'gi'), /(?=\n```|\n?$)/g);

/**
 * The literal a solver answered with: the last block of its kind, else the text after an `# Input:` / `# Output:` comment,
 * else an `<input>` / `<output>` tag, else the whole answer. There is always some text.
 * strict also takes the content of a single block with another word, since a literal in a python block is still the literal.
 * azr-compat keeps its fences (and so fails it), reads a comment over several lines, and tries `output(...)`, in the middle of a longer
 * name as well, and "the output is …" to the end before giving up (reward_managers.py: extract_input_output).
 */
export function readAnswerLiteral(answer: string, kind: 'input' | 'output', mode: Compatibility): string {
  const tagged = (): string | undefined =>
    spansBetween(answer, new RegExp(`<${kind}>`, 'gi'), new RegExp(`</${kind}>`, 'gi'), true).at(-1);
  if (mode === 'azr-compat') {
    const found =
      compatBlocks(answer, kind).at(-1) ??
      compatComments(answer, kind).at(-1) ??
      spansBetween(answer, new RegExp(`${kind}\\s*\\(`, 'gi'), /\)/g).at(-1) ??
      tagged() ??
      afterSentence(answer, kind) ??
      answer;
    return found.trim();
  }
  const fences = findFences(answer);
  const found =
    fencedBodies(fences, kind).at(-1) ??
    spansBetween(answer, new RegExp(`#\\s*${kind}:\\s*`, 'gi'), /\n/g, true).at(-1) ??
    tagged() ??
    fences.at(-1)?.body ??
    answer;
  return found.trim();
}

/** What follows the first "the input is" up to the end of the text, without a full stop there. */
function afterSentence(answer: string, kind: string): string | undefined {
  const sentence = new RegExp(`the ${kind} is\\s*`, 'i').exec(answer);
  return sentence === null
    ? undefined
    : answer.slice(sentence.index + sentence[0].length).replace(/\.?\n?$/, '');
}

/**
 * The program an induction solver answered with; null without one. strict: the last python block, else the last block
 * without a word, else an answer that is nothing but a program. azr-compat: the last block of any kind, with the word of a
 * `py` block left in the program.
 */
export function readAnswerProgram(answer: string, mode: Compatibility): string | null {
  if (mode === 'azr-compat') {
    const body = spansBetween(answer, /```(?:python\s*)?/gi, /```/g).at(-1);
    return body === undefined ? null : body.trim();
  }
  const fences = findFences(answer);
  const body =
    fencedBodies(fences, ...PYTHON_WORDS).at(-1) ??
    fencedBodies(fences, '').at(-1) ??
    (fences.length === 0 && /^(?:def|import|from|class|@|#)[\s\S]*\bdef\b|^def\b/.test(answer.trim())
      ? answer
      : undefined);
  return body === undefined || body.trim() === '' ? null : tidyProgram(body);
}

/**
 * The name a solver answered with: the first word, before a space or colon, so that "ValueError: too large" is one (AZR
 * reward_managers.py:483-489); '' without any. strict looks into the last block when the answer has one; the original reads the
 * answer as it stands.
 */
export function readAnswerName(answer: string, mode: Compatibility): string {
  const text = mode === 'strict' ? (findFences(answer).at(-1)?.body ?? answer) : answer;
  return text.trim().split(/[\s:]/)[0] ?? '';
}

/**
 * strict is the sound behaviour and the default. azr-compat repeats what the original repository does, faults included, so
 * that a run can be compared with one of the original (see facts in each function's comment).
 */
export type Compatibility = 'strict' | 'azr-compat';

export type ParsedResponse = {
  /** How the reasoning is meant to go: the `<plan>` section, or an opening list. Null when the response has none. */
  plan: string | null;
  planSource: 'tag' | 'list' | null;
  /** The rest of the think block; null when there is none. */
  thought: string | null;
  /** The text of the answer block; null without one. */
  answer: string | null;
  /** The response is a think block followed by an answer block. Decides the format penalty. */
  formatOk: boolean;
};

const TAGS = /<\/?(?:think|answer)>/g;
const STRICT_ORDER = '<think></think><answer></answer>';

/**
 * Splits a generated response into plan, thought and answer.
 * strict: exactly one think block, then exactly one answer block, and only white space around them.
 * azr-compat: the text starts with the two blocks and may go on; the answer is what follows the last `<answer>`.
 * Whatever the verdict on the format, the parts that can be made out are returned, so that reviewers have something to read.
 */
export function parseResponse(text: string, mode: Compatibility = 'strict'): ParsedResponse {
  const think = between(text, '<think>', '</think>', text.indexOf('<think>'));
  const { plan, planSource, thought } = splitPlan(think ?? '');
  return {
    plan,
    planSource,
    thought,
    answer: between(text, '<answer>', '</answer>', text.lastIndexOf('<answer>')),
    formatOk: hasFormat(text, mode),
  };
}

function hasFormat(text: string, mode: Compatibility): boolean {
  if (mode === 'azr-compat')
    return (
      text.trim().startsWith('<think>') &&
      spansBetween(text, /<\/think>\s*<answer>/g, /<\/answer>/g).length > 0
    );
  return (
    (text.match(TAGS) ?? []).join('') === STRICT_ORDER &&
    /^\s*<think>.*<\/think>\s*<answer>.*<\/answer>\s*$/s.test(text)
  );
}

/** Text from a tag that opens at `start` to its closing tag, or to the end of a response that was cut off. */
function between(text: string, open: string, close: string, start: number): string | null {
  if (start < 0) return null;
  const rest = text.slice(start + open.length);
  const end = rest.indexOf(close);
  return (end < 0 ? rest.replace(/<answer>.*$/s, '') : rest.slice(0, end)).trim();
}

function splitPlan(think: string): Pick<ParsedResponse, 'plan' | 'planSource' | 'thought'> {
  const open = think.indexOf('<plan>');
  const close = open < 0 ? -1 : think.indexOf('</plan>', open);
  if (close >= 0) {
    const rest = `${think.slice(0, open)}${think.slice(close + '</plan>'.length)}`;
    return {
      plan: orNull(think.slice(open + '<plan>'.length, close)),
      planSource: 'tag',
      thought: orNull(rest),
    };
  }
  const listed = openingList(think);
  if (listed === null) return { plan: null, planSource: null, thought: orNull(think) };
  return { plan: orNull(listed), planSource: 'list', thought: orNull(think.slice(listed.length)) };
}

/**
 * A model that was not taught the plan tag often opens with a list of steps. It counts as a plan when it starts the think
 * block as a numbered list or with "first", ends at a blank line, and is at most a quarter of the block in words.
 */
function openingList(think: string): string | null {
  const start = think.trimStart();
  if (!/^(?:\d+[.)]\s|step\s+1\b|first\b|to begin\b)/i.test(start)) return null;
  const end = start.search(/\n[ \t]*\n/);
  if (end < 0) return null;
  const list = think.slice(0, think.length - start.length + end);
  return wordCount(list) * 4 <= wordCount(think) ? list : null;
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
