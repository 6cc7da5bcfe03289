/** One token of a Python program; `line` counts from 1 and `start` is the offset in the text. */
export type ProgramToken = {
  kind: 'name' | 'number' | 'string' | 'operator';
  text: string;
  start: number;
  line: number;
};

const TOKEN = new RegExp(
  [
    String.raw`([ \t\f\r\n]+|\\\r?\n|#[^\n]*)`,
    String.raw`([a-zA-Z]{0,2}(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'))`,
    String.raw`((?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)[jJ]?)`,
    String.raw`([\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?:\*\*=|//=|>>=|<<=|!=|==|<=|>=|:=|->|\+=|-=|\*=|/=|%=|&=|\|=|\^=|@=|\*\*|//|<<|>>|\.\.\.|[\s\S])`,
  ].join('|'),
  'uy',
);

/**
 * The tokens of a program that is known to parse, without comments and white space. Strings, f-strings included, are single
 * tokens, so words inside them are never mistaken for names. On text that is not Python the result is merely useless.
 */
export function tokenizeProgram(program: string): ProgramToken[] {
  const tokens: ProgramToken[] = [];
  let line = 1;
  let position = 0;
  while (position < program.length) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(program);
    if (match === null) break;
    const [text, space, string, number, name] = match;
    const kind =
      string !== undefined
        ? 'string'
        : number !== undefined
          ? 'number'
          : name !== undefined
            ? 'name'
            : 'operator';
    if (space === undefined) tokens.push({ kind, text, start: position, line });
    // Nothing else can hold the end of a line.
    if (space !== undefined || string !== undefined)
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) line += 1;
    position += text.length;
  }
  return tokens;
}
