// @module-tag full
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noChromium, openSampleWindow, settled, type OpenWindow } from './open-window.ts';
import { findings } from './findings.ts';

/** The recorded sample: real runs and their evaluations, which the verifier reads in half a minute. */
describe.skipIf(noChromium !== null)('Verify in the window', { timeout: 600_000 }, () => {
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openSampleWindow({ place: '/runs' });
    window.page.setDefaultTimeout(120_000);
  }, 300_000);
  afterAll(() => window?.close());

  it('computes a run of the sample again from its Overview, and tells every rule', async () => {
    const { page } = window;
    await window.go('/runs/sample-alone?tab=overview');
    const card = page.getByRole('region', { name: 'Computed again' });
    await card.getByRole('button', { name: 'Verify' }).click();
    await card
      .getByRole('status')
      .filter({ hasText: /^demo: alone: [\d,]+ values computed again in \d+ s, none differs\.$/ })
      .waitFor();
    const rules = card.getByRole('table', { name: 'Rules, demo: alone' });
    expect(await rules.getByRole('row').count()).toBeGreaterThan(20);
    await card.getByRole('button', { name: 'Verify again' }).waitFor();
    await settled(page);
    expect(await findings(page)).toEqual([]);
  });

  it('computes one evaluation again from above its answers', async () => {
    const { page } = window;
    const [first] = window.engine.sample.store!.listStoredEvaluations({});
    await window.go(`/evaluations?tab=items&evaluation=${encodeURIComponent(first!.id)}`);
    await page.getByRole('button', { name: 'Verify…' }).click();
    const panel = page.getByRole('dialog', { name: 'Verify…' });
    await panel.getByRole('button', { name: 'Verify' }).click();
    await panel
      .getByRole('status')
      .filter({ hasText: /computed again in \d+ s, none differs\.$/ })
      .waitFor();
    expect(await panel.getByRole('table').getByText('evaluations.scores').count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(window.complaints).toEqual([]);
  });
});
