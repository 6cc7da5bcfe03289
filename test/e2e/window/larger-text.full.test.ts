// @module-tag full
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutOff, cutOffWhenLarger, keptSmall, lowWhenLarger, outOfSightWhenLarger } from './clipping.ts';
import { noChromium, openSampleWindow, type OpenWindow } from './open-window.ts';
import { PLACES_OF_SAMPLE } from './places.ts';

describe.skipIf(noChromium !== null)('text that a person made larger, in a window of 1280 by 720', () => {
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openSampleWindow({ size: { width: 1280, height: 720 }, place: '/settings' });
  }, 120_000);
  afterAll(() => window?.close());

  it.each(PLACES_OF_SAMPLE.map(({ name, at }) => [name, at]))(
    '%s: nothing is cut off, lies outside of the window or on something else',
    async (_, at) => {
      await window.go(at);
      expect(await cutOffWhenLarger(window.page)).toEqual([]);
      expect(await keptSmall(window.page)).toEqual([]);
    },
    120_000,
  );

  it('keeps both curves of the demo and both answers to its question in sight', async () => {
    await window.go('/demo');
    await window.page.locator('.demo-answer blockquote').nth(1).waitFor();
    const shown = '.demo-curves .fig, .demo-answer blockquote';
    expect(await outOfSightWhenLarger(window.page, shown, '.demo-body')).toEqual([]);
    // Of a curve, what lies between its axes.
    expect(await lowWhenLarger(window.page, '.demo-curves .u-over', 56)).toEqual([]);
  }, 60_000);

  it.each([
    [
      'a text that its box hides',
      '<div style="width: 40px; overflow: hidden; white-space: nowrap"><p>much longer than that</p></div>',
      /is cut off by \d+ px at the right/,
    ],
    [
      'a text below the foot of its box',
      '<div style="height: 8px; overflow: hidden"><p style="margin: 0">two<br>lines</p></div>',
      /is cut off by \d+ px at its foot/,
    ],
    [
      'a button outside of the window',
      '<button style="position: fixed; right: -60px">Go on</button>',
      /outside of the window/,
    ],
    [
      'texts on each other',
      '<p style="margin: 0">first</p><p style="margin: -1.1em 0 0">second</p>',
      /lie on each other/,
    ],
    [
      'a title that is seen by scrolling sideways',
      '<div style="width: 40px; overflow: auto; white-space: nowrap"><h2>much longer than that</h2></div>',
      /only by scrolling \d+ px sideways/,
    ],
    [
      'a table that hides its bar',
      '<div style="width: 40px; overflow: auto; scrollbar-width: none"><table><td>muchlongerthanthat</table></div>',
      /only by scrolling \d+ px sideways/,
    ],
    [
      'a control on a text',
      '<div style="position: relative">text<button style="position: absolute; left: 0; top: 0">Go on</button></div>',
      /lie on each other/,
    ],
    [
      'a label that its figure hides',
      '<svg width="40" height="20"><text x="10" y="12">longer than that</text></svg>',
      /is cut off by \d+ px at an edge of its figure/,
    ],
    [
      'a choice that is too low for its text',
      '<select style="appearance: none; height: 16px; line-height: 30px"><option>First</option></select>',
      /is \d+ px lower than its text/,
    ],
    ['a page that is too long', '<div style="height: 2000px">text</div>', /px too high/],
  ])(
    'finds %s',
    async (_, body, said) => {
      const page = await window.context.newPage();
      try {
        await page.setContent(`<!doctype html><title>x</title>${body}`);
        expect((await cutOff(page)).join('\n')).toMatch(said);
        await page.setContent(
          '<!doctype html><title>x</title><p style="width: 60px; overflow: auto">Nothing is wrong with it.</p>' +
            '<div style="width: 40px; overflow: auto"><table><td>muchlongerthanthat</table></div>',
        );
        expect(await cutOff(page)).toEqual([]);
      } finally {
        await page.close();
      }
    },
    60_000,
  );
});
