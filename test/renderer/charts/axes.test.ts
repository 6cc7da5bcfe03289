import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timeTicks } from '../../../electron/figures/index.ts';
import { english } from '../../../renderer/i18n/catalogue.tsx';
import { choiceOf, CURVE_IDS } from '../../../renderer/rooms/live/model/curve-choices.ts';
import { sourceFiles } from '../../structure/room-rule.ts';

const RENDERER = join(import.meta.dirname, '../../../renderer');

describe('a curve', () => {
  it('says in every room what its y axis measures and what its x axis counts', () => {
    const curves = sourceFiles(RENDERER)
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) =>
        [...readFileSync(join(RENDERER, file), 'utf8').matchAll(/<Curve(?=\s)([^]*?)\/>/g)].map(
          ([, properties]) => ({ file, properties: properties as string }),
        ),
      );
    expect(curves.length).toBeGreaterThan(5);
    // In words of the catalogue, of which none is empty.
    expect(
      curves.filter(
        ({ properties }) => !/\byLabel=\{t\(/.test(properties) || !/\bxLabel=\{t\(/.test(properties),
      ),
    ).toEqual([]);
    const units = Object.entries(english).filter(([id]) => id.startsWith('figure.unit.'));
    expect(units.filter(([, text]) => typeof text !== 'string' || text.trim() === '')).toEqual([]);
  });

  it('of a share is measured in percent, and of no other', () => {
    const percents = CURVE_IDS.filter((id) => choiceOf(id).format(0.5).endsWith(' %'));
    expect(CURVE_IDS.filter((id) => choiceOf(id).unit === 'figure.unit.share')).toEqual(percents);
    expect(percents).toContain('scores');
  });
});

describe('an axis of time', () => {
  it.each<[number, number, string[]]>([
    [0.35, 4, ['0 s', '0.1 s', '0.2 s', '0.3 s']],
    [40, 1, ['0 s', '30 s']],
    [130, 4, ['0 s', '30 s', '1 min', '1 min 30 s', '2 min']],
    [5400, 3, ['0 s', '30 min', '1 h', '1 h 30 min']],
    [900_000, 2, ['0 s', '6 d']],
    [1, 3, ['0 s', '0.5 s', '1 s']],
  ])('to %d s with %d marks is divided as a clock is', (most, count, texts) => {
    expect(timeTicks(most, count).map(({ text }) => text)).toEqual(texts);
  });
});
