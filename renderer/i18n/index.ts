export { english, type Catalogue, type WordId, type WordValues } from './catalogue.ts';
export { useWords, WordsProvider, type Translate } from './words.tsx';
export { glossary, type GlossaryId } from './glossary.ts';
