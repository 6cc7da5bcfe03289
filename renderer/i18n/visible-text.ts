/** A stretch of text as it can be shown, or characters that would act instead of showing: as their code points. */
export type Piece =
  | { kind: 'plain'; text: string }
  | { kind: 'mark'; effect: Effect; codes: string; count: number };

/** What such characters do to text around them. */
type Effect = 'control' | 'direction' | 'invisible' | 'broken';

// C0 except tab and line feed, DEL, C1; direction controls; zero-width, soft hyphen, fillers, line and paragraph separators, tags; lone surrogates.
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+|(?:\u034f|\u17b4|\u17b5|[\u00ad\u115f\u1160\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}])+|\p{Surrogate}+/gu;

/** Codes of a run that are written out; a longer one says how many there are. */
const MOST_CODES = 4;

function effectOf(code: number): Effect {
  if (code >= 0xd800 && code <= 0xdfff) return 'broken';
  if (code <= 0x1f || (code >= 0x7f && code <= 0x9f)) return 'control';
  return code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
    ? 'direction'
    : 'invisible';
}

const codeText = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Text in which nothing acts on what is around it: control, direction and invisible characters become marks. Zero-width joiners
 * inside emoji are marked too: what an agent wrote should be seen, not guessed.
 */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(ACTING)) {
    if (index > from) pieces.push({ kind: 'plain', text: text.slice(from, index) });
    const codes = Array.from(run, (character) => character.codePointAt(0) as number);
    pieces.push({
      kind: 'mark',
      effect: effectOf(codes[0] as number),
      codes: codes.slice(0, MOST_CODES).map(codeText).join(' '),
      count: codes.length,
    });
    from = index + run.length;
  }
  if (from < text.length) pieces.push({ kind: 'plain', text: text.slice(from) });
  return pieces;
}

/** The same as one string, for lists and for texts so full of marks that elements for them would stall the page. */
export function visibleString(text: string): string {
  return visiblePieces(text)
    .map((piece) =>
      piece.kind === 'plain'
        ? piece.text
        : `⟦${piece.codes}${piece.count > MOST_CODES ? ` ×${piece.count}` : ''}⟧`,
    )
    .join('');
}

/** A part of a long text that begins at `from`; `isCut` when its last line goes on in the next part. */
type Chunk = { text: string; from: number; isCut: boolean };

/** Characters of a part: laid out in about a millisecond. */
export const CHUNK_CHARACTERS = 4000;

/** The first `most` parts of a text and how many characters are left. Parts end at line ends where they can. */
export function chunks(text: string, most: number): { shown: Chunk[]; left: number } {
  const shown: Chunk[] = [];
  let from = 0;
  while (from < text.length && shown.length < most) {
    let end = Math.min(text.length, from + CHUNK_CHARACTERS);
    let isCut = false;
    if (end < text.length) {
      const lineEnd = text.lastIndexOf('\n', end - 1);
      if (lineEnd > from + CHUNK_CHARACTERS / 2) end = lineEnd + 1;
      else isCut = text[end - 1] !== '\n';
      if (isCut && /[\ud800-\udbff]/.test(text[end - 1] as string)) end -= 1;
    }
    // The element around a part ends its last line already.
    const part = text.slice(from, end);
    shown.push({ text: end < text.length && !isCut ? part.slice(0, -1) : part, from, isCut });
    from = end;
  }
  return { shown, left: text.length - from };
}

/** A stretch of a text, from a character up to another. */
export type Span = { from: number; to: number };

/** Characters that a pattern would not take as they are. */
const ACTIVE = /[\\^$.*+?()[\]{}|]/g;

/** Where a quotation stands in a text, whatever spaces and line ends lie between its words; null where it does not. */
export function quotedSpan(text: string, quote: string, begin = 0): Span | null {
  const words = quote.trim().split(/\s+/);
  if (words[0] === '') return null;
  const found = new RegExp(words.map((word) => word.replace(ACTIVE, '\\$&')).join('\\s+'), 'u').exec(
    text.slice(begin),
  );
  return found === null ? null : { from: begin + found.index, to: begin + found.index + found[0].length };
}

/** A part of a text cut where spans begin and end. The spans are in the order of the text, and the part begins at `from`. */
export function spanPieces(
  text: string,
  from: number,
  spans: readonly Span[],
): { text: string; isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = [];
  let at = 0;
  const add = (to: number, isMarked: boolean): void => {
    if (to > at) pieces.push({ text: text.slice(at, to), isMarked });
    at = Math.max(at, to);
  };
  for (const span of spans) {
    add(Math.min(text.length, span.from - from), false);
    add(Math.min(text.length, span.to - from), true);
  }
  add(text.length, false);
  return pieces;
}
