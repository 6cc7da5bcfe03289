import { describe, expect, it } from 'vitest';
import {
  CHUNK_CHARACTERS,
  chunks,
  quotedSpan,
  spanPieces,
  visiblePieces,
  visibleString,
} from '../../../renderer/i18n/visible-text.ts';

const marks = (text: string) =>
  visiblePieces(text).flatMap((piece) =>
    piece.kind === 'mark' ? [[piece.effect, piece.codes, piece.count]] : [],
  );

describe('text of an agent', () => {
  it('stays as it is where every character only shows', () => {
    const text = 'def f(x):\n\treturn "naïve 数 😀 e\u0301"  # ok';
    expect(visiblePieces(text)).toEqual([{ kind: 'plain', text }]);
  });

  it.each([
    ['a\u202eb', 'direction', 'U+202E'],
    ['\u2066x', 'direction', 'U+2066'],
    ['\u0000', 'control', 'U+0000'],
    ['\u001b[31m', 'control', 'U+001B'],
    ['a\rb', 'control', 'U+000D'],
    ['\u009b', 'control', 'U+009B'],
    ['pass\u200bword', 'invisible', 'U+200B'],
    ['\ufeffx', 'invisible', 'U+FEFF'],
    ['x\u00ady', 'invisible', 'U+00AD'],
    ['\u{e0041}', 'invisible', 'U+E0041'],
    ['\u2028', 'invisible', 'U+2028'],
    ['\ud800x', 'broken', 'U+D800'],
  ])('shows %j by its code', (text, effect, code) => expect(marks(text)).toEqual([[effect, code, 1]]));

  it('counts a run of such characters instead of repeating it', () => {
    expect(marks('\u0000'.repeat(1000))).toEqual([['control', 'U+0000 U+0000 U+0000 U+0000', 1000]]);
    expect(visibleString('a\u202e\u0007b')).toBe('a⟦U+202E⟧⟦U+0007⟧b');
  });

  it('loses no character: what is shown and what is marked add up to it', () => {
    const text = 'a\u0000\u0001b\u200b\u200c\u202ec\ud800';
    const total = visiblePieces(text).reduce(
      (sum, piece) => sum + (piece.kind === 'plain' ? piece.text.length : piece.count),
      0,
    );
    expect(total).toBe(text.length);
  });
});

describe('a long text', () => {
  it('is cut at line ends, and nothing is lost', () => {
    const text = Array.from({ length: 2000 }, (_, line) => `line ${line}`).join('\n');
    const { shown, left } = chunks(text, 1000);
    expect(left).toBe(0);
    expect(shown.every(({ isCut }) => !isCut)).toBe(true);
    expect(shown.map((part) => part.text).join('\n')).toBe(text);
  });

  it('of one line is cut inside it and says so, never inside a character', () => {
    const text = `x${'😀'.repeat(CHUNK_CHARACTERS)}`;
    const { shown } = chunks(text, 1000);
    expect(shown.slice(0, -1).every(({ isCut }) => isCut)).toBe(true);
    expect(shown.every((part) => part.text.isWellFormed())).toBe(true);
    expect(shown.map((part) => part.text).join('')).toBe(text);
  });

  it('shows no more parts than were asked for and tells what is left', () => {
    const { shown, left } = chunks('y'.repeat(CHUNK_CHARACTERS * 10), 3);
    expect([shown.length, left]).toEqual([3, CHUNK_CHARACTERS * 7]);
    expect(chunks('', 3)).toEqual({ shown: [], left: 0 });
  });

  it('keeps a line end at its very end', () => {
    expect(chunks('a\nb\n', 3).shown).toEqual([{ text: 'a\nb\n', from: 0, isCut: false }]);
  });
});

describe('a quotation', () => {
  const found = (text: string, quote: string, begin?: number): string | null => {
    const span = quotedSpan(text, quote, begin);
    return span === null ? null : text.slice(span.from, span.to);
  };

  it('is found across line ends and indents, with all its characters as they are', () => {
    expect(found('def f(x):\n    return x * 2', 'f(x): return x * 2')).toBe('f(x):\n    return x * 2');
    expect(found('a.b axb', 'a.b')).toBe('a.b');
    expect(found('axb', 'a.b')).toBeNull();
    expect(found('x [1] {2} | ^$', '[1] {2} | ^$')).toBe('[1] {2} | ^$');
    expect(found('anything', ' ')).toBeNull();
  });

  it('is looked for behind a place', () => {
    expect(quotedSpan('ab ab', 'ab', 1)).toEqual({ from: 3, to: 5 });
    expect(quotedSpan('ab', 'ab', 1)).toBeNull();
  });

  it('is marked in each part of a text that it reaches into, and no character is lost', () => {
    const text = 'one two three four';
    const spans = [
      { from: 4, to: 13 },
      { from: 8, to: 10 },
    ];
    const pieces = (from: number, to: number) => spanPieces(text.slice(from, to), from, spans);
    expect(pieces(0, 8)).toEqual([
      { text: 'one ', isMarked: false },
      { text: 'two ', isMarked: true },
    ]);
    expect(pieces(8, 18)).toEqual([
      { text: 'three', isMarked: true },
      { text: ' four', isMarked: false },
    ]);
    expect(pieces(14, 18)).toEqual([{ text: 'four', isMarked: false }]);
    expect(pieces(0, 3)).toEqual([{ text: 'one', isMarked: false }]);
  });
});
