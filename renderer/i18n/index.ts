export { english, type Catalogue, type MessageId, type MessageValues } from './catalogue.ts';
export { useTranslate, MessagesProvider, type Translate } from './messages.tsx';
export { glossary, type GlossaryId } from './glossary.ts';
