/** One token of a Python program; `line` counts from 1 and `start` is the offset in the text. */
export type ProgramToken = {
  kind: 'name' | 'number' | 'string' | 'operator';
  text: string;
  start: number;
  line: number;
};

const TOKEN = new RegExp(
  [
    String.raw`(?<space>[ \t\f\r\n]+|\\\r?\n|#[^\n]*)`,
    String.raw`(?<string>[a-zA-Z]{0,2}(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'))`,
    String.raw`(?<number>(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)[jJ]?)`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<operator>\*\*=|//=|>>=|<<=|!=|==|<=|>=|:=|->|\+=|-=|\*=|/=|%=|&=|\|=|\^=|@=|\*\*|//|<<|>>|\.\.\.|[\s\S])`,
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
    const { space, string, number, name } = match.groups as Record<string, string | undefined>;
    const kind =
      string !== undefined
        ? 'string'
        : number !== undefined
          ? 'number'
          : name !== undefined
            ? 'name'
            : 'operator';
    if (space === undefined) tokens.push({ kind, text: match[0], start: position, line });
    line += match[0].split('\n').length - 1;
    position += match[0].length;
  }
  return tokens;
}
