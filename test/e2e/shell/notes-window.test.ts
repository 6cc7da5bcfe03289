/** The desktop's second window: the presenter's notes, beside the real shell's main window. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnchorBridge } from '../../../electron/contract/index.ts';
import { noChromium, Stage } from './labs.ts';
import type { OpenShell } from './open-shell.ts';
import { until } from './page-verbs.ts';

if (noChromium !== null)
  process.stderr.write(`skipped: the notes beside the shell's window: ${noChromium}\n`);

type World = { anchor: AnchorBridge; open(url: string): unknown; location: { href: string; hash: string } };

const WITHIN_MS = 30_000;

describe.skipIf(noChromium !== null)("the presenter's notes on the desktop", () => {
  const stage = new Stage();
  let shell: OpenShell;
  let notes: Page;
  beforeAll(async () => {
    shell = await stage.open();
    await shell.page.evaluate(() => {
      (globalThis as unknown as World).location.hash = '#/demo?present=true';
    });
  }, 180_000);
  afterAll(() => stage.clear(), 60_000);

  const press = (): Promise<void> => shell.page.getByRole('button', { name: 'Notes', exact: true }).click();
  const shows = (text: string): Promise<void> => notes.getByText(text, { exact: false }).waitFor();

  it('open in a window of their own, and follow what is presented', async () => {
    [notes] = await Promise.all([shell.page.context().waitForEvent('page'), press()]);
    await until(
      () => shell.windows(),
      ({ length }) => length === 2,
      WITHIN_MS,
    );
    await notes.getByRole('heading', { name: 'Presenter notes' }).waitFor();
    await shows('Next: Why.');
    await shell.page.keyboard.press('ArrowRight');
    await shows('Next: What if.');
    expect(await notes.getByRole('navigation').count()).toBe(0);
  }, 90_000);

  it('have the rights of the main window and not one more', async () => {
    const [main, second] = await shell.windows();
    expect(second?.url).toBe('app://anchor/#/demo/notes');
    expect(second?.preferences).toEqual(main?.preferences);
    expect((await shell.record()).warnings).toEqual([]);
  });

  it('are in one window: pressed again, it comes to the front', async () => {
    await press();
    const windows = await until(
      () => shell.windows(),
      ([, second]) => second?.focused === true,
      WITHIN_MS,
    );
    expect(windows).toHaveLength(2);
  });

  it('ask the shell for nothing, and would be refused', async () => {
    expect(shell.output()).not.toContain('refused a message');
    const asked = await notes.evaluate(() =>
      (globalThis as unknown as World).anchor.copyText('copied').then(
        () => 'copied',
        () => 'refused',
      ),
    );
    expect([asked, (await shell.record()).clipboard]).toEqual(['refused', []]);
    expect(shell.output()).toContain('refused a message on text:copy: not our window');
  });

  it.each<[string, (page: Page) => Promise<void>]>([
    [
      'window',
      (page) =>
        page.evaluate(() => {
          const world = globalThis as unknown as World;
          world.open(world.location.href);
        }),
    ],
    [
      'navigation',
      (page) =>
        page.evaluate(() => {
          (globalThis as unknown as World).location.href = 'https://example.invalid/away';
        }),
    ],
  ])('are kept to their page as the main window is: no other %s', async (what, attempt) => {
    const refusals = async (): Promise<number> =>
      (await shell.record()).refused.filter((refused) => refused.what === what).length;
    const before = await refusals();
    await attempt(notes);
    await until(refusals, (count) => count > before, WITHIN_MS);
    expect((await shell.windows()).map(({ url }) => url.split('?')[0])).toEqual([
      'app://anchor/#/demo',
      'app://anchor/#/demo/notes',
    ]);
  });

  it('can be closed and opened again', async () => {
    await notes.close();
    await until(
      () => shell.windows(),
      ({ length }) => length === 1,
      WITHIN_MS,
    );
    [notes] = await Promise.all([shell.page.context().waitForEvent('page'), press()]);
    await shows('Next: What if.');
  });

  it('go with the main window', async () => {
    await shell.deed('closeWindow');
    expect(await shell.ended).toBe(0);
  });
});
