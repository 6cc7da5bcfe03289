import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PRESETS } from '../../electron/evolution/index.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/models.md'), 'utf8');

/** A probability for all phases is written as that number. */
function written(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return JSON.stringify(parts.length > 1 && new Set(parts).size === 1 ? parts[0] : value);
}

it.each(['small-real', 'workstation-lora'] as const)(
  'The page of models gives every value of the preset %s with its reason, and no other',
  (preset) => {
    const { name: _, preset: __, steps, ...sections } = PRESETS[preset];
    const set = Object.entries(sections).flatMap(([section, values]) =>
      Object.entries(values).map(([key, value]) => `${section}.${key}: ${written(value)}`),
    );
    const [, table = ''] = page.split(`## The preset \`${preset}\``);
    const rows = (table.split('\n## ')[0] as string).split('\n').filter((line) => line.startsWith('| `'));
    const stated = rows.flatMap((row) => {
      const [, values = '', why = ''] = row.split('|');
      expect(why.trim().length, row).toBeGreaterThan(15);
      return [...values.matchAll(/`([^`]+)`/g)].map(([, value]) => value);
    });
    expect(stated.toSorted()).toEqual([`steps: ${steps}`, ...set].toSorted());
  },
);
