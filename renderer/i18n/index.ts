export {
  english,
  useTranslate,
  MessagesProvider,
  type MessageId,
  type MessageValues,
  type Translate,
} from './catalogue.tsx';
export { glossary, type GlossaryId } from './shared.ts';
export {
  chunks,
  CHUNK_CHARACTERS,
  quotedSpan,
  spanPieces,
  visiblePieces,
  visibleString,
  type Piece,
  type Span,
} from './visible-text.ts';
