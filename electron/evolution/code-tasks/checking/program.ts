import type { ParseFacts } from '../../../processes/index.ts';
import { tokenizeProgram, type ProgramToken } from './program-tokens.ts';

/** The function every task calls. */
export const ENTRY = 'f';

/** What the runner says of a program that parses. */
export type ProgramFacts = Extract<ParseFacts, { ok: true }>;
export type ProgramFunction = ProgramFacts['functions'][number];

/**
 * The function a program is about, among those of its module level: the one named f, else the last, since helpers come first.
 * Null when there is none. With a single function both rules of the original ('first' and 'any-last') choose the same.
 */
export function entryFunction(facts: ProgramFacts): ProgramFunction | null {
  const candidates = facts.functions.filter((candidate) => !candidate.nested);
  return candidates.find(({ name }) => name === ENTRY) ?? candidates.at(-1) ?? null;
}

/**
 * The program with its entry function called f; null when renaming by text could change what it does.
 *
 * Only names are touched: the program is cut into tokens first, so strings, comments and parts of longer words stay as they
 * are. Renamed are the def at the entry's line and every bare use of the name; attributes (`d.get`) and methods
 * (`def get` elsewhere) are not. It gives up when
 * - f is in use already,
 * - the name is also bound by `=` (a keyword, a default, a class attribute, another assignment) or by an import,
 * - another function of that name exists and a bare use could mean either, or
 * - an f-string mentions the name, since its code cannot be told from its text.
 */
export function renameEntry(program: string, entry: Pick<ProgramFunction, 'name' | 'line'>): string | null {
  if (entry.name === ENTRY) return program;
  const tokens = tokenizeProgram(program);
  const bare: ProgramToken[] = [];
  let others = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]?.text;
    const isDefinition = before === 'def' || before === 'class';
    if (token.kind === 'string' && /^[a-zA-Z]?[fF]/.test(token.text) && mentions(token.text, entry.name))
      return null;
    if (token.kind !== 'name' || before === '.') continue;
    if (token.text === ENTRY) return null;
    if (token.text !== entry.name) continue;
    if (isDefinition && token.line !== entry.line) others += 1;
    else if (tokens[index + 1]?.text === '=' || before === 'import' || before === 'as' || before === 'from')
      return null;
    else bare.push(token);
  }
  if (others > 0 && bare.length > 1) return null;
  return bare
    .toReversed()
    .reduce(
      (text, { start }) => text.slice(0, start) + ENTRY + text.slice(start + entry.name.length),
      program,
    );
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u').test(text);
}

/** Space before a `def` is looked for on its own line: over several, each blank line would be tried as the first one. */
const DEFINITIONS = /^[^\S\n\r\u2028\u2029]*def\s+([a-zA-Z_]\w*)\s*\(/gm;

/**
 * The original's renaming by pattern: 'first' takes the first `def` (nested ones and methods too), 'any-last' the last unless
 * some function is called f already; then every `name(` in the text is renamed, method calls included (`d.get(` becomes `d.f(`).
 */
export function renameEntryCompat(program: string, choice: 'first' | 'any-last'): string {
  const names = [...program.matchAll(DEFINITIONS)].map((match) => match[1] as string);
  const name = choice === 'first' ? names[0] : names.includes(ENTRY) ? ENTRY : names.at(-1);
  if (name === undefined || name === ENTRY) return program;
  return program
    .replace(new RegExp(`def\\s+${name}\\s*\\(`, 'g'), `def ${ENTRY}(`)
    .replace(new RegExp(`\\b${name}\\s*\\(`, 'g'), `${ENTRY}(`);
}

/** How many functions the original counts: lines that begin with `def`, in strings too; lambdas and async functions are not seen. */
export function countFunctionsCompat(program: string): number {
  return (program.match(DEFINITIONS) ?? []).length;
}

/** The import statements of a program as text, which the original puts in front of an induction solver's program. */
export function importLines(program: string): string[] {
  return program.split('\n').filter((line) => /^(?:import|from)\s+\S/.test(line));
}

/** strict: a banned name bans the module and everything below it, so `os` covers `os.path`. */
export function bannedImport(imports: readonly string[], banned: readonly string[]): string | null {
  return imports.find((name) => banned.some((word) => name === word || name.startsWith(`${word}.`))) ?? null;
}

/** The original compares banned words with single components of a module's path, so that dotted words never match. */
export function bannedImportCompat(imports: readonly string[], banned: readonly string[]): string | null {
  return imports.find((name) => name.split('.').some((component) => banned.includes(component))) ?? null;
}

const BANNED_CALLS = [
  '__import__',
  'eval',
  'exec',
  'compile',
  'open',
  'input',
  'breakpoint',
  'exit',
  'quit',
  'globals',
  'vars',
  'locals',
  'getattr',
  'setattr',
  'delattr',
];

/** A call to a builtin that reaches outside of the function. A name that merely ends alike (`process_input`) is none. */
export function bannedCall(callsTo: readonly string[], functions: readonly ProgramFunction[]): string | null {
  return (
    callsTo.find((name) => BANNED_CALLS.includes(name) && !functions.some((own) => own.name === name)) ?? null
  );
}
