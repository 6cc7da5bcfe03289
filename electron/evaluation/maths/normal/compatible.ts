import { pythonStrip, replaceEach, numberFromWords } from './word-number.ts';
import { withoutUnits } from './units.ts';

const BEFORE_UNITS = [
  ['bmatrix', 'pmatrix'],
  ['tfrac', 'frac'],
  ['dfrac', 'frac'],
  ['\\neq', '\\ne'],
  ['\\leq', '\\le'],
  ['\\geq', '\\ge'],
  ['\\left', ''],
  ['\\right', ''],
  ['\\{', '{'],
  ['\\}', '}'],
] as const;
const SIGNS = [
  ['^{\\circ}', ''],
  ['^\\circ', ''],
  ['\\$', ''],
  ['$', ''],
  ['\\(', ''],
  ['\\)', ''],
] as const;
const NAMES = [
  ['x=', ''],
  ['y=', ''],
  ['z=', ''],
  ['x\\in', ''],
  ['y\\in', ''],
  ['z\\in', ''],
  ['x\\to', ''],
  ['y\\to', ''],
  ['z\\to', ''],
  ['\\emptyset', '{}'],
  ['(-\\infty,\\infty)', '\\mathbb{R}'],
  ['\\%', ''],
  ['%', ''],
  [' .', ' 0.'],
  ['{.', '{0.'],
  ['infinity', '\\infty'],
] as const;
const AFTER_INFINITY = [
  ['+\\inity', '\\infty'],
  ['and', ''],
  ['\\mathbf', ''],
] as const;

/**
 * An answer in the form that Qwen's and AZR's graders compare, with all that is known to be wrong about it: a value that ends in
 * \text{…} loses what follows it, braces included; unit words go wherever they stand; "4:30 p.m." becomes "4:30p..".
 * @param keepUnits for Minerva, whose answers have units of their own.
 */
export function compatibleForm(answer: string, keepUnits = false): string {
  let text = replaceEach(pythonStrip(answer), [['\n', '']]).replace(/\.+$/, '');
  text = text
    .replaceAll('\\!', '')
    .replace(/\\begin\{array\}\{.*?\}/gu, '\\begin{pmatrix}')
    .replaceAll('\\end{array}', '\\end{pmatrix}');
  text = replaceEach(text, BEFORE_UNITS);
  const withoutText = pythonStrip(text.replace(/\\text\{.*?\}$/u, ''));
  if (withoutText !== '') text = withoutText;
  if (!keepUnits) text = withoutUnits(text);
  text = replaceEach(text, SIGNS);
  text = numberFromWords(text) ?? text;
  text = replaceEach(text.replace(/\\text\{(.*?)\}/gu, '$1'), NAMES);
  if (!text.includes('\\infty')) text = text.replaceAll('inf', '\\infty');
  text = replaceEach(text, AFTER_INFINITY).replace(/\\mbox\{.*?\}/gu, '');
  if (text.includes('j') && !text.includes('i')) text = text.replaceAll('j', 'i');
  text = text.replace(/(\p{Nd}+)\.0*(\P{Nd})/gu, '$1$2').replace(/(\p{Nd}+)\.0*$/u, '$1');
  if (text === '') return '';
  if (text.startsWith('.')) text = `0${text}`;
  const sides = text.split('=');
  if (sides.length === 2 && [...sides[0]!].length <= 2) text = sides[1]!;
  text = text.replace(/\\sqrt([\p{L}\p{N}_]+)/gu, '\\sqrt{$1}').replaceAll(' ', '');
  return fractionOfSlash(bracedFractions(text));
}

/** \frac12 and \frac1{72} with braces around both parts; the text as it was when one of them has less than two characters left. */
export function bracedFractions(text: string): string {
  const [first = '', ...rest] = text.split('\\frac');
  let braced = first;
  for (const part of rest) {
    const [a, b, ...after] = part;
    if (a === '{') braced += `\\frac${part}`;
    else if (a === undefined || b === undefined) return text;
    else braced += b === '{' ? `\\frac{${a}}{${after.join('')}` : `\\frac{${a}}{${b}}${after.join('')}`;
  }
  return braced;
}

/** "3/4" as \frac{3}{4}: whole numbers as Python prints them, or anything with a root in it. */
function fractionOfSlash(text: string): string {
  const parts = text.split('/');
  const fits = (part: string): boolean =>
    part.includes('sqrt') || (/^-?(?:0|[1-9][0-9]*)$/.test(part) && part !== '-0');
  return parts.length === 2 && parts.every(fits) ? `\\frac{${parts[0]}}{${parts[1]}}` : text;
}
