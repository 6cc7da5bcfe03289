/** Characters of an expression that is looked for; a longer one is found by what it has in common with the text it stands in. */
const LONGEST_EXPRESSION = 400;

/**
 * Ways in which a mathematical expression is likely to be told: as it stands, without the marks of LaTeX, and a fraction of two whole
 * numbers as a decimal, too.
 */
export function notationsOf(expression: string): string[] {
  const text = expression.slice(0, LONGEST_EXPRESSION).trim();
  const plain = withoutMarkup(text);
  const fraction = /^(-?\d{1,15})\/(\d{1,15})$/.exec(plain);
  const value = fraction === null ? Number.NaN : Number(fraction[1]) / Number(fraction[2]);
  return [...new Set([text, plain, ...(Number.isFinite(value) ? [String(value)] : [])])].filter(
    (form) => form !== '',
  );
}

/** `\frac{a}{b}` as a/b, commands by their names, and neither dollars nor braces nor spaces. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '$1/$2')
    .replace(/\\(?:left|right|displaystyle|text|mathrm|[,;:! ])/g, '')
    .replace(/\\([a-zA-Z]+)/g, '$1')
    .replace(/[{}$\s]/g, '');

/** Words in a row that nobody writes twice by chance. */
const LONG_COPY = 12;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function stretchesOf(text: string): Set<string> {
  const words = wordsOf(text);
  const stretches = new Set<string>();
  for (let at = 0; at + LONG_COPY <= words.length; at += 1)
    stretches.add(words.slice(at, at + LONG_COPY).join(' '));
  return stretches;
}

/** Whether feedback repeats a long stretch of a text that was not shown to the agent. */
export function passageLeaks(feedback: string, passage: string, visible: string): string[] {
  const told = stretchesOf(feedback);
  if (told.size === 0) return [];
  const shown = stretchesOf(visible);
  const hidden = stretchesOf(passage);
  return [...told].some((stretch) => hidden.has(stretch) && !shown.has(stretch))
    ? ['a long stretch of an answer copied']
    : [];
}
