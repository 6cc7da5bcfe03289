import { memo, useMemo, useState } from 'react';
import {
  chunks,
  CHUNK_CHARACTERS,
  quotedSpan,
  spanPieces,
  visiblePieces,
  visibleString,
  type Piece,
  type Span,
  useTranslate,
  type Translate,
} from '../i18n/index.ts';
import { Button, Group } from './mantine.ts';
import { Quiet } from './values.tsx';

type TextBlockProps = {
  text: string;
  /** prose wraps as sentences do; code keeps its columns. */
  look: 'prose' | 'code';
  /** Read by a screen reader before the text. */
  label?: string;
  /** Marked where they stand in the text, the first place of each at or behind `quotesFrom`. */
  quotes?: readonly string[];
  quotesFrom?: number;
};

const NO_QUOTES: readonly string[] = [];
/** Parts shown at once: some 24,000 characters, far more than any answer of a healthy run. */
const FIRST_PARTS = 6;
const MORE_PARTS = 16;
/** Marks in one part above which they are written into the text: elements by the thousand stall the page. */
const MOST_MARKS = 200;

/**
 * Text of an agent, which is data and never markup: it becomes text nodes only. Characters that would act instead of showing are
 * shown as what they are, and a text of a megabyte is laid out part by part, as far as somebody asks for it.
 */
export function TextBlock({ text, look, label, quotes = NO_QUOTES, quotesFrom = 0 }: TextBlockProps) {
  const t = useTranslate();
  const [parts, setParts] = useState(FIRST_PARTS);
  const spans = useMemo(
    () =>
      quotes
        .flatMap((quote) => quotedSpan(text, quote, quotesFrom) ?? [])
        .sort((left, right) => left.from - right.from),
    [text, quotes, quotesFrom],
  );
  const { shown, left } = chunks(text, parts);
  return (
    <div
      className="ui-text"
      data-look={look}
      role={label === undefined ? undefined : 'group'}
      aria-label={label}
      dir="ltr"
    >
      {shown.map((chunk, index) => (
        <Part
          key={index}
          text={chunk.text}
          from={chunk.from}
          spans={spans}
          goesOn={chunk.isCut ? t('common.text.goesOn') : null}
        />
      ))}
      {left > 0 && (
        <Group gap="sm" mt={6}>
          <Button variant="default" size="compact-sm" onClick={() => setParts(parts + MORE_PARTS)}>
            {t('common.text.more', { n: sizeText(Math.min(left, MORE_PARTS * CHUNK_CHARACTERS)) })}
          </Button>
          <Quiet size="xs">{t('common.text.left', { n: sizeText(left) })}</Quiet>
        </Group>
      )}
    </div>
  );
}

/** Characters, in thousands once there are many. */
const sizeText = (characters: number): string =>
  characters < 10_000
    ? characters.toLocaleString('en')
    : `${Math.round(characters / 1000).toLocaleString('en')}k`;

type PartProps = { text: string; from: number; spans: readonly Span[]; goesOn: string | null };

const Part = memo(function Part({ text, from, spans, goesOn }: PartProps) {
  return (
    <pre className="ui-text-part">
      {spanPieces(text, from, spans).map((piece, index) =>
        piece.isMarked ? (
          <mark key={index} className="ui-text-quoted">
            <Visible text={piece.text} />
          </mark>
        ) : (
          <Visible key={index} text={piece.text} />
        ),
      )}
      {goesOn !== null && (
        <span className="ui-text-goes-on" title={goesOn} role="img" aria-label={goesOn}>
          ↩
        </span>
      )}
    </pre>
  );
});

/** Text in which nothing acts on what is around it. */
function Visible({ text }: { text: string }) {
  const t = useTranslate();
  const pieces = visiblePieces(text);
  return pieces.length > 2 * MOST_MARKS
    ? visibleString(text)
    : pieces.map((piece, index) =>
        piece.kind === 'plain' ? piece.text : <Mark key={index} piece={piece} t={t} />,
      );
}

function Mark({
  piece: { effect, codes, count },
  t,
}: {
  piece: Extract<Piece, { kind: 'mark' }>;
  t: Translate;
}) {
  const words = t(`common.text.${effect}`, { n: count, codes });
  return (
    <span className="ui-text-mark" title={words} role="img" aria-label={words}>
      {count > 1 ? `${codes} ×${count}` : codes}
    </span>
  );
}
