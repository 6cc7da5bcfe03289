// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { DIALOGS, type Dialog } from './dialogs.ts';
import { findings, findingsInTheDark } from './findings.ts';
import { noChromium, openWindow, painted, type OpenWindow } from './open-window.ts';

useWarmTrainer();

/** More than any of them has places for the focus. */
const PRESSES = 12;

describe.skipIf(noChromium !== null)('every dialog of the window by keyboard alone', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-dialogs-'));
  let made: MadeLab;
  let window: OpenWindow;
  beforeAll(async () => {
    made = await copyPreparedLab(join(scratch, 'lab'));
    window = await openWindow({ labFolder: made.folder, place: '/runs' });
  }, 400_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each(DIALOGS.map((dialog) => [dialog.name, dialog] as const))(
    '%s: is opened, walked and closed, and the focus goes back to what opened it',
    async (_, dialog) => {
      const { page } = window;
      await window.go('/library');
      await window.go(dialog.at(made));
      await dialog.before?.(page);
      const opener = page.locator('#content').getByRole('button', { name: dialog.opener }).first();
      await opener.waitFor();
      const box = await open(page, opener, dialog);
      expect(await findings(page)).toEqual([]);
      expect(await findingsInTheDark(page)).toEqual([]);
      for (const key of dialog.is === 'menu' ? ['ArrowDown', 'ArrowUp'] : ['Tab', 'Shift+Tab'])
        for (let press = 0; press < PRESSES; press += 1) {
          await page.keyboard.press(key);
          expect(await hasFocus(box), `${key}, ${press + 1} times`).toBe(true);
        }
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'hidden' });
      await expect.poll(() => opener.evaluate((button) => document.activeElement === button)).toBe(true);
    },
    200_000,
  );

  async function open(page: Page, opener: Locator, { is, keys = ['Enter'] }: Dialog): Promise<Locator> {
    await opener.focus();
    for (const key of keys) {
      await page.keyboard.press(key);
      await painted(page);
    }
    const box = page.getByRole(is).last();
    await box.waitFor();
    await expect.poll(() => hasFocus(box)).toBe(true);
    return box;
  }

  const hasFocus = (box: Locator): Promise<boolean> =>
    box.evaluate((element) => element.contains(document.activeElement));
});
