import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEVIATIONS, having, METRICS, PAGE, pageText, valueOf } from './deviations.ts';

describe('docs/deviations.md', () => {
  it('is what the schema, the presets and their sources say (else: node test/structure/deviations.ts)', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(pageText());
  });

  it('names metrics that the loop stores', () => {
    const folder = join(import.meta.dirname, '../../electron/evolution');
    const source = globSync('{loop,code-tasks}/*.ts', { cwd: folder })
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const named = METRICS.flatMap(({ here }) => here.map((name) => name.split('/').at(-1) ?? ''));
    expect(named.filter((name) => !new RegExp(`\\b${name}`).test(source))).toEqual([]);
  });

  it.each(
    DEVIATIONS.flatMap(({ what, key, values }) =>
      Object.values(values).map((value): [string, string, unknown] => [what, key, value]),
    ),
  )('%s: %s takes %j', (_what, key, value) => {
    expect(valueOf(having(key, value), key)).toEqual(value);
  });
});
