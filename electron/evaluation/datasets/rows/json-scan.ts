const [QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
const MOST_LEVELS = 200;

export type JsonScan = {
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
