/**
 * What a glance at Python source tells, line by line and without running or fully parsing it. The runner's `parse` operation
 * knows better; its answer (`ParsedProgram`) wins wherever the caller has one.
 */
type ProgramFacts = {
  ok: boolean;
  /** First line (from 1) that cannot be Python; null when none was seen. */
  errorLine: number | null;
  /** Top-level module names, in order of appearance, without repetition. */
  imports: string[];
  /** Statements on the first level of the entry function before its `return`, as a plan counts its steps. */
  steps: number;
  /** True when a `for` or `while` statement occurs; comprehensions do not count. */
  loop: boolean;
  returns: boolean;
};

/** The part of the runner's `parse` result the facts use. */
export type ParsedProgram = { ok: boolean; errorLine: number | null; imports: string[] };

const COMPOUND = /^(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b/;
const CONTINUES = /^(?:elif|else|except|finally|case)\b/;
const DANGLING = /(?:[-+*/%=<>&|^~.]|\b(?:and|or|not|in|is|if|lambda))$/;
const OPENING = '([{';
const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** What stands for nothing but itself outside of quotes, taken at once. */
const ORDINARY = /[^\n'"#()[\]{}]+/y;

export type LogicalLine = { text: string; line: number; indent: number };

/** Joins physical lines inside brackets and triple quotes, drops comments; `broken` is the line of the first unbalanced bracket or quote. */
export function logicalLines(source: string): { lines: LogicalLine[]; broken: number | null } {
  const lines: LogicalLine[] = [];
  let text = '';
  let start = 1;
  let line = 1;
  let quote = '';
  let broken: number | null = null;
  const open: string[] = [];
  const flush = (): void => {
    if (text.trim() !== '')
      lines.push({ text: text.trim(), line: start, indent: text.length - text.trimStart().length });
    text = '';
  };
  for (let index = 0; index < source.length; index++) {
    const character = source[index]!;
    if (text === '') start = line;
    ORDINARY.lastIndex = index;
    const run = quote === '' ? ORDINARY.exec(source)?.[0] : undefined;
    if (run !== undefined) {
      text += run;
      index += run.length - 1;
    } else if (character === '\n') {
      line++;
      if (quote.length === 1) {
        broken ??= line - 1;
        quote = '';
      }
      if (quote === '' && open.length === 0) {
        flush();
        continue;
      }
      text += ' ';
    } else if (quote !== '') {
      text += character;
      if (character === '\\') text += source[++index] ?? '';
      else if (source.startsWith(quote, index)) {
        text += quote.slice(1);
        index += quote.length - 1;
        quote = '';
      }
    } else if (character === '#') {
      while (index + 1 < source.length && source[index + 1] !== '\n') index++;
    } else if (character === "'" || character === '"') {
      quote = source.startsWith(character.repeat(3), index) ? character.repeat(3) : character;
      text += quote;
      index += quote.length - 1;
    } else {
      if (OPENING.includes(character)) open.push(character);
      else if (character in CLOSING && open.pop() !== CLOSING[character]) broken ??= line;
      text += character;
    }
  }
  flush();
  if (quote !== '' || open.length > 0) broken ??= start;
  return { lines, broken };
}

/** Line of the first thing that cannot be Python: a compound header without colon, a dangling operator, a missing block, odd indentation. */
function firstBadLine(lines: LogicalLine[]): number | null {
  const indents = [0];
  let expectsBlock = false;
  for (const { text, line, indent } of lines) {
    const current = indents.at(-1)!;
    if (expectsBlock !== indent > current) return line;
    if (expectsBlock) indents.push(indent);
    while (indents.at(-1)! > indent) indents.pop();
    if (indents.at(-1) !== indent) return line;
    const compound = COMPOUND.test(text);
    const simple = compound && !text.endsWith(':') ? /:\s*\S/.test(text) : true;
    if (!simple || DANGLING.test(text)) return line;
    if (/^def\b/.test(text) && !isHeader(text)) return line;
    if (/^(?!def\b|class\b)\w[\w.]*\s*=\s*$/.test(text)) return line;
    expectsBlock = compound && text.endsWith(':');
  }
  return expectsBlock ? (lines.at(-1)?.line ?? 1) : null;
}

/** `def name(…) -> …:`. The last colon is looked for once: a pattern that tries every bracket for it takes quadratic time. */
function isHeader(text: string): boolean {
  const opened = /^def\s+[^\W\d]\w*\s*\(/.exec(text);
  if (opened === null) return false;
  const rest = text.slice(opened[0].length);
  const arrow = /\)\s*->/.exec(rest);
  return /\)\s*:/.test(rest) || (arrow !== null && rest.lastIndexOf(':') > arrow.index);
}

function importsOf(lines: LogicalLine[]): string[] {
  const names = lines.flatMap(({ text }) => {
    const from = /^from\s+([\w.]+)\s+import\b/.exec(text);
    if (from) return [from[1]!];
    const plain = /^import\s+(.+)$/s.exec(text);
    return plain ? plain[1]!.split(',').map((part) => part.trim().split(/\s+/)[0]!) : [];
  });
  return [...new Set(names.map((name) => name.split('.')[0]!))];
}

/** First-level statements of the first function up to its `return`; of the whole text when there is no function. */
function stepsOf(lines: LogicalLine[]): number {
  const entry = lines.findIndex(({ text }) => text.startsWith('def '));
  const header = lines[entry];
  const rest = lines.slice(entry + 1);
  const body = header === undefined ? lines : rest.slice(0, lengthOfBlock(rest, header.indent));
  const level = body[0]?.indent ?? 0;
  const first = body.filter(({ indent, text }) => indent === level && !CONTINUES.test(text));
  const end = first.findIndex(({ text }) => /^return\b/.test(text));
  return end < 0 ? first.length : end;
}

function lengthOfBlock(lines: LogicalLine[], indent: number): number {
  const end = lines.findIndex((line) => line.indent <= indent);
  return end < 0 ? lines.length : end;
}

/** Reads `source`; `parsed` (the runner's view) decides syntax and imports when given. */
export function readProgram(source: string, parsed?: ParsedProgram | null): ProgramFacts {
  const { lines, broken } = logicalLines(source);
  const bad = broken ?? firstBadLine(lines) ?? (lines.some(({ text }) => text.startsWith('def ')) ? null : 1);
  return {
    ok: parsed?.ok ?? bad === null,
    errorLine: parsed ? parsed.errorLine : bad,
    imports: parsed?.imports ?? importsOf(lines),
    steps: stepsOf(lines),
    loop: lines.some(({ text }) => /^(?:for|while)\b/.test(text)),
    returns: lines.some(({ text }) => /\breturn\s+\S/.test(text)),
  };
}

const TIGHT = /[-+*/%=<>,:()[\]{}]/;
/** White space beside a sign means nothing. All of it is met once, where a pattern of it and the sign would try each part of it. */
const unlessBetweenWords = (space: string, at: number, text: string): string =>
  TIGHT.test(text[at - 1] ?? '') || TIGHT.test(text[at + space.length] ?? '') ? '' : space;

/** Source without comments, blank lines and insignificant spaces, one space per level: equal for programs that only differ in looks. */
export function normalizedSource(source: string): string {
  const levels: number[] = [];
  return logicalLines(source)
    .lines.map(({ text, indent }) => {
      while (levels.length > 0 && levels.at(-1)! >= indent) levels.pop();
      levels.push(indent);
      return ' '.repeat(levels.length - 1) + text.replace(/\s+/g, unlessBetweenWords);
    })
    .join('\n');
}
