const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/gs;

/**
 * JSON text on one line that every reader takes. Text cut in the middle of a character holds half a surrogate pair, which JSON can
 * carry as an escape but UTF-8 cannot: strict parsers refuse the whole file over it. Each becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Whole pairs are written as they are, so an escaped surrogate is always half of one. Escapes are read in order, for "\\ud800" is a backslash.
  return json.includes('\\ud')
    ? json.replace(ESCAPE, (escape) => (/^\\ud[89a-f]/.test(escape) ? '\\ufffd' : escape))
    : json;
}
