import type { EncodedValue } from '../../contract/index.ts';
import {
  doubleToHex,
  ENCODED_VALUE_LIMITS,
  encodedBool,
  encodedFloat,
  encodedNone,
} from './encoded-value.ts';
import { buildCall, buildDict, buildSet } from './literal-collections.ts';
import {
  joinComplex,
  LiteralError,
  LiteralSource,
  negate,
  readNumber,
  readText,
  startsText,
} from './literal-tokens.ts';

export type LiteralOptions = {
  /**
   * Also reads inf, nan, float('inf'), Counter(...), deque(...), defaultdict(...) and OrderedDict(...), each as the
   * plain float, list or dict with the same content.
   */
  extended?: boolean;
};
export type LiteralResult = { ok: true; encoded: EncodedValue } | { ok: false; reason: string };
export type ArgumentsResult = { ok: true; values: EncodedValue[] } | { ok: false; reason: string };

const MAX_TEXT_BYTES = 64 * 1024;
const LITERAL_CALLS = ['set', 'frozenset'];
const EXTENDED_CALLS = [...LITERAL_CALLS, 'float', 'Counter', 'deque', 'defaultdict', 'OrderedDict'];
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;

/**
 * Reads one Python literal (what `ast.literal_eval` accepts, and `frozenset(...)`) as data; nothing is evaluated.
 * White space, line breaks and comments around it are ignored. `reason` is one sentence with line and column.
 */
export function parseLiteral(text: string, options: LiteralOptions = {}): LiteralResult {
  const result = read(text, false, options, (reader) => reader.readTopLevel());
  return result.ok ? { ok: true, encoded: result.value } : result;
}

/** Reads the text between the parentheses of a call, e.g. `1, 'a'`, as positional arguments; empty text is no arguments. */
export function parseArguments(text: string, options: LiteralOptions = {}): ArgumentsResult {
  const result = read(text, true, options, (reader) => reader.readArguments());
  return result.ok ? { ok: true, values: result.value } : result;
}

function read<T>(
  text: string,
  openBrackets: boolean,
  options: LiteralOptions,
  grammar: (reader: LiteralReader) => T,
): { ok: true; value: T } | { ok: false; reason: string } {
  if (Buffer.byteLength(text, 'utf8') > MAX_TEXT_BYTES)
    return { ok: false, reason: `A literal may have at most ${MAX_TEXT_BYTES / 1024} KiB of text.` };
  if (text.includes('\0'))
    return { ok: false, reason: 'A literal may not contain a NUL character; write \\x00 inside a string.' };
  if (!text.isWellFormed())
    return { ok: false, reason: 'The text contains half of a surrogate pair; write it as a \\u escape.' };
  try {
    return {
      ok: true,
      value: grammar(new LiteralReader(new LiteralSource(text, openBrackets), options.extended === true)),
    };
  } catch (error) {
    if (error instanceof LiteralError) return { ok: false, reason: error.message };
    throw error;
  }
}

class LiteralReader {
  private readonly source: LiteralSource;
  private readonly extended: boolean;
  private nodes = 0;
  private depth = 0;

  constructor(source: LiteralSource, extended: boolean) {
    this.source = source;
    this.extended = extended;
  }

  readTopLevel(): EncodedValue {
    this.source.skipTrailingLines();
    if (this.source.atEnd()) this.source.fail('There is no value');
    const encoded = this.readTupleOrValue();
    this.source.skipTrailingLines();
    if (!this.source.atEnd()) this.source.fail('Something follows the value');
    return encoded;
  }

  readArguments(): EncodedValue[] {
    this.source.skipSpace();
    const { values } = this.readItems(() => this.source.atEnd());
    return values;
  }

  /** `1, 2` without parentheses is a tuple. */
  private readTupleOrValue(): EncodedValue {
    const first = this.readValue();
    if (this.source.peek() !== ',') return first;
    const values = [first];
    while (this.source.peek() === ',') {
      this.source.position += 1;
      this.source.skipSpace();
      if (this.source.atEnd() || this.source.peek() === '\n') break;
      values.push(this.readValue());
    }
    this.count();
    return ['t', values];
  }

  private readValue(): EncodedValue {
    this.depth += 1;
    if (this.depth > ENCODED_VALUE_LIMITS.depth)
      this.source.fail(`The value is nested more than ${ENCODED_VALUE_LIMITS.depth} levels deep`);
    this.count();
    const left = this.readSigned();
    const sign = this.source.peek();
    this.depth -= 1;
    if (sign !== '+' && sign !== '-') return left;
    this.source.position += 1;
    this.source.skipSpace();
    const isNumber =
      /[0-9.]/.test(this.source.peek()) || (this.extended && this.source.match(/(?:inf|nan)j\b/y));
    const right = isNumber ? this.readAtomHere() : this.source.fail('An expression is not a literal');
    const joined = joinComplex(left, right, sign === '+' ? 1 : -1, this.source);
    this.source.skipSpace();
    return joined;
  }

  private readSigned(): EncodedValue {
    const sign = this.source.peek();
    if (sign !== '-' && sign !== '+') return this.readAtom();
    this.source.position += 1;
    this.source.skipSpace();
    const operand =
      /[0-9.]/.test(this.source.peek()) || this.extended
        ? this.readAtom()
        : this.source.fail('A sign must be followed by a number');
    const negative = negate(operand);
    if (negative === null) this.source.fail('A sign must be followed by a number');
    return sign === '-' ? negative : operand;
  }

  private readAtom(): EncodedValue {
    const encoded = this.readAtomHere();
    this.source.skipSpace();
    return encoded;
  }

  private readAtomHere(): EncodedValue {
    const { source } = this;
    const character = source.peek();
    if (/[0-9.]/.test(character)) return readNumber(source);
    if (startsText(source)) return readText(source);
    if (character === '[') return ['l', this.readBracketed(']').values];
    if (character === '(') return this.readParentheses();
    if (character === '{') return this.readBraces();
    const name = source.match(NAME)?.[0];
    if (name !== undefined) return this.readName(name);
    return source.fail(
      character === ''
        ? 'A value is missing'
        : `${JSON.stringify(source.match(/./uy)?.[0] ?? character)} cannot start a value`,
    );
  }

  private readBracketed(close: string): { values: EncodedValue[]; comma: boolean } {
    const start = this.source.position;
    this.source.enterBracket();
    const items = this.readItems(() => this.source.peek() === close);
    if (this.source.peek() !== close) this.source.fail(`A bracket is not closed with ${close}`, start);
    this.source.leaveBracket();
    return items;
  }

  private readItems(atClose: () => boolean): { values: EncodedValue[]; comma: boolean } {
    const values: EncodedValue[] = [];
    let comma = false;
    while (!atClose()) {
      values.push(this.readValue());
      comma = this.source.peek() === ',';
      if (!comma) break;
      this.source.position += 1;
      this.source.skipSpace();
    }
    if (!atClose())
      this.source.fail(
        this.source.atEnd() ? 'A bracket is not closed' : 'A comma or the end of the list was expected',
      );
    return { values, comma };
  }

  private readParentheses(): EncodedValue {
    const { values, comma } = this.readBracketed(')');
    const [only] = values;
    return only !== undefined && values.length === 1 && !comma ? only : ['t', values];
  }

  private readBraces(): EncodedValue {
    const { source } = this;
    const start = source.position;
    source.enterBracket();
    const entries: [EncodedValue, EncodedValue][] = [];
    const items: EncodedValue[] = [];
    while (source.peek() !== '}') {
      const key = this.readValue();
      if (source.peek() === ':') {
        source.position += 1;
        source.skipSpace();
        entries.push([key, this.readValue()]);
      } else items.push(key);
      if (entries.length > 0 && items.length > 0)
        source.fail('A brace holds either a set or a dict, not both', start);
      if (source.peek() !== ',') break;
      source.position += 1;
      source.skipSpace();
    }
    if (source.peek() !== '}')
      source.fail('A brace is not closed or a comma is missing', source.atEnd() ? start : source.position);
    source.leaveBracket();
    return items.length > 0 ? buildSet('S', items, source) : buildDict(entries, source);
  }

  private readName(name: string): EncodedValue {
    const { source } = this;
    const start = source.position;
    const constant = constantNamed(name, this.extended);
    if (constant === null && !(this.extended ? EXTENDED_CALLS : LITERAL_CALLS).includes(name))
      source.fail(`The name ${name.slice(0, 40)} is not a literal`);
    source.position += name.length;
    if (constant !== null) return constant;
    source.skipSpace();
    if (source.peek() !== '(') source.fail(`The name ${name} is not a literal`, start);
    return this.readCall(name, start);
  }

  private readCall(name: string, start: number): EncodedValue {
    const { source } = this;
    if (name === 'defaultdict') this.skipFactory();
    const { values } = source.peek() === ')' ? this.closeEmptyCall() : this.readBracketed(')');
    return buildCall(name, values, source, start);
  }

  /** Moves to the comma of `defaultdict(<class 'int'>, {...})` or `defaultdict(int, {...})`, where its data starts like a bracket. */
  private skipFactory(): void {
    const factory = this.source.match(
      /\(\s*(?:<class '[\w.]+'>|int|float|str|list|dict|set|bool|None)\s*(?=[,)])/y,
    );
    if (!factory) this.source.fail('defaultdict(...) needs a plain type before its dict');
    this.source.position += factory[0].length;
  }

  /** `defaultdict(int)`: the factory was all there was. */
  private closeEmptyCall(): { values: EncodedValue[] } {
    this.source.position += 1;
    return { values: [] };
  }

  private count(): void {
    this.nodes += 1;
    if (this.nodes > ENCODED_VALUE_LIMITS.nodes)
      this.source.fail(`The value has more than ${ENCODED_VALUE_LIMITS.nodes} parts`);
  }
}

/** inf, nan and their imaginary forms are names to Python, but its repr writes them as if they were numbers. */
function constantNamed(name: string, extended: boolean): EncodedValue | null {
  if (name === 'None') return encodedNone();
  if (name === 'True' || name === 'False') return encodedBool(name === 'True');
  if (!extended) return null;
  const real = /^(inf|nan)(j?)$/.exec(name);
  if (!real) return null;
  const value = real[1] === 'inf' ? Infinity : Number.NaN;
  return real[2] === 'j' ? ['z', doubleToHex(0), doubleToHex(value)] : encodedFloat(value);
}
