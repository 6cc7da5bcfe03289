import { asciiDigits } from '../../core/index.ts';

/** One way of reading a feedback; `how` is named in a finding. */
export type View = { how: string; text: string };

const INVISIBLE = /[\p{Cf}\p{Cc}\p{Me}\ufe00-\ufe0f]/gu;
const printable = (text: string): boolean => text.length > 0 && !/[^\t\n\x20-\x7e]/.test(text);

/**
 * NFKC without invisible characters (newlines become spaces) and with the digits of every script as 0 to 9: what remains is what a reader
 * or a tokenizer sees.
 */
export const visibleText = (text: string): string =>
  asciiDigits(
    text
      .normalize('NFKC')
      .replace(/[\n\r\t]/g, ' ')
      .replace(INVISIBLE, ''),
  );

/**
 * The feedback as written, backwards, and decoded, with all that is found of one coding in one text. Seven characters are the shortest
 * stretch taken for base64 without its padding: shorter words are English far more often.
 */
export function viewsOf(feedback: string): View[] {
  const plain = visibleText(feedback);
  const views = [
    { how: 'plain', text: plain },
    { how: 'reversed', text: [...plain].toReversed().join('') },
    { how: 'rot13', text: rot13(plain) },
    { how: 'escapes', text: unescaped(plain) },
    ...DECODERS.map(([how, ...coding]) => {
      const text = decoded(plain, coding);
      // What is coded twice is nearly always coded twice the same way.
      return { how, text: text === '' ? '' : `${text} ; ${decoded(text, coding)}` };
    }),
  ];
  return views.filter(
    ({ text }, index) => text !== '' && views.findIndex((view) => view.text === text) === index,
  );
}

const decoded = (text: string, [stretch, decode]: Coding): string =>
  [...text.matchAll(stretch)]
    .map(([found]) => decode(found))
    .filter((found) => found.trim() !== '')
    .join(' ; ');

const ofBytes = (bytes: Buffer, least = 1): string => {
  // A word like "be" before the stretch may have been taken along; it decodes to something unprintable.
  const text = bytes
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
  return text.length >= least ? text : '';
};
const whole = (bytes: Buffer): string => {
  const text = bytes.toString('latin1');
  return printable(text) ? text : '';
};

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

const numbersIn = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);

/** "." and "-" of the letters A to Z and the digits. */
const MORSE = new Map(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'
    .split(' ')
    .map((code, index) => [code, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'[index]!]),
);
/** A full stop at the end may be a dot of the last letter or the sentence's own. */
function fromMorse(text: string): string {
  const signs = text.replace(/[–—−_]/g, '-').replace(/[·•∙]/g, '.');
  const read = (code: string): string =>
    code
      .split(/ *[/|] *| {2,}/)
      .map((word) =>
        word
          .split(' ')
          .map((letter) => MORSE.get(letter) ?? ' ')
          .join(''),
      )
      .join(' ');
  return signs.endsWith('.') ? `${read(signs)} ; ${read(signs.slice(0, -1))}` : read(signs);
}

const ALPHABET =
  /\b(?:alpha|alfa|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliet|juliett|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiskey|whisky|x-?ray|yankee|zulu)\b/gi;

const SPACED = String.raw`(?:[ ,:;|/-]{1,2})`;
type Coding = [RegExp, (stretch: string) => string];
/** What a stretch of a coding looks like, and its text; '' when it is something else after all. */
const DECODERS: readonly (readonly [string, ...Coding])[] = [
  [
    'base64',
    /[A-Za-z0-9+/_-]{7,}={0,2}|(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{2,6}={1,2}/g,
    (text) => whole(Buffer.from(text.replace(/-/g, '+').replace(/_/g, '/'), 'base64')),
  ],
  [
    'base32',
    /(?<![A-Z0-9])[A-Z2-7]{4,}(?:=+|(?![A-Z0-9]))/g,
    (text) => whole(fromBase32(text.replace(/=+$/, ''))),
  ],
  [
    'hex',
    /(?<![\p{L}\p{N}])(?:(?:0x)?[0-9a-f]{4,}|(?:(?:0x)?[0-9a-f]{2}[ :,-]{1,2})+(?:0x)?[0-9a-f]{2})(?![\p{L}\p{N}])/giu,
    (text) => ofBytes(Buffer.from(text.replace(/0x|[^0-9a-f]/gi, ''), 'hex'), 2),
  ],
  [
    'binary',
    /(?<![\p{L}\p{N}])[01]{7,8}(?:[ ,]?[01]{7,8})*(?![\p{L}\p{N}])/gu,
    (text) =>
      ofBytes(
        Buffer.from(
          (/[ ,]/.test(text) ? text.split(/[ ,]/) : (text.match(/.{8}/g) ?? [])).map((byte) =>
            Number.parseInt(byte, 2),
          ),
        ),
      ),
  ],
  [
    'character codes',
    new RegExp(
      String.raw`(?<![\p{L}\p{N}.])(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])(?:${SPACED}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6]))+(?![\p{L}\p{N}])`,
      'gu',
    ),
    (text) => String.fromCharCode(...numbersIn(text)),
  ],
  [
    'letters by number',
    new RegExp(
      String.raw`(?<![\p{L}\p{N}.])(?:\d|1\d|2[0-6])(?:${SPACED}(?:[1-9]|1\d|2[0-6])(?!\d))+(?![\p{L}\p{N}])`,
      'gu',
    ),
    (text) =>
      numbersIn(text)
        .map((place) => (place > 0 ? String.fromCharCode(64 + place) : ' '))
        .join(''),
  ],
  ['morse', /(?<![^\s"'(`:])[.\-–—−_·•∙]{1,6}(?:[ /|]{1,3}[.\-–—−_·•∙]{1,6})*(?![^\s"')`.,;])/g, fromMorse],
  [
    'spelling alphabet',
    new RegExp(`${ALPHABET.source}(?:[\\s,-]+${ALPHABET.source})+`, 'gi'),
    (text) => (text.match(ALPHABET) ?? []).map((word) => word[0]!.toUpperCase()).join(''),
  ],
];

const rot13 = (text: string): string => shifted(text, 13);

/** Letters moved along the alphabet. */
export const shifted = (text: string, by: number): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const start = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(start + ((letter.charCodeAt(0) - start + by) % 26));
  });

/** `\u0034`, `\x34`, `U+0034`, `&#52;`, `&#x34;`, `%34` and `chr(52)` as the characters they stand for. */
function unescaped(text: string): string {
  const character = (code: number): string =>
    code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  return text
    .replace(
      /\\u([0-9a-f]{4})|\\u\{([0-9a-f]{2,6})\}|\\x([0-9a-f]{2})|U\+([0-9a-f]{4,6})[ ,]?|&#x([0-9a-f]{2,6});?|%([0-9a-f]{2})/gi,
      (_, ...codes: string[]) => character(Number.parseInt(codes.slice(0, 6).find(Boolean)!, 16)),
    )
    .replace(/(?:&#|chr\()(\d{2,6})(?:;|\)(?:\s*\+\s*)?)/gi, (_, code: string) => character(Number(code)))
    .replace(/\\([0-7]{2,3})/g, (_, octal: string) => character(Number.parseInt(octal, 8)));
}

/** Encodings of a short secret that decoding stretches would miss; at least four characters, or they would match by chance. */
export function encodedForms(secret: string): View[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    { how: 'base64', text: bytes.toString('base64').replace(/=+$/, '') },
    { how: 'hex', text: bytes.toString('hex') },
  ].filter(({ text }) => text.length >= 4);
}

const WORD = /[\p{L}\p{N}]/u;

/** Whether `part` stands in a text with no letter or digit beside it. */
export function standsAlone(text: string, part: string, caseless = false): boolean {
  const [where, what] = caseless ? [text.toLowerCase(), part.toLowerCase()] : [text, part];
  const isEdge = (at: number): boolean => !WORD.test(where[at] ?? ' ');
  let at = what === '' ? -1 : where.indexOf(what);
  while (at >= 0 && !(isEdge(at - 1) && isEdge(at + what.length))) at = where.indexOf(what, at + 1);
  return at >= 0;
}
