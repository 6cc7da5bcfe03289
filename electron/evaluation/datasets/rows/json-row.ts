import { isUtf8 } from 'node:buffer';
import { scanJson } from './json-scan.ts';
import type { Dialect, ReadRow } from './row.ts';

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
