import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { writeAdapter } from '../../support/adapter-folder.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { findings } from './findings.ts';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** Files as they come on a drive, brought in, tried, backed up and looked after through the window alone. */
describe.skipIf(noChromium !== null)('bringing files to the lab', () => {
  const drive = mkdtempSync(join(tmpdir(), 'anchor-drive-'));
  let window: OpenWindow;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  beforeAll(async () => {
    mkdirSync(join(drive, 'model'));
    cpSync(join(APPLICATION, 'resources/models/policy'), join(drive, 'model'), { recursive: true });
    writeFileSync(join(drive, 'model/LICENSE'), 'The licence of the model.');
    writeFileSync(join(drive, 'weights.gguf'), Buffer.from([0x80, 2, 0x7d, 0x71, 0]));
    window = await openWindow({ place: '/library' });
    ({ page } = window);
  });
  afterAll(async () => {
    await window?.close();
    rmSync(drive, { recursive: true, force: true });
  });

  const look = async (path: string): Promise<void> => {
    await window.go('/library/import');
    await page.getByLabel('Path of a folder or file').fill(path);
    await button('Look').click();
  };

  it('a pickle under another name is refused with the reason', async () => {
    await look(join(drive, 'weights.gguf'));
    await page.getByText(/is a pickle file, whatever it is called/).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('a model is looked at, copied with progress, listed with its licence, and test-loaded', async () => {
    await look(join(drive, 'model'));
    await page.getByRole('heading', { name: 'A model: policy, trained' }).waitFor();
    await page.getByLabel('Name in the library').fill('carried');
    await button('Import').click();
    await page.getByRole('button', { name: 'carried', exact: true }).click();
    await page.getByText('LICENSE').waitFor();
    expect(existsSync(join(window.labFolder, 'models/carried/model.safetensors'))).toBe(true);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('t');
    await page.getByText(/tokens a second over \d+ tokens/).waitFor({ timeout: 100_000 });
    expect(window.engine.store.getModel('carried')?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('an adapter becomes a policy with its base, and a GGUF by itself', async () => {
    const ended = async (name: string): Promise<void> => {
      await page.getByLabel('Name in the library').fill(name);
      await button('Make the policy').click();
      await page.getByRole('button', { name, exact: true }).waitFor({ timeout: 100_000 });
      expect(existsSync(join(window.labFolder, 'models', name, 'model.safetensors'))).toBe(true);
    };
    await writeAdapter(join(drive, 'adapter'));
    await look(join(drive, 'adapter'));
    await page.getByRole('heading', { name: 'An adapter (PEFT)' }).waitFor();
    await page.getByText('lab/tiny').waitFor();
    expect(await button('Make the policy').isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Its base' }).click();
    await page.getByRole('option', { name: 'embedded-policy', exact: true }).click();
    expect(await findings(page)).toEqual([]);
    await ended('with-adapter');
    await look(join(APPLICATION, 'resources/models/supervisor/supervisor.f16.gguf'));
    await page.getByLabel('Make a policy of it, to train it').check();
    expect(await findings(page)).toEqual([]);
    await ended('of-a-gguf');
  });

  it('folders can be browsed where the engine sees them, and lead nowhere else', async () => {
    await window.go('/library/import');
    await page.getByRole('heading', { name: 'Browse' }).waitFor();
    expect(await page.getByRole('button', { name: 'Home', exact: true }).count()).toBe(1);
    await window.go('/library/import?folder=/etc');
    await page.getByText(/not below your home/).waitFor();
  });

  it('a manifest tells which carried file is not whole', async () => {
    writeFileSync(join(drive, 'SHA256SUMS'), `${'0'.repeat(64)}  weights.gguf\n`);
    await window.go('/library/bring');
    await page.getByLabel('Path of SHA256SUMS').fill(join(drive, 'SHA256SUMS'));
    await button('Check the manifest').click();
    await page.getByText('1 file is not as the manifest says, of 1.').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('the database is backed up, the copy is checked, and restored into a new lab', async () => {
    await window.go('/settings?section=backup');
    await button('Back up now').click();
    await page.getByRole('table', { name: 'Backups of this lab' }).waitFor();
    await button('Check').click();
    await page.getByText(/is sound: every page was read/).waitFor();
    await button('Restore…').click();
    await page.getByLabel('New lab folder').fill(join(drive, 'restored'));
    await button('Restore').last().click();
    await page.getByText(/^Written to .*restored/).waitFor();
    expect(existsSync(join(drive, 'restored/lab.sqlite'))).toBe(true);
    expect(existsSync(join(drive, 'restored/models/carried/config.json'))).toBe(true);
    await page.getByLabel('New folder for a whole copy of the lab').fill(join(drive, 'whole'));
    await button('Copy the lab').click();
    await page.getByText(`Written to ${join(drive, 'whole')}`).waitFor();
    await page.getByLabel('Back up by itself').selectOption('every week');
    await page.getByLabel('Of these, keep').fill('5');
    await button('Remove…').click();
    await button('Remove the backup').click();
    await page.getByText('There is no backup yet.').waitFor();
    await page.reload();
    await page.getByText('There is no backup yet.').waitFor();
    expect(await page.getByLabel('Back up by itself').inputValue()).toBe('168');
    expect(await page.getByLabel('Of these, keep').inputValue()).toBe('5');
    expect(await findings(page)).toEqual([]);
  });

  it('the air gap counts on while somebody watches it', async () => {
    await window.go('/settings?section=airgap');
    const looks = async (): Promise<number> =>
      Number.parseInt(await page.getByText(/\d looks?, one every \d+ s/).innerText(), 10);
    const first = await looks();
    await expect.poll(looks, { timeout: 30_000 }).toBeGreaterThan(first);
  });

  it('evidence is written where it is said, and the appearance chosen stays with the lab', async () => {
    await window.go('/settings');
    await button('Export evidence').click();
    const written = await page.getByText(/^Written to /).innerText();
    expect(existsSync(written.replace('Written to ', ''))).toBe(true);
    await window.go('/settings?section=appearance');
    await page.getByText('Dark', { exact: true }).click();
    await page.waitForFunction(() => document.documentElement.dataset['mantineColorScheme'] === 'dark');
    for (const [choice, attribute] of [
      ['Larger', 'textSize'],
      ['Reduced', 'motion'],
    ] as const) {
      await page.getByText(choice, { exact: true }).click();
      await page.waitForFunction(
        (name) => !['normal', 'system'].includes(document.documentElement.dataset[name] ?? 'normal'),
        attribute,
      );
    }
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset['textSize'] === 'larger');
    expect(window.complaints).toEqual([]);
  });

  it('the check of every part runs for real and says what works', { tags: ['full'] }, async () => {
    await window.go('/settings?section=hardware');
    await button('Check every part').click();
    await page.getByText(/All \d+ parts work|parts? needs? something/).waitFor({ timeout: 100_000 });
    expect(await page.getByRole('row').count()).toBeGreaterThan(5);
    expect(await findings(page)).toEqual([]);
  });
});
