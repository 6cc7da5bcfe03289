import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { KNOWN_SLOW, type KnownText } from './known-slow.ts';
import { READERS, unnamedExports } from './readers.ts';
import { textFunctions } from './text-functions.ts';

const LENGTH = 100_000;
/**
 * CPU time of the thread that reads, so that other programs' time does not count; compiling a function takes a first reading. A shared
 * or slower core takes longer for everything, so a reading over the budget is measured against a fixed piece of work beside it.
 */
const BUDGET_MS = 50;
/** What the fixed piece of work takes on the quiet core that the budget is for. */
const PACE_MS = 30;
const READINGS = 30;
/** Wall time after which a reading is no matter of milliseconds any more. */
const HUNG_MS = 10_000;

/** What is repeated, and what stands before and behind it: openings without an end, ends without an opening, runs, nests, near misses. */
const PIECES = [
  ' ', '\n', '\t', '\r', ' \n', '\u2028', '\u00a0', 'x ', 'a\n', '\n\n \n', '.', '-', '_', '*', '`', '```\n', '```', '```python\n', '```input ', '``` ',
  '~~~\n', '<', '>', '</', '<think>', '</think>', '</think><answer>', '<answer>', '</answer>', '<plan>', '<input>', '<message>', '<output>', 'output(',
  '# Input: ', '# input:\n', '#', '# Message:', 'the output is ', '(', ')', '[', '[]', '[[', '{', '}', '{"a":', '"', "'", '"""', "'''", '\\', '\\n', '\\text{',
  '\\boxed{', '\\boxed', '\\frac', '\\frac{', '\\[', '\\]', '$', '^{', 'sqrt', '1', '0', '1 ', '1.', '.0', '1.0', '1e', '1_', '9,', '1,000', '-1', '+', '=', '==',
  'x=', 'def f(', 'def ', 'def\t', 'f (', 'import ', 'from a import ', 'if ', 'and or ', 'lambda ', 'class A:\n', 'answer is ', 'he answer is', 'final answer is $',
  'A', '(A)', 'A.', 'one ', 'twenty-', 'hundred ', 'é', 'ß', '\u{1f600}', '\ud800', '\u200b', '\u202e', '٣', '\u0000', 'http://', "n't", 'cannot ', 'I ', 'I cannot ',
  'sorry, ', 'e.g.', 'U.S.', '...', '--', '–', '%', '&', 'aA', 'Aa.', '0x', 'None', 'True,', 'not ', 'no ', 'NaN', '1e999', '9**', 'assistant: ', '[INST]', '<|im_end|>',
]; // oxfmt-ignore
const AROUND: [string, string][] = [
  ['', ''],
  ['x', 'x'],
  ['1', '1'],
  ['the answer is 1', '1'],
  ['<answer>', 'x'],
  ['<think>', '</answer>'],
  ['```python', 'x'],
  ['# Input:', '\rx'],
  ['\\boxed{', '}'],
  ['"', ''],
];

/** Further surroundings of each piece; they take turns, so that all of them are tried. */
const FURTHER = 3;

function* hostile(turns: readonly number[], pieces: readonly number[]): Generator<KnownText> {
  for (const index of pieces)
    for (const turn of turns) {
      const [before, behind] = AROUND[turn === 0 ? 0 : (index * FURTHER + turn) % AROUND.length]!;
      yield { before, piece: PIECES[index]!, behind };
    }
}

const lengthened = ({ before, piece, behind }: KnownText): string =>
  before + piece.repeat(Math.floor((LENGTH - before.length - behind.length) / piece.length)) + behind;

let worker: Worker | null = null;
async function reading(): Promise<Worker> {
  if (worker === null) {
    worker = new Worker(new URL('./reading-worker.ts', import.meta.url));
    await once(worker, 'message');
  }
  return worker;
}
afterAll(() => worker?.terminate());

type Answer = { milliseconds: number; thrown: string | null };

/** CPU milliseconds of one reading, or of the fixed piece of work; null where it had to be ended. */
async function read(
  asked: { module: string; reader: string; text: string } | 'pace',
): Promise<Answer | null> {
  const at = await reading();
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), HUNG_MS);
  try {
    at.postMessage(asked, []);
    const [answer] = (await once(at, 'message', { signal: ended.signal })) as [Answer];
    return answer;
  } catch {
    await at.terminate();
    worker = null;
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** How many times as long as on the quiet core things take now; never below 1. */
async function slowness(): Promise<number> {
  const paces = [await read('pace'), await read('pace'), await read('pace')].map(
    (pace) => pace?.milliseconds ?? PACE_MS,
  );
  const [, median = PACE_MS] = paces.toSorted((a, b) => a - b);
  return Math.max(1, median / PACE_MS);
}

/** Errors that a reader is meant to throw, each a sentence about the text. */
const REFUSES: Record<string, RegExp> = { 'evaluation/code/values/python-json': /./ };

async function faultsOf(module: string, reader: string, texts: Iterable<KnownText>): Promise<string[]> {
  const bad: string[] = [];
  for (const known of texts) {
    const text = lengthened(known);
    const what = JSON.stringify([known.before, `${known.piece} × many`, known.behind]);
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < READINGS && best > BUDGET_MS; tries += 1) {
      const result = await read({ module, reader, text });
      if (result === null) break;
      best = Math.min(best, result.milliseconds);
      if (best > BUDGET_MS) best = Math.min(best, result.milliseconds / (await slowness()));
      if (result.thrown !== null && !REFUSES[module]?.test(result.thrown))
        bad.push(`${what}: ${result.thrown}`);
    }
    if (best > BUDGET_MS) bad.push(`${what}: ${best.toFixed(0)} ms`);
    if (bad.length > 20) break;
  }
  return bad;
}

describe('readers of what models and programs wrote', () => {
  it('are all named here', () => {
    expect(unnamedExports()).toEqual([]);
  });

  it('are found in any room, by what they are given and what they do with it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'anchor-readers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'new-room'));
    const write = (name: string, source: string): void =>
      writeFileSync(join(folder, 'new-room', name), source);
    write('pattern.ts', 'export const lastLine = (answer: string): string => answer.replace(/\\s+$/, "");');
    write(
      'loop.ts',
      'export function depth({ text }: { text: string }) { for (let at = 0; text[at]; at += 1); }',
    );
    write(
      'class.ts',
      'export class Scan { next(of: readonly string[]) { return new RegExp("a*").test(of[0]); } }',
    );
    write(
      'object.ts',
      'export const reader = { read(text: string) { return text.match(/a+/); }, name: "a" };',
    );
    write(
      'named.ts',
      'const spaces = (text: string) => text.match(/ +/); export { spaces, spaces as blanks };',
    );
    write('bounded.ts', 'export const isName = (text: string): boolean => /^[a-z]{1,9}$/.test(text);');
    write(
      'own.ts',
      'const trimmed = (text: string) => text.replace(/ +$/, ""); export const seven = () => trimmed("7 ");',
    );
    expect([...textFunctions(folder)].sort()).toEqual([
      ['new-room/class', ['Scan']],
      ['new-room/loop', ['depth']],
      ['new-room/named', ['blanks', 'spaces']],
      ['new-room/object', ['reader']],
      ['new-room/pattern', ['lastLine']],
    ]);
  });

  const all = Object.entries(READERS).flatMap(([module, { reads }]) =>
    Object.keys(reads).map((reader) => [module, reader] as const),
  );
  const name = '%s: %s reads 100,000 characters of anything in milliseconds, and throws nothing';
  it.each(KNOWN_SLOW)(
    '%s: %s reads in milliseconds what it once was slow at',
    { timeout: 600_000 },
    async (module, reader, texts) => {
      expect(await faultsOf(module, reader, texts)).toEqual([]);
    },
  );
  /** Each reader is given a twelfth of the pieces, and each piece to a twelfth of the readers; the second tier gives everything to all. */
  const SHARES = 12;
  it.each(all.map(([module, reader], index) => [module, reader, index % SHARES] as const))(
    name,
    { timeout: 600_000 },
    async (module, reader, share) => {
      const pieces = [...PIECES.keys()].filter((index) => index % SHARES === share);
      expect(await faultsOf(module, reader, hostile([0], pieces))).toEqual([]);
    },
  );
  it.each(all)(
    `${name}, whatever stands around it`,
    { timeout: 600_000, tags: ['full'] },
    async (module, reader) => {
      const texts = hostile([0, 1, 2, FURTHER], [...PIECES.keys()]);
      expect(await faultsOf(module, reader, texts)).toEqual([]);
    },
  );
});
