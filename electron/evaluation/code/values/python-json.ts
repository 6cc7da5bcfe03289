import { Failure, type EncodedValue } from '../../../contract/index.ts';
import { encodedFloat, encodedInt } from '../../../core/index.ts';

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const WORDS: readonly (readonly [string, EncodedValue])[] = [
  ['null', ['n']],
  ['true', ['b', true]],
  ['false', ['b', false]],
  ['NaN', encodedFloat(Number.NaN)],
  ['Infinity', encodedFloat(Infinity)],
  ['-Infinity', encodedFloat(-Infinity)],
];
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const MAX_DEPTH = 500;

/**
 * Reads JSON as Python's json module does: 1 stays an int of any size, 1.0 a float, and NaN and the infinities are numbers.
 * JSON.parse would make all of them one kind of number. Objects become dicts; of equal keys the last value wins.
 * @throws Failure `badJson` naming the position of the first thing that is no JSON.
 */
export function parsePythonJson(text: string): EncodedValue {
  const reader = new Reader(text);
  const encoded = reader.value(1);
  reader.skipSpace();
  if (reader.at < text.length) reader.fail('something follows the value');
  return encoded;
}

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  fail(why: string): never {
    throw new Failure('badJson', `The text is not JSON at character ${this.at + 1}: ${why}.`);
  }

  skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.#text);
    this.at = SPACE.lastIndex;
  }

  value(depth: number): EncodedValue {
    if (depth > MAX_DEPTH) this.fail(`it is nested more than ${MAX_DEPTH} levels deep`);
    this.skipSpace();
    switch (this.#text[this.at]) {
      case '"':
        return ['s', this.#string()];
      case '[':
        return ['l', this.#sequence(']', () => this.value(depth + 1))];
      case '{':
        return this.#object(depth);
      default:
        return this.#number() ?? this.#word();
    }
  }

  #word(): EncodedValue {
    for (const [word, encoded] of WORDS) {
      if (!this.#text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return encoded;
    }
    this.fail('a value is missing');
  }

  #number(): EncodedValue | null {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.#text);
    if (match === null) return null;
    this.at = NUMBER.lastIndex;
    const isInteger = match[1] === undefined && match[2] === undefined;
    return isInteger ? encodedInt(BigInt(match[0])) : encodedFloat(Number(match[0]));
  }

  #sequence<Item>(close: ']' | '}', item: () => Item): Item[] {
    const items: Item[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.#text[this.at] === close) {
      this.at += 1;
      return items;
    }
    for (;;) {
      items.push(item());
      this.skipSpace();
      const next = this.#text[this.at];
      if (next !== ',' && next !== close) this.fail(`a comma or ${close} is missing`);
      this.at += 1;
      if (next === close) return items;
    }
  }

  #object(depth: number): EncodedValue {
    const entries = new Map<string, EncodedValue>();
    this.#sequence('}', () => {
      this.skipSpace();
      if (this.#text[this.at] !== '"') this.fail('a key is missing');
      const key = this.#string();
      this.skipSpace();
      if (this.#text[this.at] !== ':') this.fail('a colon is missing');
      this.at += 1;
      entries.set(key, this.value(depth + 1));
    });
    return ['d', [...entries].map(([key, item]): [EncodedValue, EncodedValue] => [['s', key], item])];
  }

  #string(): string {
    let parts = '';
    this.at += 1;
    for (;;) {
      PLAIN_TEXT.lastIndex = this.at;
      parts += PLAIN_TEXT.exec(this.#text)?.[0] ?? '';
      this.at = PLAIN_TEXT.lastIndex;
      const next = this.#text[this.at];
      this.at += 1;
      if (next === '"') return parts;
      if (next !== '\\') this.fail('a text is not ended');
      parts += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.at] ?? '';
    this.at += 1;
    if (letter !== 'u') return ESCAPES[letter] ?? this.fail('an escape is unknown');
    const digits = this.#text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('an escape has no four digits');
    this.at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}
