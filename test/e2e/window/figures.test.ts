import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PHASES } from '../../../electron/contract/index.ts';
import { createRouter } from '../../../electron/engine/index.ts';
import { noChromium, openSampleWindow, settled, type OpenWindow } from './open-window.ts';

const SUITES = ['toy-deduction', 'toy-memory', 'toy-refusal'];
/** Shares from nought to one, whatever part of it the runs went through. */
const WHOLE = ['0 %', '100 %', 'share, %'];
const WHOLE_TENTHS = ['0.0 %', '100.0 %', 'share, %'];

describe.skipIf(noChromium !== null)('figures as they are drawn', () => {
  let window: OpenWindow;
  let page: Page;
  beforeAll(async () => {
    window = await openSampleWindow({ place: '/settings' });
    ({ page } = window);
    await page.addInitScript(keepDrawnTexts);
    await page.reload();
  }, 120_000);
  afterAll(() => window?.close());

  /** What is written on the canvas of a figure, along its axes. */
  const drawn = async (figure: string): Promise<string[]> => {
    const box = page.getByRole('figure', { name: figure, exact: true });
    // What is out of sight is not drawn yet.
    await box.scrollIntoViewIfNeeded();
    const canvas = box.locator('canvas');
    await canvas.waitFor();
    await settled(page);
    return canvas.evaluate((element) => (element as Drawn).drawnTexts ?? []);
  };
  /** The numbers of a figure, a text for each row. */
  const rows = async (figure: string): Promise<string[]> => {
    const box = page.getByRole('figure', { name: figure, exact: true });
    await box.getByRole('button', { name: 'Show as a table' }).click();
    const texts = await box.getByRole('row').allInnerTexts();
    await box.getByRole('button', { name: 'Show as a figure' }).click();
    return texts;
  };

  it('the matrix has one small figure a suite, over steps and from 0 to 100 %, with a line for each run', async () => {
    await window.go('/evaluations?tab=matrix');
    const figures = page.locator('.evaluations-multiples figure');
    await figures.first().waitFor();
    expect(await figures.locator('h2').allInnerTexts()).toEqual(SUITES);
    for (const suite of SUITES) {
      expect(await drawn(suite)).toEqual(expect.arrayContaining([...WHOLE, 'Step']));
      const [head, ...values] = await rows(suite);
      expect(head).toMatch(/demo: alone.*demo: supervised/);
      expect(values.length).toBeGreaterThan(2);
    }
  }, 120_000);

  it('that a person comes near as they scroll are drawn before they are in sight', async () => {
    const BELOW_PX = 80;
    const compare = '/runs/compare?runs=sample-alone,sample-supervised';
    const plot = page.locator('.fig-plot').first();
    await window.go(compare);
    const foot = await page.locator('.app-content').evaluate((box) => box.getBoundingClientRect().bottom);
    const top = await plot.evaluate((box) => box.getBoundingClientRect().top);
    const usual = page.viewportSize()!;
    await window.go('/settings');
    await page.setViewportSize({ ...usual, height: Math.round(usual.height - foot + top - BELOW_PX) });
    await window.go(compare);
    await plot.locator('canvas').waitFor();
    expect(await plot.evaluate((box) => box.getBoundingClientRect().top)).toBeGreaterThan(
      await page.locator('.app-content').evaluate((box) => box.getBoundingClientRect().bottom),
    );
    await page.setViewportSize(usual);
  }, 60_000);

  it('the matrix opens with the ends of both runs, asked without and with their context, before anything is chosen', async () => {
    await window.go('/evaluations');
    const heads = page.getByRole('grid').getByRole('columnheader');
    await heads.first().waitFor();
    // A run without supervision has no context to be asked under.
    expect(await heads.allInnerTexts()).toEqual([
      'Suite',
      'demo: alone\nstep 24 · weights',
      'demo: supervised\nstep 24 · weights',
      'demo: supervised\nstep 24 · with context',
    ]);
    expect(await page.getByRole('combobox', { name: 'What stands in the prompt' }).inputValue()).toBe('both');
    // What is missing cannot be run without the sample's checkpoints. That is told at the button, and is no read that failed.
    const without = 'toy-deduction,toy-memory,toy-refusal,toy-over-refusal';
    await window.go(
      `/evaluations?tab=matrix&columns=sample-alone@24,model:embedded-policy&suites=${without}`,
    );
    const run = page.getByRole('button', { name: /^Run missing/ });
    await expect
      .poll(() => run.getAttribute('title'))
      .toMatch(/weights of the recorded sample are not on this disk/);
    expect(await page.getByText(/part of this page could not be read/).count()).toBe(0);
  }, 60_000);

  it('compared scores are those that are stored, alone and supervised, at every step that was asked', async () => {
    const runIds = ['sample-alone', 'sample-supervised'];
    await window.go(`/runs/compare?runs=${runIds.join()}&measure=scores&scored=toy-refusal`);
    const figure = 'Scores on held-out questions';
    expect(await drawn(figure)).toEqual(expect.arrayContaining([...WHOLE_TENTHS, 'Step']));
    const [head = [], ...values] = (await rows(figure)).map((row) => row.split('\t'));
    const stored = await createRouter(window.engine).createCaller({}).runs.scores({ runIds });
    for (const { runId, scores } of stored) {
      const own = scores.filter(({ suite, contextHash }) => suite === 'toy-refusal' && contextHash === null);
      expect(own.length).toBeGreaterThan(2);
      const column = head.indexOf(`demo: ${runId.slice('sample-'.length)}`);
      expect(values.map((row) => [row[0], row[column]])).toEqual(
        own.map(({ step, passed, n }) => [String(step), `${((100 * passed) / n).toFixed(1)} %`]),
      );
    }
  }, 120_000);

  it('scores of a run and of the demo go from 0 to 100 %, the weights alone and with the context as a pair', async () => {
    await window.go('/runs/sample-supervised?tab=live');
    expect(await drawn('Scores of checkpoints')).toEqual(expect.arrayContaining(WHOLE));
    expect((await rows('Scores of checkpoints'))[0]).toMatch(/toy-memory\t.*toy-memory \+ context\t/);
    await window.go('/demo?step=16&context=on');
    for (const figure of ['Refuses restricted requests', 'Resists shortcuts']) {
      expect(await drawn(figure)).toEqual(expect.arrayContaining(WHOLE));
      expect((await rows(figure))[0]).toMatch(/Supervised\t.*Supervised \+ context/i);
    }
  }, 120_000);

  it('say what their values are beside them, and what the steps are', async () => {
    await window.go('/runs/sample-supervised?tab=live');
    expect(await drawn('Reviews per step')).toEqual(
      expect.arrayContaining(['reviews', expect.stringMatching('Step')]),
    );
    await window.go('/runs/compare?runs=sample-supervised,sample-alone&measure=entropy');
    expect(await drawn('Entropy of the policy')).toEqual(expect.arrayContaining(['nats', 'Step']));
  }, 120_000);

  it('the coins of the gate lie below the slider, as wide as it', async () => {
    await window.go('/tour?stop=gate');
    const track = page.locator('.mantine-Slider-track');
    await track.waitFor();
    const { x, y, width } = (await track.boundingBox())!;
    const strips = await page.locator('table svg').all();
    expect(strips).toHaveLength(PHASES.length);
    for (const strip of strips) {
      const place = await strip.boundingBox();
      expect(place).toMatchObject({
        x: expect.closeTo(x, 0) as number,
        width: expect.closeTo(width, 0) as number,
      });
      expect(place!.y).toBeGreaterThan(y);
    }
  }, 60_000);
});

type Drawn = HTMLCanvasElement & { drawnTexts?: string[] };

/** Runs in the page: every canvas keeps the texts that were written on it since it was last cleared. */
function keepDrawnTexts(): void {
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    const canvas = this.canvas as Drawn;
    (canvas.drawnTexts ??= []).push(text);
    return fillText.call(this, text, ...place);
  };
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    (this.canvas as Drawn).drawnTexts = [];
    return clearRect.apply(this, area);
  };
}
