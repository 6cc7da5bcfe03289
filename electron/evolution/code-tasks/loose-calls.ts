import { parseArguments, PYTHON_WORDS } from '../../core/index.ts';

type Block = { word: string; lines: string[]; start: number; isClosed: boolean };

const isEmpty = ({ lines }: Block): boolean => lines.every((line) => line.trim() === '');

/** A fence with its word, whatever follows that: small models copy "```input blocks" from the question. */
const FENCE = /^\s*`{3,}[ \t]*([A-Za-z]*)/;
const CLOSED_INLINE = /^\s*`{3,}[ \t]*([A-Za-z]*)[ \t]*(.*?)`{3,}\s*$/;
/** A line that stands where a block was asked for. */
const MESSAGE_HEADING = /^[\s*#`]*message(?: block)?s?\b[\s*:`]*(.*)$/i;
const KINDS = ['input', 'message'];
const CALL = /^f\((.*)\);?$/;

/**
 * Calls and a message as small models write them, in blocks of the form that was asked for; null where there are no calls or no message.
 * A block of one of the two kinds begins also where another one is open, and what follows its word is left out. A block of several
 * lines each of which is a call or its arguments holds as many calls; where no block is called input, one without a word or of Python
 * does. `cut`: the end of the text closes nothing. `start` is where the first block begins.
 */
export function readCallsAndMessage(
  text: string,
  cut: boolean,
): { inputs: string[]; message: string; start: number } | null {
  const blocks = blocksOf(text).filter(({ isClosed }) => isClosed || !cut);
  const called = blocks.filter(({ word }) => word === 'input');
  const others = blocks.filter(
    ({ word }) => word === '' || (PYTHON_WORDS as readonly string[]).includes(word),
  );
  const inputs = (called.length > 0 ? called : others).flatMap(callsIn);
  const message = blocks.find(({ word }) => word === 'message');
  const start = blocks[0]?.start ?? 0;
  if (inputs.length === 0 || message === undefined) return null;
  return { inputs, message: message.lines.join('\n').trim(), start };
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  let next = 0;
  const begin = (word: string, start: number, isClosed = false): Block => {
    if (open !== null) open.isClosed = true;
    const block = { word, lines: [], start, isClosed };
    blocks.push(block);
    return block;
  };
  for (const line of text.split('\n')) {
    const start = next;
    next += line.length + 1;
    const inline = line.includes('```') ? CLOSED_INLINE.exec(line) : null;
    const fence = inline === null && line.includes('```') ? FENCE.exec(line) : null;
    const word = (inline ?? fence)?.[1]?.toLowerCase() ?? '';
    const heading = fence === null && inline === null ? MESSAGE_HEADING.exec(line) : null;
    if (inline !== null && inline[2] !== '') {
      begin(word, start, true).lines.push(inline[2] as string);
      open = null;
    } else if (fence !== null && open?.word === 'message' && !KINDS.includes(word) && isEmpty(open)) {
      // Its heading has no block of its own: what is fenced below is the message, under whatever word.
    } else if (fence !== null && (open === null || KINDS.includes(word))) open = begin(word, start);
    else if (fence !== null && open !== null) {
      open.isClosed = true;
      open = null;
    } else if (heading !== null && open?.word !== 'message') {
      open = begin('message', start);
      if (heading[1] !== '') open.lines.push(heading[1] as string);
    } else open?.lines.push(line);
  }
  return blocks;
}

function callsIn({ word, lines }: Block): string[] {
  const body = lines.join('\n').trim();
  const whole = argumentsOf(body);
  if (whole !== null) return [whole];
  const calls = body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => argumentsOf(line.trim()));
  const isEach = calls.every((call) => call !== null);
  if (isEach) return calls;
  // What is no call by itself is judged when it is run, as ever.
  return word === 'input' && body !== '' ? [body] : [];
}

function argumentsOf(text: string): string | null {
  if (text === '') return null;
  const given = CALL.exec(text)?.[1] ?? text;
  return parseArguments(given, { extended: true }).ok ? given : null;
}
