/** Why a text is not a literal; the message is the whole sentence shown to people. */
export class LiteralError extends Error {}

/** Cursor over literal text that knows what Python counts as white space in and outside of brackets. */
export class LiteralSource {
  readonly text: string;
  position = 0;
  private readonly openBrackets: boolean;
  private brackets = 0;

  /** With `openBrackets` the text counts as bracketed from the start, as call arguments are: line breaks are free. */
  constructor(text: string, openBrackets: boolean) {
    this.text = text.replace(/\r\n?/g, '\n');
    this.openBrackets = openBrackets;
  }

  enterBracket(): void {
    this.position += 1;
    this.brackets += 1;
    this.skipSpace();
  }

  leaveBracket(): void {
    this.position += 1;
    this.brackets -= 1;
    this.skipSpace();
  }

  skipSpace(): void {
    const breaksAreFree = this.openBrackets || this.brackets > 0;
    for (;;) {
      const character = this.text[this.position];
      if (
        character === ' ' ||
        character === '\t' ||
        character === '\f' ||
        (character === '\n' && breaksAreFree)
      )
        this.position += 1;
      else if (character === '\\' && this.text[this.position + 1] === '\n') this.position += 2;
      else if (character === '#') this.skipComment();
      else return;
    }
  }

  /** After the value only blank lines and comments may follow. */
  skipTrailingLines(): void {
    for (;;) {
      this.skipSpace();
      if (this.text[this.position] !== '\n') return;
      this.position += 1;
    }
  }

  private skipComment(): void {
    const end = this.text.indexOf('\n', this.position);
    this.position = end < 0 ? this.text.length : end;
  }

  peek(): string {
    return this.text[this.position] ?? '';
  }

  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.position);
  }

  /** Matches a sticky regular expression here, without moving. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text);
  }

  atEnd(): boolean {
    return this.position >= this.text.length;
  }

  fail(problem: string, position = this.position): never {
    const before = this.text.slice(0, position);
    const line = before.split('\n').length;
    const column = position - before.lastIndexOf('\n');
    throw new LiteralError(`${problem} (line ${line}, column ${column}).`);
  }
}
