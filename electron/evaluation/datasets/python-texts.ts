const PREFIXED = /(?<![\p{L}\p{N}_])([rRbBuUfFtT]{0,2})("""|'''|"|')/uy;
const SPACE_OR_COMMENT = /(?:[ \t\r\n\\]|#[^\n]*)*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * The texts that stand in a Python source: every plain literal, and literals that follow one another joined, as Python joins them.
 * The source is only read, never run. Texts that are put together at run time (f-strings) and bytes are not among them.
 */
export function textsOfPython(source: string): string[] {
  const text = source.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const texts: string[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    texts.push(...run);
    if (run.length > 1) texts.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < text.length;) {
    SPACE_OR_COMMENT.lastIndex = at;
    at += SPACE_OR_COMMENT.exec(text)?.[0].length ?? 0;
    PREFIXED.lastIndex = at;
    const begin = PREFIXED.exec(text);
    if (begin === null) {
      endRun();
      at = nextPlace(text, at);
      continue;
    }
    const [whole, prefix = '', quote = '"'] = begin;
    const end = endOfLiteral(text, at + whole.length, quote);
    const body = text.slice(at + whole.length, end);
    if (/[fFbBtT]/.test(prefix)) endRun();
    else run.push(/[rR]/.test(prefix) ? body : unescaped(body));
    at = end + quote.length;
  }
  endRun();
  return texts;
}

/** Past a word or one other character. */
function nextPlace(text: string, at: number): number {
  const word = /[\p{L}\p{N}_]+/uy;
  word.lastIndex = at;
  const found = word.exec(text)?.[0];
  // A word may be the prefix of a literal only when it is short, and then PREFIXED has matched already.
  return at + (found?.length ?? 1);
}

function endOfLiteral(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at;
    else if (quote.length === 1 && text[at] === '\n') return at;
  }
  return text.length;
}

function unescaped(body: string): string {
  return body.replace(
    /\\(?:\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (all, two?: string, four?: string, eight?: string, octal?: string, letter?: string) => {
      const hex = two ?? four ?? eight;
      if (hex !== undefined)
        return Number.parseInt(hex, 16) > 0x10ffff ? all : String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return letter === undefined ? '' : (ESCAPES[letter] ?? all);
    },
  );
}

/** A text as its authors may have hashed it: as written, without space around it, and without its common indentation. */
export function variantsOf(text: string): string[] {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0].length);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  const dedented = lines
    .map((line) => line.slice(Math.min(least, /^[ \t]*/.exec(line)![0].length)))
    .join('\n');
  return [...new Set([text, text.trim(), dedented, dedented.trim()])];
}
