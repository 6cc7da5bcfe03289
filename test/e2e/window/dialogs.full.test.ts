// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../electron/engine/index.ts';
import { probedInFull } from '../../renderer/ui/made-probe.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { cutOffWhenLarger } from './clipping.ts';
import { DIALOGS, type Dialog, type EvaluatedLab } from './dialogs.ts';
import { findings, findingsInTheDark } from './findings.ts';
import { noChromium, openWindow, painted, settled, type OpenWindow } from './open-window.ts';

useWarmTrainer();

/** What the focus does after a key press, it does within two frames; a busy machine gets this long. */
const SOON = { timeout: 5_000 };
/** No dialog has so many places for the focus: a walk that is longer goes round in circles. */
const MOST_PRESSES = 200;

describe.skipIf(noChromium !== null)('every dialog of the window by keyboard alone', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-dialogs-'));
  let lab: EvaluatedLab;
  let window: OpenWindow;
  beforeAll(async () => {
    const made = await copyPreparedLab(join(scratch, 'lab'));
    window = await openWindow({ labFolder: made.folder, place: '/runs' });
    lab = { ...made, evaluation: await evaluated(window.engine, made.supervised) };
    probedJudge(window.engine);
    window.page.setDefaultTimeout(10_000);
  }, 400_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each(DIALOGS.map((dialog) => [dialog.name, dialog] as const))(
    '%s: is opened, walked and closed, and the focus goes back to what opened it',
    async (_, dialog) => {
      const { page } = window;
      await window.go(dialog.at(lab));
      await page.reload(); // nothing is left of the dialog before, not even of one that did not close
      await page.locator('#content').waitFor();
      await settled(page);
      await dialog.before?.(page);
      const opener = page.locator('#content').getByRole('button', { name: dialog.opener }).first();
      await opener.waitFor();
      const box = await open(page, opener, dialog);
      expect((await findings(page)).filter((found) => !isOfMenu(found, dialog))).toEqual([]);
      expect(await findingsInTheDark(page)).toEqual([]);
      for (const key of dialog.is === 'menu' ? ['ArrowDown', 'ArrowUp'] : ['Tab', 'Shift+Tab'])
        expect(await notReached(page, box, key, dialog), `by ${key}`).toEqual([]);
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'hidden' });
      await expect
        .poll(() => opener.evaluate((button) => document.activeElement === button), SOON)
        .toBe(true);
    },
    60_000,
  );

  it('the figures of a judge are shown whole at a larger text', async () => {
    const { page } = window;
    await window.go('/new?at=supervision');
    await settled(page);
    await page.getByRole('button', { name: 'All figures' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await cutOffWhenLarger(page)).toEqual([]);
    await page.keyboard.press('Escape');
  }, 60_000);

  async function open(page: Page, opener: Locator, { is, keys = ['Enter'] }: Dialog): Promise<Locator> {
    await opener.focus();
    for (const key of keys) {
      await page.keyboard.press(key);
      await painted(page);
    }
    const box = page.getByRole(is).last();
    await box.waitFor();
    await expect.poll(() => hasFocus(box), SOON).toBe(true);
    return box;
  }

  /** Presses a key until the focus is where it was before, and never outside of the box. @returns the controls in it that never had it. */
  async function notReached(page: Page, box: Locator, key: string, { is }: Dialog): Promise<string[]> {
    const mark = key.replace(/\W/g, '').toLowerCase();
    for (let press = 1; press <= MOST_PRESSES; press += 1) {
      await page.keyboard.press(key);
      expect(await hasFocus(box), `${key} keeps the focus inside, ${press} times`).toBe(true);
      const seen = await page.evaluate((name) => {
        const focused = document.activeElement as HTMLElement;
        const before = focused.dataset[name] !== undefined;
        focused.dataset[name] = '';
        return before;
      }, mark);
      if (seen) break;
    }
    return box.evaluate(
      (element, [name, itsControls]) =>
        [...element.querySelectorAll<HTMLElement>(itsControls)]
          .filter((control) => control.checkVisibility() && control.dataset[name] === undefined)
          // Of a group of choices Tab reaches the chosen one, and arrow keys the others.
          .filter((control) => !(control instanceof HTMLInputElement && control.type === 'radio'))
          .map((control) => `${control.tagName} ${control.ariaLabel ?? control.textContent}`),
      [
        mark,
        is === 'menu'
          ? '[role^="menuitem"]:not(:disabled)'
          : ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled, [tabindex="-1"])',
      ] as const,
    );
  }

  /**
   * What opens lies beside the page's landmarks. axe lets dialogs do so and not menus, for which nothing else is asked of them: the
   * focus is in it for as long as it is there.
   */
  const isOfMenu = (found: string, { is }: Dialog): boolean => is === 'menu' && found.startsWith('region (');

  /** Some answers of the weights that a run began with. @returns the evaluation. */
  async function evaluated(engine: Engine, runId: string): Promise<string> {
    await engine.withEvaluator(1, (evaluate) =>
      evaluate({
        policy: { runId, step: 0 },
        suites: ['toy-refusal'],
        limit: 2,
        seed: 1,
        contexts: [null],
      }),
    );
    return engine.store.listStoredEvaluations()[0]!.id;
  }

  /** The embedded supervisor as one that was probed. */
  function probedJudge({ store }: Engine): void {
    const { plan, results } = probedInFull();
    const { name, sha256 } = store
      .listModels()
      .find(({ kind, embedded }) => embedded && kind === 'supervisor')!;
    const { id } = store.beginJudgeProbe(name, { ...plan, modelSha256: sha256 });
    store.finishJudgeProbe(id, results!);
  }

  const hasFocus = (box: Locator): Promise<boolean> =>
    box.evaluate((element) => element.contains(document.activeElement));
});
