import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { damageIndex } from '../../electron/store/support/damage-index.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow } from './open-window.ts';

describe.skipIf(noChromium !== null)('a lab that is damaged', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-damaged-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('is shown with what can be read of it, says what cannot, and becomes a sound one', async () => {
    const made = await copyPreparedLab(join(scratch, 'lab'));
    const file = join(made.folder, DATABASE_FILE);
    const bytes = damageIndex(file);
    const salvaged = join(scratch, 'salvaged');
    const window = await openWindow({ labFolder: made.folder, place: '/runs' });
    try {
      const { page } = window;
      await page.getByText(/was damaged when its program ended unexpectedly/).waitFor();
      await page.getByText('alone, small').waitFor();
      await window.go(`/runs/${made.stopped}?tab=live`);
      const feed = page.getByRole('region', { name: 'Phase feed' });
      await feed
        .getByRole('alert')
        .getByText(/lab\.sqlite is damaged/)
        .waitFor();
      await feed.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await feed.getByText('Loading').count()).toBe(0);
      expect(await findings(page)).toEqual([]);

      await window.go('/settings?section=backup');
      const from = page.getByLabel(/^Backup: a name from the list/);
      await from.fill(made.folder);
      await page.getByLabel('New lab folder').fill(salvaged);
      await page.getByLabel(/^It is damaged: take over what can still be read/).check();
      await page.getByRole('button', { name: 'Restore', exact: true }).click();
      await page.getByText(/^Written to .*salvaged/).waitFor();
      expect(await findings(page)).toEqual([]);
    } finally {
      await window.close();
    }
    expect(readFileSync(file).equals(bytes)).toBe(true);
    // An index is made anew, so nothing is missing.
    const lab = await openLab(salvaged, { now: () => new Date() });
    expect(lab.checkIntegrity()).toEqual([]);
    expect(lab.listRuns().rows).toHaveLength(3);
    lab.close();
  }, 240_000);
});
