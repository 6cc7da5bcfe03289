// @module-tag full
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkByKeys, walkEnlarged } from './keyboard-walk.ts';
import { noChromium, openSampleWindow, type OpenWindow } from './open-window.ts';
import { PLACES_OF_SAMPLE } from './places.ts';

/** Every page of every room, and of those with parts, every part. */
const PLACES: readonly (readonly [string, string])[] = [
  ...PLACES_OF_SAMPLE.map(({ name, at }) => [name, at] as const),
  ...['base', 'training', 'evaluation', 'review'].map((at) => [`new-run-${at}`, `/new?at=${at}`] as const),
  ...['gate', 'leak', 'yours'].map((stop) => [`tour-${stop}`, `/tour?stop=${stop}`] as const),
];

describe.skipIf(noChromium !== null)('by keys alone, with a text of 150 % in a window of 1280 by 720', () => {
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openSampleWindow({ size: { width: 1280, height: 720 }, place: '/settings' });
  }, 120_000);
  afterAll(() => window?.close());

  it.each(PLACES)(
    '%s: every control is reached in the order of reading, seen with the focus and not cut off',
    async (_, at) => {
      await window.go(at);
      expect(await walkEnlarged(window.page)).toEqual([]);
    },
    180_000,
  );

  it.each([
    [
      'a control that Tab passes over',
      '<button>First</button><button onfocus="this.nextElementSibling.focus()">Second</button><button>Third</button>',
      /is not reached/,
    ],
    [
      'a focus that cannot be seen',
      '<style>* { outline: none }</style><button>Go</button>',
      /looks the same/,
    ],
    [
      'a control under another',
      '<button>Go</button><div style="position: fixed; inset: 0; background: white"></div>',
      /is covered by/,
    ],
    [
      'a control that its box cuts off',
      '<div style="width: 30px; overflow: clip; white-space: nowrap"><button>Much longer than that</button></div>',
      /is cut off at its side/,
    ],
    [
      'an order against that of reading',
      '<div style="display: flex; flex-direction: column-reverse"><button>First</button><button>Second</button></div>',
      /but stands before it/,
    ],
  ])(
    'finds %s',
    async (_, body, said) => {
      const page = await window.context.newPage();
      try {
        await page.setContent(`<!doctype html><title>x</title>${body}`);
        expect((await walkByKeys(page)).join('\n')).toMatch(said);
        await page.setContent(
          '<!doctype html><title>x</title><p><button>First</button> <button>Second</button></p><p><input aria-label="Third"></p>',
        );
        expect(await walkByKeys(page)).toEqual([]);
      } finally {
        await page.close();
      }
    },
    60_000,
  );
});
