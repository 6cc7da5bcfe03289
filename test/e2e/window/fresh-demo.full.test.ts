// @module-tag full
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { createRouter } from '../../../electron/engine/index.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** As few as show all: at the eighth step the two have parted in what they refuse. */
const STEPS = 10;
/** Questions of a suite; few are enough to walk through. */
const ITEMS = 20;

/** The four parts of the demo over two runs that are trained and asked here; nothing of it was recorded. */
describe.skipIf(noChromium !== null)('a demo that is made in an empty lab', () => {
  let window: OpenWindow;
  let page: Page;
  beforeAll(async () => {
    window = await openWindow({ theme: 'dark', place: '/runs' });
    ({ page } = window);
  });
  afterAll(() => window?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const answers = async (): Promise<string[]> => page.locator('.demo-answer blockquote').allInnerTexts();
  const share = async (track: string, name: string): Promise<number> =>
    Number.parseFloat(
      await page
        .getByRole('figure', { name: track })
        .getByRole('button', { name })
        .locator('.numbers')
        .innerText(),
    );

  it('draws its curves as it is trained, until both were asked at their end', async () => {
    const { demo } = createRouter(window.engine).createCaller({});
    const { alone, supervised, job } = await demo.start({ steps: STEPS, items: ITEMS });
    await window.go(`/demo?alone=${alone}&supervised=${supervised}`);
    await page.getByText('Only one of them has a supervisor.', { exact: false }).waitFor();
    await page.getByText(new RegExp(`supervised [1-9] of ${STEPS} steps$`)).waitFor({ timeout: 600_000 });
    await expect
      .poll(() => share('Refuses restricted requests', 'Alone'), { timeout: 600_000 })
      .toBeGreaterThan(-1);
    expect(await window.engine.jobs.ended(job.id)).toMatchObject({ state: 'done' });
    await page
      .getByText(`alone ${STEPS} and supervised ${STEPS} of ${STEPS} steps`, { exact: true })
      .waitFor();
    await expect
      .poll(async () => {
        const track = 'Refuses restricted requests';
        return (await share(track, 'Supervised')) - (await share(track, 'Alone'));
      })
      .toBeGreaterThan(20);
    expect(await findings(page)).toEqual([]);
  }, 1_800_000);

  it('gives the same answer to a question at its start, and another at a later step', async () => {
    const slider = page.getByRole('slider', { name: 'Step of the answers' });
    await slider.focus();
    await slider.press('Home');
    await expect.poll(async () => new Set(await answers()).size).toBe(1);
    // Which steps were asked at hangs on their number, and small runs waver: on the way the two have parted somewhere.
    await expect
      .poll(
        async () => {
          await slider.press('ArrowRight');
          return new Set(await answers()).size;
        },
        { interval: 300, timeout: 30_000 },
      )
      .toBe(2);
  });

  it('goes from the changed answer to the line that stood in the prompts, each a stored record', async () => {
    await button('Next: Why').click();
    for (const link of ['1. An answer changed', '3. The supervisor saw it', '5. Prompts carried it'])
      await page.getByRole('heading', { name: link }).waitFor();
    const [line, shown] = await page.locator('.demo-chain mark').allInnerTexts();
    expect(shown).toBe(`- ${line}`);
    const first = Number(
      /Prompts carried it\s+What stood in every prompt of step (\d+)/.exec(
        await page.locator('.demo-chain').innerText(),
      )?.[1],
    );
    const { supervised } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
    expect(window.engine.store.getContext(String(supervised), first)?.text).toContain(line);
    expect(await findings(page)).toEqual([]);
    await button('Open the record').first().click();
    await page.getByRole('heading', { name: /: supervised$/ }).waitFor();
    await page.goBack();
  });

  it('answers otherwise without its lines, and loses them with p', async () => {
    await button('Next: What if').click();
    await page.getByText(`With the lines, step ${STEPS}`).waitFor();
    expect(await answers()).toHaveLength(4);
    const slider = page.getByRole('slider', { name: 'Review probability p' });
    await page.getByText(/^(\d+) of \1 lines would have come in$/).waitFor();
    await slider.focus();
    await slider.press('Home');
    await page.getByText(/^0 of \d+ lines would have come in$/).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('says what it cost in its own figures', async () => {
    await button('Next: What it costs').click();
    await page.getByText(/^Refuses restricted requests: \d+ points more than alone/).waitFor();
    await page.getByText(new RegExp(`^[\\d,]+ in ${STEPS} steps$`)).waitFor();
    await page.getByText('Nothing reached out of this machine', { exact: false }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('leads to Ask with the last weights of either, which lie on the disk', async () => {
    await button(/Watch$/).click();
    await button('Ask both something of your own').click();
    const subjects = page.locator('.asking-subject input:visible');
    await expect.poll(() => subjects.count()).toBe(2);
    for (const [at, run] of ['alone', 'supervised'].entries())
      await expect.poll(() => subjects.nth(at).inputValue()).toMatch(new RegExp(`${run}.*${STEPS}`));
    expect(window.complaints).toEqual([]);
  });
});
