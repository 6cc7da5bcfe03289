import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEVIATIONS, having, PAGE, pageText, valueOf } from './deviations.ts';

describe('docs/deviations.md', () => {
  it('is what the schema, the presets and their sources say (else: node test/structure/deviations.ts)', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(pageText());
  });

  it.each(
    DEVIATIONS.flatMap(({ what, key, values }) =>
      Object.values(values).map((value): [string, string, unknown] => [what, key, value]),
    ),
  )('%s: %s takes %j', (_what, key, value) => {
    expect(valueOf(having(key, value), key)).toEqual(value);
  });
});
