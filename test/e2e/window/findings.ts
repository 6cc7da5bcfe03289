import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { painted, settled } from './open-window.ts';

/** Injected by the test driver, which the page's policy does not hold back. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All rules of axe, or only the one whose answer depends on the theme. */
export type Rules = 'all' | 'contrast';

/** The same place in the other theme, as when the machine turns to night: what axe finds by contrast, the one rule of a theme. */
export async function findingsInTheDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await shows(page, 'dark');
  const found = await findings(page, 'contrast');
  await page.emulateMedia({ colorScheme: 'light' });
  await shows(page, 'light');
  return found;
}

async function shows(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.documentElement.dataset['mantineColorScheme'] === wanted,
    theme,
  );
  await settled(page);
}

/** What axe finds on the page as it is now, one line each, and how far it scrolls sideways. */
export async function findings(page: Page, rules: Rules = 'all'): Promise<string[]> {
  await painted(page);
  // Read once for a document, which stays the same from place to place: reading it would be a third of the work.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (only) =>
      (
        globalThis as unknown as { axe: { run: (context: Document, options: object) => Promise<AxeResults> } }
      ).axe.run(document, { resultTypes: ['violations'], ...only }),
    rules === 'all' ? {} : { runOnly: ['color-contrast'] },
  );
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return [
    ...violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(
        (node) =>
          `${id} (${impact ?? 'unrated'}): ${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`,
      ),
    ),
    ...(sideways > 0 ? [`scrolls ${sideways} px sideways`] : []),
  ];
}
