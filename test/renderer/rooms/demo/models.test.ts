import { createIntl } from 'react-intl';
import { describe, expect, it } from 'vitest';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import { nameOfDemo } from '../../../../renderer/rooms/demo/model.ts';

const intl = createIntl({ locale: 'en', messages: english });
const t: Translate = (id, values) => intl.formatMessage({ id }, values);

describe('a demo of the lab', () => {
  it.each([
    ['rzero', 3, '27 Nov 2026, 19:32 · R-Zero, 3 steps'],
    ['azr', 1, '27 Nov 2026, 19:32 · AZR, 1 step'],
  ] as const)(
    'of %s is called by when it was started, its framework and its steps',
    (framework, steps, name) => {
      expect(nameOfDemo(t, { createdAt: '2026-11-27T19:32:47', framework, steps })).toBe(name);
    },
  );
});
