import { parseSync, Visitor } from 'oxc-parser';

/** Attributes a person reads or hears. */
const SPOKEN = new Set([
  'aria-label',
  'aria-description',
  'title',
  'label',
  'placeholder',
  'alt',
  'description',
  'nothingFoundMessage',
  'text',
  'confirm',
  'closeButtonLabel',
]);

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);

/** Texts that stand in a component instead of the catalogue: between tags, or as the value of an attribute that is read or heard. */
export function bareWords(file: string, source: string): string[] {
  const found: string[] = [];
  const note = (text: string): void => {
    if (hasWord(text)) found.push(`${file}: ${text.trim()}`);
  };
  new Visitor({
    JSXText: ({ value }) => note(value),
    JSXAttribute: ({ name, value }) => {
      if (name.type !== 'JSXIdentifier' || !SPOKEN.has(name.name) || value === null) return;
      if (value.type === 'Literal' && typeof value.value === 'string') note(value.value);
      if (
        value.type === 'JSXExpressionContainer' &&
        value.expression.type === 'Literal' &&
        typeof value.expression.value === 'string'
      )
        note(value.expression.value);
    },
  }).visit(parseSync(file, source).program);
  return found;
}
