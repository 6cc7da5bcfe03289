import { viewsOf, visibleText } from './views.ts';

const GRAM = 6;
/** Shared 6-grams of a program that cannot be coincidence. */
const CONTAINED = 0.3;
/** A shared line of this many characters without spaces is a quotation. */
const LINE = 12;
/** A shorter statement is one when all its tokens stand in a row; below five there is hardly anything to tell ("return y"). */
const STATEMENT_TOKENS = 5;

const KEYWORDS = new Set([
  'and',
  'as',
  'break',
  'class',
  'continue',
  'def',
  'elif',
  'else',
  'for',
  'from',
  'if',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'pass',
  'return',
  'while',
  'with',
  'yield',
]);

/** Ways in which `feedback` gives a program away: quoted lines, or its structure under other names. */
export function programLeaks(feedback: string, source: string, visible: string): string[] {
  const known = visibleText(visible);
  const knownGrams = grams(codeTokens(known));
  const goldGrams = [...grams(codeTokens(source))].filter((gram) => !knownGrams.has(gram));
  const tightKnown = tight(known);
  const lines = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !tightKnown.includes(tight(line)));
  const found = viewsOf(feedback).flatMap(({ how, text }) => {
    const shown = grams(codeTokens(text));
    const shared = goldGrams.filter((gram) => shown.has(gram)).length;
    const tightText = tight(text);
    const quoted =
      lines.some((line) => tight(line).length >= LINE && tightText.includes(tight(line))) ||
      lines.some((line) => statementIn(text, line));
    return [
      ...(goldGrams.length > 0 && shared / goldGrams.length >= CONTAINED
        ? [`program structure shown (${how})`]
        : []),
      ...(quoted ? [`program line quoted (${how})`] : []),
    ];
  });
  return [...new Set(found)];
}

const tight = (text: string): string => text.replace(/\s+/g, '');

const lex = (text: string): string[] =>
  text.match(/[^\W\d]\w*|\d+(?:\.\d+)?|\/\/|\*\*|[<>=!]=|[^\s\w]/g) ?? [];

/** Tokens with every identifier replaced, so that renaming hides nothing. */
const codeTokens = (text: string): string[] =>
  lex(text).map((token) => (/^[^\W\d]/.test(token) && !KEYWORDS.has(token) ? '·' : token));

function grams(tokens: string[]): Set<string> {
  const found = new Set<string>();
  for (let start = 0; start + GRAM <= tokens.length; start++) {
    const gram = tokens.slice(start, start + GRAM);
    // Prose is identifiers in a row; a gram of code has at least two other tokens.
    if (gram.filter((token) => token !== '·').length >= 2) found.add(gram.join(' '));
  }
  return found;
}

function statementIn(text: string, line: string): boolean {
  const [wanted, tokens] = [lex(line), lex(text)];
  if (wanted.length < STATEMENT_TOKENS || /^(?:def|else)\b/.test(line)) return false;
  return tokens.some((_, start) => wanted.every((token, index) => tokens[start + index] === token));
}
