import { createIntl } from 'react-intl';
import { describe, expect, it } from 'vitest';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import { lineSentence } from '../../../../renderer/rooms/demo/parts/why.tsx';

const intl = createIntl({ locale: 'en', messages: english });
const t: Translate = (id, values) => intl.formatMessage({ id }, values);

describe('a line before an answer that parted', () => {
  it.each([
    [9, 'The answers part at step 9, while it stood there.'],
    [12, 'The answers part at step 12, after the weights were trained under it.'],
  ])('is said to have stood at step %i or before it', (apartAt, words) => {
    const line = { firstContext: 2, lastContext: 9 };
    expect(lineSentence(t, line, apartAt)).toBe(`In the context from step 2 to step 9. ${words}`);
  });
});
