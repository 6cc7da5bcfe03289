/** One way of reading a feedback; `how` is named in a finding. */
export type View = { how: string; text: string };

const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;
const printable = (text: string): boolean => text.length > 0 && !/[^\t\n\x20-\x7e]/.test(text);

/** NFKC without invisible characters (newlines become spaces): what remains is what a reader or a tokenizer sees. */
export const visibleText = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\n\r\t]/g, ' ')
    .replace(INVISIBLE, '');

/**
 * The feedback as written, backwards, and with every stretch decoded that is base64 or hexadecimal for printable text.
 * Seven characters are the shortest stretch decoded: shorter words are English far more often than base64.
 */
export function viewsOf(feedback: string): View[] {
  const plain = visibleText(feedback);
  const views: View[] = [
    { how: 'plain', text: plain },
    { how: 'reversed', text: [...plain].toReversed().join('') },
  ];
  for (const match of plain.matchAll(/[A-Za-z0-9+/_-]{7,}={0,2}/g)) {
    const decoded = Buffer.from(match[0].replace(/-/g, '+').replace(/_/g, '/'), 'base64').toString('latin1');
    if (printable(decoded)) views.push({ how: 'base64', text: decoded });
  }
  for (const match of plain.matchAll(
    /(?<![\p{L}\p{N}])(?:[0-9a-f]{6,}|(?:[0-9a-f]{2}[ :]){2,}[0-9a-f]{2})(?![\p{L}\p{N}])/giu,
  )) {
    // A word like "be" before the stretch may have been taken along; it decodes to something unprintable.
    const decoded = Buffer.from(match[0].replace(/[ :]/g, ''), 'hex')
      .toString('latin1')
      .replace(/[^\x20-\x7e]+/g, ' ')
      .trim();
    if (decoded.length >= 3) views.push({ how: 'hex', text: decoded });
  }
  return views;
}

/** Encodings of a short secret that decoding stretches would miss; at least four characters, or they would match by chance. */
export function encodedForms(secret: string): View[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    { how: 'base64', text: bytes.toString('base64').replace(/=+$/, '') },
    { how: 'hex', text: bytes.toString('hex') },
  ].filter(({ text }) => text.length >= 4);
}
