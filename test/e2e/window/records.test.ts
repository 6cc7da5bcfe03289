import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLab } from '../../../electron/store/index.ts';
import { fillRun } from '../../electron/store/support/in-lab.ts';
import { steadyClock } from '../../electron/store/support/make-records.ts';
import { findings } from './findings.ts';
import { noChromium, noticed, openWindow, settled, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const STEPS = 40;
const PER_STEP = 24;
const RECORDS = '/runs/a/records';

/** A person reads the records of a run of 960 records. */
describe.skipIf(noChromium !== null)('the records of a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-records-'));
  let window: OpenWindow;
  let page: Page;
  beforeAll(async () => {
    const lab = await openLab(folder, { now: steadyClock() });
    fillRun(lab, 'a', STEPS, PER_STEP);
    lab.close();
    window = await openWindow({ labFolder: folder, place: RECORDS });
    ({ page } = window);
  });
  afterAll(async () => {
    await window?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (search = ''): Promise<void> => {
    await window.go(`${RECORDS}${search}`);
    await page.locator('.records-row').first().waitFor();
  };
  const shownCount = (count: number): Promise<void> =>
    page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${count} records$`) })
      .waitFor();
  const link = (record: string): string => `?record=${encodeURIComponent(record)}`;
  const shown = (id: string): Promise<void> => page.getByRole('heading', { name: id, exact: true }).waitFor();
  /** The row the list calls active, and whether it is in view. */
  const active = () =>
    page.evaluate(() => {
      const list = document.querySelector('[role="listbox"]') as HTMLElement;
      const row = document.getElementById(list.getAttribute('aria-activedescendant') ?? '');
      if (row === null) return null;
      const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
      return {
        place: Number(row.getAttribute('aria-posinset')),
        inView: inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1,
      };
    });

  it('begin with the first, beside its reviews', async () => {
    await open();
    await shown('1/gen_code_i/0');
    await page.getByText('The plan of item 0 skips a step.').waitFor();
    await shownCount(STEPS * PER_STEP);
    expect(await active()).toEqual({ place: 1, inView: true });
  });

  it('keep the tabs of the run where its other views have them', async () => {
    const place = async (): Promise<unknown> => {
      const tabs = page.getByRole('navigation', { name: 'Views of this run' });
      await tabs.waitFor();
      return tabs.boundingBox();
    };
    await open();
    const here = await place();
    const elsewhere: unknown[] = [];
    for (const view of ['/runs/a?tab=live', '/runs/a?tab=tasks', '/runs/a/context', '/runs/a?tab=overview']) {
      await window.go(view);
      elsewhere.push(await place());
    }
    expect(here).toMatchObject({ width: expect.any(Number) });
    expect(elsewhere).toEqual(elsewhere.map(() => here));
  });

  it('far down the list are there at once from a link, with the list around them', async () => {
    await open(link('33/pred_code_f/11'));
    await shown('33/pred_code_f/11');
    await page.waitForFunction(() =>
      document.querySelector('[role="listbox"]')?.hasAttribute('aria-activedescendant'),
    );
    expect(await active()).toEqual({ place: 32 * PER_STEP + 12, inView: true });
    expect(await findings(page)).toEqual([]);
  });

  it('are moved through by keys pressed faster than the page follows, without losing one', async () => {
    await open();
    await shown('1/gen_code_i/0');
    for (let press = 0; press < 30; press += 1) await page.keyboard.press('j');
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('k');
    await page.waitForFunction(
      () =>
        document.querySelector('[role="option"][aria-selected="true"]')?.getAttribute('aria-posinset') ===
        '27',
    );
    await shown('2/gen_code_f/2');
    expect(page.url()).toContain(encodeURIComponent('2/gen_code_f/2'));
  });

  it('lead to the same item of the next step, to the next phase, and to nothing but the record', async () => {
    await open(link('5/pred_code_i/3'));
    await shown('5/pred_code_i/3');
    await page.keyboard.press(']');
    await shown('6/pred_code_i/3');
    await page.keyboard.press('[');
    await shown('5/pred_code_i/3');
    await page.keyboard.press('.');
    await page.waitForURL(/phase=task/);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.querySelector('[role="listbox"]') === null);
    await page.keyboard.press('f');
    await page.getByRole('listbox').waitFor();
  });

  it('can be narrowed by facets whose counts are true, and widened again', async () => {
    await open();
    const { total } = window.engine.store.rolloutFacets('a', { outcome: 'failed', phase: 'plan' });
    await page
      .getByRole('group', { name: 'Outcome' })
      .getByRole('button', { name: /^failed/ })
      .click();
    await page.getByRole('group', { name: 'Phase reviewed' }).getByRole('button', { name: /^plan/ }).click();
    await shownCount(total);
    await settled(page);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await shownCount(STEPS * PER_STEP);
  });

  it('say when nothing matches, and how to lift what is in the way', async () => {
    await window.go(`${RECORDS}?batch=pred_memory`);
    await page.getByText('No record matches').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.locator('.records-row').first().waitFor();
  });

  it('are found by words, with what was found marked', async () => {
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('"step 7 of item 3"');
    await page.getByText('1 record found, newest first').waitFor();
    expect(await page.locator('.records-match').first().textContent()).toBe('step 7 of item 3');
    await shown('7/pred_code_i/3');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await shownCount(STEPS * PER_STEP);
  });

  it('can be filtered under a name that is kept in the lab', async () => {
    await open('?decision=retry');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByLabel('Name of this filter').fill('to look at');
    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.getByRole('button', { name: 'Use saved filter to look at' }).waitFor();
    expect(window.engine.store.getSetting('app.records.filters')).toEqual([
      { name: 'to look at', filter: { decision: 'retry' }, text: '' },
    ]);
    await page.keyboard.press('Escape');
    await open();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('button', { name: 'Use saved filter to look at' }).click();
    await page.waitForURL(/decision=retry/);
  });

  it('can be saved as a file of the lab', async () => {
    await open(link('2/pred_code_i/3'));
    await shown('2/pred_code_i/3');
    await page.getByRole('button', { name: 'Actions on this record' }).click();
    await page.getByRole('menuitem', { name: 'Save this record as JSON' }).click();
    await noticed(page, /^Saved as/);
    const [name = ''] = readdirSync(join(folder, 'exports'));
    const saved = JSON.parse(readFileSync(join(folder, 'exports', name), 'utf8')) as {
      rollout: { id: string };
      reviews: unknown[];
    };
    expect([name, saved.rollout.id, saved.reviews.length]).toEqual([
      'a-2-pred_code_i-3.json',
      '2/pred_code_i/3',
      2,
    ]);
  });

  it('show which lines of the next step’s context they brought', async () => {
    await open(link('4/gen_code_i/0'));
    await shown('4/gen_code_i/0');
    await page.keyboard.press('c');
    await page.getByText('Trace every step before the answer.').waitFor();
    await page.getByText('caused or renewed by task of this record').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.goBack();
    await page.getByText('caused or renewed by task of this record').waitFor({ state: 'detached' });
    await shown('4/gen_code_i/0');
  });

  it('that do not exist are said not to exist', async () => {
    await window.go(`${RECORDS}${link('99/pred_code_o/1')}`);
    await page.getByText('There is no record 99/pred_code_o/1 in this run.').waitFor();
    await window.go('/runs/none/records');
    await page.getByText('There is no such run').first().waitFor();
    expect(window.complaints.filter((complaint) => !complaint.includes('412'))).toEqual([]);
  });
});

describe.skipIf(noChromium !== null)('the records of a run, in the dark', () => {
  it('keep their contrast', { tags: ['full'] }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anchor-records-'));
    const lab = await openLab(folder, { now: steadyClock() });
    fillRun(lab, 'a', 3, PER_STEP);
    lab.close();
    const window = await openWindow({
      labFolder: folder,
      theme: 'dark',
      place: `${RECORDS}?record=${encodeURIComponent('2/gen_code_i/0')}`,
    });
    try {
      await window.page.locator('.records-review').first().waitFor();
      expect(await findings(window.page)).toEqual([]);
    } finally {
      await window.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
