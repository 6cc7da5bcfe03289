export {
  english,
  useTranslate,
  MessagesProvider,
  type MessageId,
  type MessageValues,
  type Translate,
} from './catalogue.tsx';
export { glossary, type GlossaryId } from './shared.ts';
