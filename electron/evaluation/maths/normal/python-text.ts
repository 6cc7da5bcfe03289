/** Python's str.strip(): its white space, which is not quite that of String.trim. */
export const pythonStrip = (text: string): string =>
  text.replace(/^[\s\u0085\u001c-\u001f]+|[\s\u0085\u001c-\u001f]+$/gu, '');

/** Python's str.replace of every occurrence, one pair after the other. */
export function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((current, [from, to]) => current.replaceAll(from, () => to), text);
}
