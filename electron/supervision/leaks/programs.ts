import { isClosedSentence } from '../reviewers/answers.ts';
import { inDigits } from './stated-numbers.ts';
import { includesRun } from './values.ts';
import { viewsOf, visibleText } from './views.ts';

/** Longest feedback that is searched; anything longer is no review and counts as a leak of unknown content. */
export const SEARCHED = 4000;

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

/** Lines of a program that are looked for; one that is longer is found by these and by its structure. */
const MOST_LINES = 400;

/** Ways in which `feedback` gives a program away: quoted lines, its structure under other names, or its operations in words. */
export function programLeaks(feedback: string, source: string, visible: string): string[] {
  const known = visibleText(visible);
  const letters = new Map<string, string>();
  const knownGrams = grams(known, letters);
  const goldGrams = [...grams(source, letters)].filter((gram) => !knownGrams.has(gram));
  const tightKnown = tight(known);
  const lines = source
    .split('\n')
    .slice(0, MOST_LINES)
    .map((line) => ({ text: line.trim(), tight: tight(line), tokens: lex(line.trim()) }))
    .filter((line) => line.text !== '' && !tightKnown.includes(line.tight));
  const operations = operationsIn(lines.map(({ text }) => text).join('\n'));
  const found = viewsOf(feedback).flatMap(({ how, text }) => {
    const shown = grams(text, letters);
    const shared = goldGrams.filter((gram) => shown.has(gram)).length;
    const [tightText, tokens] = [tight(text), lex(text)];
    const quoted = lines.some(
      (line) =>
        (line.tight.length >= LINE && tightText.includes(line.tight)) ||
        (isStatement(line) && includesRun(tokens, line.tokens)),
    );
    return [
      ...(goldGrams.length > 0 && shared / goldGrams.length >= CONTAINED
        ? [`program structure shown (${how})`]
        : []),
      ...(quoted ? [`program line quoted (${how})`] : []),
      ...(operations.length >= 2 && includesInOrder(operationsTold(text), operations)
        ? [`program told in words (${how})`]
        : []),
    ];
  });
  return [...new Set(found)];
}

/** What a verb does with the number behind it. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [/^(?:add|plus|increas|increment)/, '+'],
  [/^(?:subtract|minus|decreas|decrement|take|taking)/, '-'],
  [/^(?:multipl|times|scal)/, '*'],
  [/^divid/, '/'],
  [/^(?:mod|remainder)/, '%'],
  [/^(?:greater|more|above|exceed|larger)/, '>'],
  [/^(?:less|below|under|smaller|fewer)/, '<'],
];
const TOLD =
  /\b(add(?:s|ed|ing)?|plus|increas\w+|increment\w*|subtract\w*|minus|decreas\w+|decrement\w*|tak(?:es?|ing) away|multipl\w+|times|scal(?:es?|ing)|divid\w+|mod(?:ulo)?|remainder|greater|more|above|exceed\w*|larger|less|below|under|smaller|fewer)\b|\b(doubl|tripl|halv|squar)\w+|(?<![\w.])(\d+(?:\.\d+)?)/gi;
const WHOLE_VERBS: Record<string, string> = { doubl: '*2', tripl: '*3', halv: '/2', squar: '**2' };
/** Characters between a verb and its number. */
const REACH = 45;

/** Operations with a constant that a text tells in words, in order: "multiplies by three and adds 4" is `*3`, `+4`. */
function operationsTold(text: string): string[] {
  const told: string[] = [];
  let [operator, at] = ['', 0];
  for (const { 1: verb, 2: alone, 3: number, index } of inDigits(text).matchAll(TOLD)) {
    if (verb !== undefined)
      [operator, at] = [VERBS.find(([word]) => word.test(verb.toLowerCase()))![1], index];
    else if (alone !== undefined) told.push(WHOLE_VERBS[alone.toLowerCase()]!);
    else if (operator !== '' && index - at <= REACH) {
      told.push(`${operator}${number}`);
      operator = '';
    }
  }
  return told;
}

/** The same of a program. */
function operationsIn(source: string): string[] {
  return [
    ...source.matchAll(/(\*\*|[-+*/%<>])[/=]?\s*(\d+(?:\.\d+)?)|(?<![\w.])(\d+(?:\.\d+)?)\s*\*(?!\*)/g),
  ].map(([, operator, number, before]) => (operator === undefined ? `*${before}` : `${operator}${number}`));
}

function includesInOrder(told: readonly string[], wanted: readonly string[]): boolean {
  let at = 0;
  for (const operation of told) if (operation === wanted[at]) at += 1;
  return at === wanted.length;
}

/** Statements, definitions, assignments and expressions, up to where a sentence goes on; and what stands between backticks or fences. */
const CODE = [
  /```[a-z]*\n?([\s\S]*?)(?:```|$)/g,
  /`([^`]+)`/g,
  /\b(def\s+\w+\s*\([^)]*\)\s*:?[^\n]*)/g,
  /\b(return\s+[\w.[\]()]+\s*(?:[-+*/%<>]|\/\/|==)+\s*[^\s,;`]+)/g,
  /(?<![\w=<>!])([a-z_]\w*\s*[-+*/]?=(?!=)\s*[^\s,;`]+)/gi,
  /\b((?:if|elif|while)\s+(?:not\s+)?[\w.[\]()]+\s*(?:[<>]=?|[=!]=|%)\s*[^\s,;`]+)/g,
  /\b(for\s+\w+\s+in\s+\w+(?:\.\w+)*\([^)]*\))/g,
  /(\[[^[\]]*\bfor\b[^[\]]*\bin\b[^[\]]*\])/g,
  /\b(lambda\s+\w+\s*:\s*[^,;`]+)/g,
  /(?<![\w.])(\w+\[[^\]\s]*:[^\]\s]*\])/g,
  /(?<![\w.])([a-z_]\w*\.[a-z_]\w*\([^()\s]*\))/gi,
  /(?<![\w.])([a-z_]\w+\([^()]*[-+*/%:][^()]*\))/gi,
  /(?<![\w.)\]])([a-z_]\w{0,7}\s*(?:\*\*|\/\/|[*%]|[<>]=?|[=!]=)\s*(?:[a-z_]\w{0,7}|\d+(?:\.\d+)?)(?!\w))/gi,
  /(?<![\w.)\]])((?:[a-z]\w?|\w{1,30}_\w{1,30})\s*[-+/]\s*(?:[a-z]\w?|\d+(?:\.\d+)?)(?![\w-]))/g,
  /\b(?:use|with|be|write|to|by)\s+((?:[<>=!]=|[<>]|\*\*|\/\/|%|\+|\*)(?=\s|[.,;]|$))/g,
];
/** A name or a word in backticks is no code; a statement has an operator, a call or a keyword with something behind it. */
const IS_CODE = /[-+*/%<>=:]|\w\(.*\)|\b(?:return|def|lambda|import)\b\s*\S|\bfor\b.+\bin\b/;

/** A corrected line is a fix, whatever the hidden answer is: code in a feedback that stands nowhere in the material. */
export function unseenCode(feedback: string, material: string): string[] {
  if (isClosedSentence(feedback) || feedback.length > SEARCHED) return [];
  const known = tight(visibleText(material)).replaceAll(/[;:.]$/gm, '');
  const shown = visibleText(feedback);
  const unseen = CODE.some((pattern) =>
    [...feedback.matchAll(pattern), ...shown.matchAll(pattern)].some(([, code = '']) => {
      const text = tight(code).replace(/[;:.,]+$/, '');
      return IS_CODE.test(code) && text !== '' && !known.includes(text);
    }),
  );
  return unseen ? ['code that is not in the material'] : [];
}

const tight = (text: string): string => text.replace(/\s+/g, '');

const lex = (text: string): string[] =>
  text.match(/[^\W\d]\w*|\d+(?:\.\d+)?|\/\/|\*\*|[<>=!]=|[^\s\w]/g) ?? [];

const NAME = /^[^\W\d]/;

/**
 * Runs of GRAM tokens of code, each token as one character that `letters` gives out: long texts are cut up many times faster so than as
 * lists of tokens. All identifiers are one token, so that renaming hides nothing.
 */
function grams(text: string, letters: Map<string, string>): Set<string> {
  let code = '';
  for (const token of lex(text)) {
    const key = NAME.test(token) && !KEYWORDS.has(token) ? 'name' : token;
    let letter = letters.get(key);
    if (letter === undefined) letters.set(key, (letter = String.fromCharCode(letters.size % 0xffff)));
    code += letter;
  }
  const name = letters.get('name');
  const found = new Set<string>();
  let others = 0;
  for (let end = 0; end < code.length; end += 1) {
    if (code[end] !== name) others += 1;
    if (end >= GRAM && code[end - GRAM] !== name) others -= 1;
    // Prose is identifiers in a row; a gram of code has at least two other tokens.
    if (end >= GRAM - 1 && others >= 2) found.add(code.slice(end - GRAM + 1, end + 1));
  }
  return found;
}

const isStatement = ({ text, tokens }: { text: string; tokens: string[] }): boolean =>
  tokens.length >= STATEMENT_TOKENS && !/^(?:def|else)\b/.test(text);
