import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

describe.skipIf(noChromium !== null)('forms of an empty lab', () => {
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openWindow({ place: '/new?at=training' });
  }, 120_000);
  afterAll(() => window?.close());

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
});
