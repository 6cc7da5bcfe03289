import { isUtf8 } from 'node:buffer';
import { type Dialect, type ReadRow, Collector, type Piece, type RefusedRow } from './row.ts';

const [QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * One row of JSON from its bytes: UTF-8, an object, no key twice, nothing nested beyond 200 levels, no number that is none (but in
 * Python's dialect), no half of a surrogate pair. Line breaks between its parts become spaces, so that the text fits on a line.
 */
export function jsonRow(bytes: Buffer, row: number, dialect: Dialect): ReadRow {
  const body = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
  if (!isUtf8(body)) return { row, fault: 'it is not UTF-8 text' };
  const scan = scanJson(body);
  if (scan.tooDeep) return { row, fault: 'it is nested more than 200 levels deep' };
  if (scan.notFinite.length > 0 && dialect === 'strict')
    return {
      row,
      fault: `it holds ${body.toString('latin1', ...scan.notFinite[0]!)}, which is no number of JSON`,
    };
  const isPython = scan.notFinite.length > 0;
  let value: unknown;
  try {
    value = JSON.parse((isPython ? withNulls(body, scan.notFinite) : body).toString('utf8'));
  } catch (error) {
    // Only the place is told: the parser's own message quotes the text, which may be harmful to read.
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    return {
      row,
      fault: `it is not JSON${place === undefined ? '' : ` (at character ${Number(place) + 1})`}`,
    };
  }
  if (scan.repeated !== null) return { row, fault: `it has the key ${JSON.stringify(scan.repeated)} twice` };
  if (scan.tooLarge !== null)
    return { row, fault: `it holds the number ${scan.tooLarge}, which is too large` };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { row, fault: 'it is no JSON object' };
  const text = body
    .toString('utf8')
    .replace(/[\r\n]+/g, ' ')
    .trim();
  const odd = oddText(value, text);
  return odd === null
    ? { row, fault: null, value: value as Record<string, unknown>, text, isPython }
    : { row, fault: odd };
}

/** The same bytes with `null` in place of each token; other places keep their length, which JSON does not need. */
function withNulls(bytes: Buffer, tokens: readonly [number, number][]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [start, end] of tokens) {
    parts.push(bytes.subarray(from, start), Buffer.from('null'));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/** What a text in it is refused for; looked at only where the row's writing makes it possible. */
function oddText(value: object, text: string): string | null {
  if (text.includes('"__proto__"')) return 'it has the key "__proto__", which no official file has';
  if (/\\u[dD][89a-fA-F]/.test(text) && !everyText(value, (part) => part.isWellFormed()))
    return 'a text in it holds half of a surrogate pair';
  return null;
}

export function everyText(value: unknown, holds: (text: string) => boolean): boolean {
  if (typeof value === 'string') return holds(value);
  if (Array.isArray(value)) return value.every((each) => everyText(each, holds));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, each]) => holds(key) && everyText(each, holds));
}

const MOST_LEVELS = 200;

type JsonScan = {
  /** A key that stands twice in one object; JSON.parse would keep the last and say nothing. */
  repeated: string | null;
  tooDeep: boolean;
  /** Where NaN, Infinity or -Infinity stand outside of texts: [start, end) in bytes. */
  notFinite: [number, number][];
  /** A number that is written with a point or an exponent and beyond the range of a double. */
  tooLarge: string | null;
};

/**
 * What JSON.parse does not tell about a JSON text: repeated keys, nesting, numbers that are none. Works on bytes, so that a text of
 * a hundred megabytes is not split into pieces. On bytes that are no JSON the result means nothing; JSON.parse says so.
 */
export function scanJson(bytes: Buffer): JsonScan {
  const scan: JsonScan = { repeated: null, tooDeep: false, notFinite: [], tooLarge: null };
  /** One entry per open object (its keys) or list (null). */
  const open: (Set<string> | null)[] = [];
  let keyMayFollow = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (keyMayFollow) noteKey(scan, open.at(-1) ?? null, bytes.subarray(at, end));
      keyMayFollow = false;
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      open.push(byte === OPEN_OBJECT ? new Set() : null);
      keyMayFollow = byte === OPEN_OBJECT;
      if (open.length > MOST_LEVELS) return { ...scan, tooDeep: true };
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      open.pop();
      keyMayFollow = false;
    } else if (byte === COMMA) keyMayFollow = open.at(-1) instanceof Set;
    else if (isNumberLike(byte)) {
      const end = endOfNumber(bytes, at);
      noteNumber(scan, bytes.toString('latin1', at, end), at, end);
      at = end - 1;
    }
  }
  return scan;
}

/** The byte after the closing quote; the end of the bytes for a text that is not closed. */
function endOfText(bytes: Buffer, quote: number): number {
  for (let at = bytes.indexOf(QUOTE, quote + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

function noteKey(scan: JsonScan, keys: Set<string> | null, quoted: Buffer): void {
  if (keys === null || scan.repeated !== null) return;
  let key: string;
  try {
    key = JSON.parse(quoted.toString('utf8')) as string;
  } catch {
    return; // no JSON at all, which is told by the parser
  }
  if (keys.has(key)) scan.repeated = key;
  keys.add(key);
}

const isNumberLike = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x49 || byte === 0x4e; // digits, -, I, N

function endOfNumber(bytes: Buffer, from: number): number {
  let at = from + 1;
  // Digits, signs, points, exponents and the letters of NaN and Infinity; whatever else ends it.
  while (
    at < bytes.length &&
    ((bytes[at]! >= 0x30 && bytes[at]! <= 0x39) ||
      bytes[at] === 0x2b ||
      bytes[at] === 0x2d ||
      bytes[at] === 0x2e ||
      ((bytes[at]! | 0x20) >= 0x61 && (bytes[at]! | 0x20) <= 0x7a))
  )
    at += 1;
  return at;
}

function noteNumber(scan: JsonScan, text: string, from: number, to: number): void {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') scan.notFinite.push([from, to]);
  else if (/[.eE]/.test(text) && Math.abs(Number(text)) === Infinity)
    scan.tooLarge ??= text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

type Place = 'start' | 'before' | 'inside' | 'after' | 'end';

/**
 * The entries of a JSON list, one at a time, so that the list is never whole in memory. Only the outline is looked at: what an
 * entry holds is checked when it is parsed. Ends with a fault when the outline is broken.
 */
export async function* entriesOf(
  chunks: AsyncIterable<Buffer>,
  rowBytes: number,
): AsyncGenerator<Piece | RefusedRow> {
  const entry = new Collector(rowBytes);
  let [place, row, depth, inText, escaped] = ['start' as Place, 1, 0, false, false];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (place === 'inside') {
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inText = false;
        } else if (byte === QUOTE) inText = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
        else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && depth > 0) depth -= 1;
        else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
          entry.add(chunk.subarray(from, at), true);
          yield { row, bytes: entry.take() };
          row += 1;
          place = byte === COMMA ? 'after' : 'end';
        }
      } else if (isSpace(byte) || (place === 'start' && (byte === 0xef || byte === 0xbb || byte === 0xbf)))
        continue;
      else if (place === 'start' && byte === OPEN_LIST) place = 'before';
      else if (place === 'before' && byte === CLOSE_LIST) place = 'end';
      else if ((place === 'before' || place === 'after') && byte !== COMMA && byte !== CLOSE_LIST) {
        [place, depth, inText, from] = [
          'inside',
          byte === OPEN_OBJECT || byte === OPEN_LIST ? 1 : 0,
          byte === QUOTE,
          at,
        ];
      } else {
        yield {
          row,
          fault: place === 'end' ? 'something follows the end of the list' : 'an entry is missing here',
        };
        return;
      }
    }
    if (place === 'inside') entry.add(chunk.subarray(from), false);
    if (entry.isHopeless) return yield { row, bytes: null };
  }
  if (place !== 'end') yield { row, fault: 'the list is not ended; the file was cut off' };
}
