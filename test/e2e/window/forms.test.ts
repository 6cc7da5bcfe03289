import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findings } from './findings.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

describe.skipIf(noChromium !== null)('forms of an empty lab', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-forms-'));
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openWindow({ place: '/new?at=training' });
  }, 120_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('tell what only the engine knows to be wrong at the field that it concerns', async () => {
    const { page } = window;
    const field = page.getByLabel('Tokens per prompt', { exact: true });
    await field.fill('100000');
    await page.locator('.plan-field', { has: field }).getByText('have only the').waitFor();
    expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
    await field.fill('96');
    await page.getByText('have only the').waitFor({ state: 'detached' });
  }, 60_000);

  it('make a plan that asks a person where the room Review offers one, and say when nothing would be asked', async () => {
    const { page } = window;
    await window.go('/reviews');
    await page.getByRole('button', { name: 'Make a run that asks you' }).click();
    const person = page.getByLabel('A person answers a share of the reviews');
    await person.waitFor();
    expect(await person.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Off', exact: true }).click();
    await page.getByText('so nobody would be asked').waitFor();
    await person.uncheck();
    await page.reload();
    await person.waitFor();
    expect(await person.isChecked()).toBe(false);
  }, 60_000);

  it('look for test sets in folders a person may see, take in all of them, and the library knows of them', async () => {
    const { page } = window;
    const folder = join(scratch, 'two sets');
    mkdirSync(folder);
    for (const year of ['24', '25'])
      writeFileSync(
        join(folder, `aime${year}.jsonl`),
        [60, 61]
          .map((id) => ({
            id,
            problem: `What is has_close_elements_of_${id} + ${year}?`,
            solution: '',
            answer: '3',
            url: '',
          }))
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      );
    await window.go('/evaluations?tab=datasets');
    await page.getByRole('button', { name: 'Browse…' }).click();
    await page.getByRole('heading', { name: 'Browse' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take this folder' }).waitFor();
    await window.go('/evaluations?tab=datasets&folder=/etc');
    await page.getByText(/not below your home/).waitFor();
    // A home of its own, so that the page has a folder to walk through.
    vi.stubEnv('HOME', scratch);
    await window.go('/evaluations?tab=datasets&folder=');
    await page.reload();
    await page.getByRole('button', { name: 'Browse…' }).click();
    const entry = (name: string) => page.locator('.ui-folder').getByRole('button', { name });
    await entry('two sets/').click();
    await entry('aime24.jsonl').click();
    await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
    const path = page.locator('.evaluations-drop').getByRole('textbox');
    expect(await path.inputValue()).toBe(join(folder, 'aime24.jsonl'));
    await page.getByRole('button', { name: 'Browse…' }).click();
    await entry('two sets/').click();
    await entry('aime24.jsonl').waitFor();
    await page.getByRole('button', { name: 'Take this folder' }).click();
    await vi.waitFor(async () => expect(await path.inputValue()).toBe(folder));
    vi.unstubAllEnvs();
    const importAll = page.getByRole('button', { name: 'Import all 2' });
    await importAll.waitFor();
    expect(await brokenWords(page)).toEqual({ words: 28, broken: [] });
    await importAll.click();
    await page.getByText('2 of 2 imported.').waitFor();
    await window.go('/library?tab=datasets');
    const sets = page.getByRole('table', { name: 'Test sets for evaluations' });
    expect(await sets.getByRole('row').count()).toBe(3);
    await page.getByRole('tab', { name: '2 data sets' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await sets.getByRole('button').first().click();
    await page.getByRole('table', { name: 'Sets of this lab' }).waitFor();
    // At the side there is least room for it.
    await page.getByRole('region', { name: 'First rows' }).waitFor();
    expect(await brokenWords(page)).toEqual({ words: 14, broken: [] });
  }, 60_000);
});

/** Words of previews, and those that stand on two lines; a tested word fits a column. */
const brokenWords = (page: Page): Promise<{ words: number; broken: string[] }> =>
  page.locator('.evaluations-preview td').evaluateAll((cells) => {
    const words = cells.flatMap((cell) =>
      [...(cell.textContent ?? '').matchAll(/\S+/g)].map(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(cell.firstChild as Node, index);
        range.setEnd(cell.firstChild as Node, index + word.length);
        return { word, lines: new Set([...range.getClientRects()].map(({ top }) => top)).size };
      }),
    );
    return { words: words.length, broken: words.filter(({ lines }) => lines > 1).map(({ word }) => word) };
  });
