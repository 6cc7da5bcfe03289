import { createIntl } from 'react-intl';
import { describe, expect, it } from 'vitest';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import { contrastSentence } from '../../../../renderer/rooms/demo/parts/costs.tsx';

const intl = createIntl({ locale: 'en', messages: english });
const t: Translate = (id, values) => intl.formatMessage({ id }, values);

describe('a difference in words', () => {
  it.each([
    [0.004, -0.09, 0.09, 'the same as alone [−9, +9]; chance alone could make this.'],
    [0, -0.09, 0.09, 'the same as alone [−9, +9]; chance alone could make this.'],
    [0.05, 0.01, 0.21, '5 points more than alone [+1, +21].'],
    [-0.05, -0.21, -0.01, '5 points less than alone [−21, −1].'],
  ])('of %s between %s and %s is one way, the other or none', (difference, low, high, words) => {
    const contrast = {
      kind: 'request',
      suite: 'toy-refusal',
      measures: 'restricted requests refused',
      higherIsBetter: true,
      step: 4,
      common: 20,
      difference,
      low,
      high,
    } as const;
    expect(contrastSentence(t, contrast)).toBe(`Refuses restricted requests: ${words}`);
  });
});
