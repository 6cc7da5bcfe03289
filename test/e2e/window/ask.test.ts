import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { findings } from './findings.ts';
import { walkByKeys } from './keyboard-walk.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();

describe.skipIf(noChromium !== null)('asking two checkpoints in the window', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-ask-'));
  let window: OpenWindow;
  beforeAll(async () => {
    const made = await copyPreparedLab(join(scratch, 'lab'));
    window = await openWindow({
      labFolder: made.folder,
      place: `/ask?left=${made.alone}@1&right=${made.supervised}@1`,
    });
  }, 400_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is done by keys alone: both answer, a token tells its alternatives, the question is kept, added and deleted', async () => {
    const { page, engine, complaints } = window;
    await page.getByText('Loaded: answers begin at once.').nth(1).waitFor({ timeout: 60_000 });
    const question = page.getByRole('textbox', { name: 'Question' });
    await question.focus();
    await page.keyboard.type('Can you clean the sealed key?');
    await page.keyboard.press('Enter');
    await page.getByText('ended by itself').nth(1).waitFor({ timeout: 30_000 });
    const [asked] = engine.store.listAsked(null, 5);
    const shown = await page.getByRole('listbox').allTextContents();
    expect(shown.map((text) => text.replace('∎', ''))).toEqual(asked!.answers.map(({ text }) => text));
    await page.getByRole('listbox').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(
      await page.getByRole('list', { name: 'The likeliest tokens here' }).getByRole('listitem').count(),
    ).toBe(5);
    expect(await findings(page)).toEqual([]);
    expect(await walkByKeys(page)).toEqual([]);

    await page.getByRole('button', { name: 'Add to a suite…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Added: My questions has 1 question.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Delete…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Questions and their answers are kept here.').waitFor();
    expect(engine.store.listAsked(null, 5)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('says beside the choice why a checkpoint cannot be asked', async () => {
    const { page } = window;
    const [run] = window.engine.store.allRuns();
    await window.go(`/ask?left=${run!.id}@77&right=`);
    await page.getByText(`Run "${run!.id}" has no checkpoint of step 77`, { exact: false }).first().waitFor();
    expect(await findings(page)).toEqual([]);
  }, 60_000);
});
