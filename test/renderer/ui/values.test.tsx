// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import {
  Bytes,
  bytesText,
  Duration,
  durationText,
  Num,
  numberText,
  Percent,
  percentText,
  When,
} from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

describe('texts of numbers', () => {
  it.each<[number, number, 'minus' | 'both', string]>([
    [-0.5, 2, 'minus', '−0.50'],
    [1234.5, 1, 'minus', '1,234.5'],
    [-0.0001, 2, 'minus', '0.00'],
    [0.04, 1, 'both', '0.0'],
    [2.5, 1, 'both', '+2.5'],
    [-2.5, 1, 'both', '−2.5'],
  ])('%s with %s digits and sign %s is "%s"', (value, digits, sign, text) =>
    expect(numberText(value, digits, sign)).toBe(text),
  );

  it.each<[number | null, string]>([
    [0.83, '0.8 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [12.4, '12 s'],
    [59.6, '1 min 00 s'],
    [200, '3 min 20 s'],
    [3599.6, '1 h 00 min'],
    [7500, '2 h 05 min'],
    [48 * 3600, '2 d 0 h'],
    [273_600, '3 d 4 h'],
    [null, '–'],
    [Number.NaN, '–'],
    [Infinity, '–'],
  ])('%s seconds are "%s"', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it.each<[number | null, string]>([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1536, '1.5 kB'],
    [528e6, '528 MB'],
    [41e9, '41.0 GB'],
    [5e15, '5000 TB'],
    [null, '–'],
  ])('%s bytes are "%s"', (bytes, text) => expect(bytesText(bytes)).toBe(text));

  it.each<[number | null, number | undefined, string]>([
    [0.1234, undefined, '12.3 %'],
    [1, 0, '100 %'],
    [0, undefined, '0.0 %'],
    [null, undefined, '–'],
    [Number.NaN, undefined, '–'],
  ])('the share %s with %s digits is "%s"', (share, digits, text) =>
    expect(percentText(share, digits)).toBe(text),
  );
});

describe('numbers on a screen', () => {
  it('have digits of one width, thousands apart, and their unit', () => {
    const { container } = show(
      <>
        <Num value={123456} unit="reviews" />
        <Percent value={0.5} />
        <Duration seconds={3} />
        <Bytes value={2e6} />
      </>,
    );
    expect([...container.querySelectorAll('.numbers')].map((each) => each.textContent)).toEqual([
      '123,456 reviews',
      '50.0 %',
      '3.0 s',
      '2.0 MB',
    ]);
  });

  it('of time stay on one line', () => {
    const { container } = show(<Duration seconds={105} />);
    expect(container.textContent).toBe('1 min 45 s');
    expect(container.querySelector<HTMLElement>('.numbers')?.style.whiteSpace).toBe('nowrap');
  });

  it('that are not known are a dash without a unit', () => {
    expect(show(<Num value={null} unit="s" />).container.textContent).toBe('–');
  });

  it('of time carry the exact moment for programs and pointers', () => {
    const time = show(<When iso="2026-11-20T10:15:00.000Z" />).container.querySelector('time');
    expect(time?.getAttribute('datetime')).toBe('2026-11-20T10:15:00.000Z');
    expect(time?.title).toContain('2026');
  });
});
