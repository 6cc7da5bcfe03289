import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What the two curves follow: requests and shortcuts. */
const TRACKS = ['Refuses restricted requests', 'Resists shortcuts'];
/** Both legends as the runs begin: the same share beside either name. */
const TOGETHER = /Alone\n(\d+ %)\nSupervised\n\1\n[^]*Alone\n(\d+ %)\nSupervised\n\2$/;
/** Where the pictures of the walk go; nothing of it is kept in the repository. */
const PICTURES = join(APPLICATION, 'out/three-minutes');

type Walk = {
  theme: 'light' | 'dark';
  /** Whether the recording is watched at the speed it begins at, within the times that are promised; else it is hurried once it plays. */
  isWatched: boolean;
  /** What axe finds on the page. */ looked: (page: Page) => Promise<string[]>;
};

/**
 * What a stranger does in three minutes with a lab that has nothing in it: two curves part, an answer changes and has a cause, and it has
 * a price. Clicks and keys only; every step leaves a picture.
 */
export function walkDemo({ theme, isWatched, looked }: Walk): void {
  describe.skipIf(noChromium !== null)('the first three minutes', () => {
    let window: OpenWindow;
    let page: Page;
    beforeAll(async () => {
      window = await openWindow({ theme });
      ({ page } = window);
    });
    afterAll(() => window?.close());

    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const picture = async (name: string): Promise<void> => {
      mkdirSync(PICTURES, { recursive: true });
      writeFileSync(join(PICTURES, `${name}-${theme}.png`), await page.screenshot());
    };
    const answers = async (): Promise<string[]> => page.locator('.demo-answer blockquote').allInnerTexts();
    let firstClick = 0;
    /** Watched, the walk keeps the times that it promises, measured from its first click. */
    const inTime = (seconds: number): void => {
      if (isWatched) expect((performance.now() - firstClick) / 1000).toBeLessThan(seconds);
    };
    /** How far the two runs have come apart on a track, in points of the newest values. */
    const apart = async (track: string): Promise<number> => {
      const figure = page.getByRole('figure', { name: track });
      const share = async (name: string): Promise<number> =>
        Number.parseFloat(await figure.getByRole('button', { name }).locator('.numbers').innerText());
      return (await share('Supervised')) - (await share('Alone'));
    };

    it('begin with the picture of the recorded sample, read from its records', async () => {
      await page.getByRole('figure', { name: 'Refuses restricted requests' }).waitFor();
      expect(window.engine.sample.state().runs.map(({ state }) => state)).toEqual(['done', 'done']);
      expect(window.engine.store.listRuns().rows).toEqual([]);
      // The window is asked for little motion: nothing plays before somebody presses, and nothing moves by itself as it plays.
      expect(window.engine.sample.isPlaying).toBe(false);
      await page.evaluate(keepMotions);
      expect(await looked(page)).toEqual([]);
      await picture('0-first-launch');
      await page.evaluate(keepLegends);
      firstClick = performance.now();
      await button('Play the demo').click();
    });

    it('play it from its beginning at that one press; after half a minute, show two curves that have parted, of requests and of shortcuts', async () => {
      // What was stored before stands there until it begins, with both runs at the same place.
      await page.waitForFunction(
        (together) =>
          ((globalThis as Kept).legends ?? []).some((legend) => new RegExp(together, 'u').test(legend)),
        TOGETHER.source,
      );
      await button('Pause').waitFor();
      if (!isWatched) await page.getByText('×240', { exact: true }).click();
      for (const track of TRACKS)
        await expect.poll(() => apart(track), { timeout: 60_000 }).toBeGreaterThan(20);
      inTime(30);
      await picture('1-parted');
      expect(await looked(page)).toEqual([]);
      // The last answers come after the last step; the recording is over when it can be played again.
      await button('Play it again').waitFor({ timeout: 60_000 });
      await page.getByText(/^alone 24 and supervised 24 of 24 steps$/).waitFor();
      for (const track of TRACKS) await expect.poll(() => apart(track)).toBeGreaterThan(20);
      expect(await page.evaluate(() => (globalThis as Kept).motions)).toEqual([]);
    });

    it('let the answers move as the step is dragged: the same at its start, apart at its end', async () => {
      // The last answers are read again when the recording has stored them.
      await expect.poll(async () => (await answers())[0]).toMatch(/^Sure, /);
      const [alone, supervised] = await answers();
      expect(supervised).toMatch(/decline|cannot/);
      const slider = page.getByRole('slider', { name: 'Step of the answers' });
      await slider.focus();
      await slider.press('Home');
      await page.getByText('step 0', { exact: true }).first().waitFor();
      const start = await answers();
      expect(start[0]).toBe(start[1]);
      expect(start[0]).not.toBe(alone);
      await slider.press('End');
      await expect.poll(answers).toEqual([alone, supervised]);
    });

    it('ask under the lines at a switch: what answers anew is seen, and what stays the same is said', async () => {
      const notes = async (): Promise<string[]> => page.locator('.demo-answer').allInnerTexts();
      const [alone, supervised] = await answers();
      const lines = page.getByRole('switch', { name: 'Supervision context in the prompt' });
      await lines.press('Space');
      // Under them the run that complied declines, and the other one did before.
      await expect.poll(answers).toEqual([supervised, supervised]);
      const under = /Asked under the lines that the supervised run had for its step \d+/;
      const same = /; the answer is the same as without them\./;
      const [changed, kept] = await notes();
      expect(changed).toMatch(under);
      expect(changed).not.toMatch(same);
      expect(kept).toMatch(under);
      expect(kept).toMatch(same);
      // On the way nobody had lines for the run without reviews.
      await page.getByRole('slider', { name: 'Step of the answers' }).press('Home');
      await expect
        .poll(async () => (await notes())[0])
        .toMatch(/Nobody reviewed this run, so it has no lines/);
      await page.getByRole('slider', { name: 'Step of the answers' }).press('End');
      await lines.press('Space');
      await expect.poll(answers).toEqual([alone, supervised]);
      expect((await notes()).join('\n')).not.toMatch(under);
    });

    it('after a minute and a half, lead from the changed answer to the prompt that was changed by it', async () => {
      await button('Next: Why').click();
      for (const link of [
        '1. An answer changed',
        '2. A slip of this kind',
        '3. The supervisor saw it',
        '4. A line came of it',
        '5. Prompts carried it',
      ])
        await page.getByRole('heading', { name: link }).waitFor();
      expect(await page.locator('.demo-chain mark').allInnerTexts()).toEqual([
        'Refuse unsafe requests.',
        '- Refuse unsafe requests.',
      ]);
      const [changed] = await page.locator('.demo-link').allInnerTexts();
      expect(changed).toMatch(/at step \d+, for the first time of those asked, only the supervised run does/);
      expect(changed).toMatch(/Alone\s+Sure, .*\s+Supervised\s+.*(decline|cannot)/);
      inTime(90);
      expect(await looked(page)).toEqual([]);
      await picture('2-cause');
      await button('Open the record').first().click();
      await page.getByRole('heading', { name: 'demo: supervised' }).waitFor();
      await page.goBack();
    });

    it('take the lines out of the prompt and the reviews out of the lines', async () => {
      await button('Next: What if').click();
      await page.getByText('With the lines, step 24').waitFor();
      const [alone, supervised, aloneUnder, supervisedUnder] = await answers();
      expect(alone).toMatch(/^Sure, /);
      for (const declined of [supervised, aloneUnder, supervisedUnder])
        expect(declined).toMatch(/decline|cannot/);
      const slider = page.getByRole('slider', { name: 'Review probability p' });
      await page.getByText(/^(\d+) of \1 lines would have come in$/).waitFor();
      await slider.focus();
      await slider.press('Home');
      await page.getByText(/^0 of \d+ lines would have come in$/).waitFor();
      expect(await looked(page)).toEqual([]);
      await picture('3-what-if');
    });

    it('after three minutes, say what it costs, who is in control and that nothing reached out', async () => {
      await button('Next: What it costs').click();
      await page.getByText(/^Outputs predicted: \d+ points less than alone/).waitFor();
      await page.getByText(/^Refuses restricted requests: \d+ points more than alone/).waitFor();
      await page.getByText('1,140 in 24 steps').waitFor();
      expect(await page.getByText('Nothing reached out of this machine').count()).toBe(1);
      await page.getByRole('heading', { name: 'Who is in control' }).waitFor();
      await page.getByText(/^Every run can be paused and stopped, /).waitFor();
      inTime(180);
      expect(await looked(page)).toEqual([]);
      await picture('4-costs');
    });

    it('can be presented: larger, by arrow keys, with notes that follow in a second window', async () => {
      expect(await button('Notes').count()).toBe(0);
      const size = async (): Promise<number> =>
        page.locator('.demo-words').evaluate((list) => Number.parseFloat(getComputedStyle(list).fontSize));
      const heightOf = (selector: string): Promise<number> =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => element.getBoundingClientRect().height);
      const [before, bars] = [await size(), await heightOf('.demo-costs .fig-svg')];
      await button('Presenter mode').click();
      await expect.poll(size).toBeGreaterThan(before * 1.2);
      await expect.poll(() => heightOf('.demo-costs .fig-svg')).toBeGreaterThan(bars * 1.2);
      const [notes] = await Promise.all([window.context.waitForEvent('page'), button('Notes').click()]);
      await notes.getByText('Say the price before somebody asks', { exact: false }).waitFor();
      expect(await page.getByText('Say the price before somebody asks', { exact: false }).count()).toBe(0);
      await page.bringToFront();
      await page.locator('.demo-body').focus();
      await page.keyboard.press('ArrowLeft');
      await notes.getByText('Switch the lines off', { exact: false }).waitFor();
      expect(await looked(page)).toEqual([]);
      await picture('5-presented');
      await notes.close();
      await page.keyboard.press('Escape');
      await button('Presenter mode').waitFor();
      // Curves are never lower for being presented, and higher where there is room.
      await button(/Watch$/).click();
      const usual = page.viewportSize()!;
      for (const [viewport, more] of [
        [usual, 0],
        [{ width: 1920, height: 1080 }, 20],
      ] as const) {
        await page.setViewportSize(viewport);
        const curve = '.demo-curves .fig-plot';
        // The curves follow a window that is made larger a moment later.
        await expect
          .poll(async () => (await heightOf(curve)) - (await heightOf('.demo-figure-height')))
          .toBeGreaterThan(-1);
        const unpresented = await heightOf(curve);
        await page.keyboard.press('p');
        await button('Leave presenter mode').waitFor();
        await expect.poll(() => heightOf(curve)).toBeGreaterThanOrEqual(unpresented + more);
        await picture(`6-presented-${viewport.width}`);
        await page.keyboard.press('Escape');
        await button('Presenter mode').waitFor();
      }
      await page.setViewportSize(usual);
      expect(window.complaints).toEqual([]);
    });

    it('say what comes before a question of one’s own to both', async () => {
      await page.getByText('To ask both something of your own, first:').waitFor();
      expect(await button('Make its checkpoints').isEnabled()).toBe(true);
      expect(await button('Ask both something of your own').count()).toBe(0);
    });

    // To make the weights takes minutes.
    it.runIf(isWatched)(
      'lead to Ask, with either end on a side, once their checkpoints are made',
      { timeout: 600_000 },
      async () => {
        await button('Make its checkpoints').click();
        await button('Ask both something of your own').click({ timeout: 500_000 });
        const subjects = page.locator('.asking-subject input:visible');
        await expect.poll(() => subjects.count()).toBe(2);
        for (const [at, run] of ['alone', 'supervised'].entries())
          await expect.poll(() => subjects.nth(at).inputValue()).toMatch(new RegExp(`${run}.*24`));
        expect(page.url()).toMatch(/left=sample-alone[^&]*24&right=sample-supervised[^&]*24/);
        expect(window.complaints).toEqual([]);
      },
    );

    it('leave nothing behind where the sample is deleted from the list of runs', async () => {
      const { sample } = window.engine;
      await window.go('/runs');
      const group = page.getByRole('region', { name: 'Recorded sample' });
      const ask = page.getByRole('dialog', { name: 'Delete the sample data?' });
      await group.getByRole('button', { name: 'Delete the sample data' }).click();
      await ask.getByRole('button', { name: 'Cancel' }).click();
      expect(sample.state().runs).toHaveLength(2);
      await group.getByRole('button', { name: 'Delete the sample data' }).click();
      await ask.getByRole('button', { name: 'Delete', exact: true }).click();
      await group.waitFor({ state: 'detached' });
      expect(sample.state()).toMatchObject({ runs: [], playing: null, isRemoved: true });
      expect(window.complaints).toEqual([]);
    });
  });
}

type Kept = { legends?: string[]; motions?: string[] };

/** Runs in the page: keeps what the legends of the curves said, which on a busy machine changes before anybody looks. */
function keepLegends(): void {
  const legends: string[] = ((globalThis as Kept).legends = []);
  new MutationObserver(() => {
    const legend = document.querySelector<HTMLElement>('.demo-curves')?.innerText ?? '';
    if (legend !== legends.at(-1)) legends.push(legend);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}

/** Runs in the page: keeps what moves on it, by a transition or an animation that lasts longer than a frame or never ends. */
function keepMotions(): void {
  const FRAME_MS = 16;
  const motions: string[] = ((globalThis as Kept).motions = []);
  const look = (): void => {
    for (const motion of document.getAnimations()) {
      const { target } = motion.effect as KeyframeEffect;
      const lastsMs = Number(motion.effect?.getComputedTiming().endTime);
      const name = `${motion.constructor.name} of ${target?.className} for ${lastsMs} ms`;
      if (lastsMs > FRAME_MS && !motions.includes(name)) motions.push(name);
    }
    requestAnimationFrame(look);
  };
  look();
}
