import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../../electron/store/index.ts';
import { damageIndex } from '../../electron/store/support/damage-index.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow } from './open-window.ts';

describe.skipIf(noChromium !== null)('a lab that is damaged', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-damaged-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('is shown with what can be read of it, and says what cannot', async () => {
    const made = await copyPreparedLab(join(scratch, 'lab'));
    const file = join(made.folder, DATABASE_FILE);
    const bytes = damageIndex(file);
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
    } finally {
      await window.close();
    }
    expect(readFileSync(file).equals(bytes)).toBe(true);
  }, 240_000);
});
