import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, TRIPPED, type Tripped } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { trainerProcess, useWarmTrainer } from '../../support/warm-trainer.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();

const LONG = { timeout: 120_000 };

describe.skipIf(noChromium !== null)('a run that is watched while it works', () => {
  let window: OpenWindow;
  let page: Page;
  let runId: string;
  beforeAll(async () => {
    window = await openWindow();
    ({ page } = window);
    runId = window.engine.startRun(
      runConfigSchema.parse({
        ...PRESETS.demo,
        name: 'watched',
        steps: 400,
        framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
        generation: { maxNewTokens: 48 },
        rewardedPrompts: { share: 0.2, samplesPerPrompt: 2 },
        supervision: {
          ...PRESETS.demo.supervision,
          reviewer: 'rubric',
          phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 },
          minimumSupport: 1,
        },
      }),
    ).id;
    await window.go(`/runs/${runId}`);
  }, 180_000);
  afterAll(() => window?.close(), 120_000);

  const committed = (): number => window.engine.store.getRun(runId)?.committedSteps ?? 0;
  const pressed = async (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const said = (text: RegExp) => page.locator('[aria-live="polite"]').filter({ hasText: text });

  it('opens live, learns the pace for three steps and then tells the time left with its band', async () => {
    await page.getByText('learning the pace…').waitFor(LONG);
    await page.getByText(/ left \(/).waitFor(LONG);
    expect(committed()).toBeGreaterThanOrEqual(3);
  }, 240_000);

  it('draws what is measured, and grows without being asked again', async () => {
    await page.locator('.fig canvas').first().waitFor(LONG);
    const steps = async (): Promise<string | null> =>
      page
        .getByRole('application', { name: /^Steps/ })
        .locator('path')
        .first()
        .getAttribute('d');
    const before = await steps();
    await expect.poll(steps).not.toBe(before);
  }, 240_000);

  it('is read by keys and ears: the curve says its values, and t turns it into a table', async () => {
    const curve = page.getByRole('application', { name: /^Reward/ });
    await curve.focus();
    await page.keyboard.press('Home');
    await said(/^Step 1: /).waitFor(LONG);
    await page.keyboard.press('ArrowRight');
    await said(/^Step 2: .*solver/).waitFor(LONG);
    await page.keyboard.press('t');
    const rows = page.getByRole('figure', { name: /^Reward/ }).getByRole('row');
    await rows.nth(2).waitFor(LONG);
    expect(await rows.nth(1).textContent()).toMatch(/^1/);
    await page
      .getByRole('figure', { name: /^Reward/ })
      .getByRole('button', { name: 'Show as a figure' })
      .click();
    await curve.waitFor(LONG);
  }, 120_000);

  it('feeds what is written and what is said of it, narrowed by phase, and says so when nothing matches', async () => {
    const feed = page.getByRole('region', { name: 'Phase feed' });
    const lines = feed.getByRole('listbox').getByRole('option');
    await lines.first().waitFor(LONG);
    await feed.getByLabel('Phase', { exact: true }).selectOption('exec');
    await expect
      .poll(async () => (await lines.allTextContents()).every((text) => text.includes('counts of the batch')))
      .toBe(true);
    expect(page.url()).toContain('phase=exec');
    await feed.getByLabel('Decision').selectOption('quarantined');
    await feed.getByRole('button', { name: 'Clear the filter' }).click(LONG);
    await lines.first().waitFor(LONG);
    expect(page.url()).not.toContain('phase=');
  }, 120_000);

  it('holds the feed while it is pointed at, and counts what is new', async () => {
    const feed = page.getByRole('region', { name: 'Phase feed' });
    const lines = feed.getByRole('listbox').getByRole('option');
    await lines.first().hover();
    const first = await lines.first().textContent();
    const pill = feed.getByRole('button', { name: /^\d+ new$/ });
    await pill.waitFor(LONG);
    expect(await lines.first().textContent()).toBe(first);
    // As a hand does: out of the list, over the head of the panel, and a moment later the click.
    const { x, y, width, height } = (await pill.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 12 });
    await page.waitForTimeout(500);
    expect(await lines.first().textContent()).toBe(first);
    await pill.click();
    await page.mouse.move(5, 5);
    await expect.poll(async () => lines.first().textContent()).not.toBe(first);
  }, 120_000);

  it('tells a trainer that went silent, with the seconds and the limit, and takes it back when it answers', async () => {
    const trainer = trainerProcess(
      window.engine.monitor.living().find(({ name }) => name === 'trainer')?.pid,
    );
    process.kill(trainer, 'SIGSTOP');
    try {
      await page.getByText(/Trainer has been silent for \d+ s \(limit 30 s/).waitFor({ timeout: 25_000 });
    } finally {
      process.kill(trainer, 'SIGCONT');
    }
    await page.getByText(/Trainer has been silent/).waitFor({ state: 'detached', ...LONG });
  }, 240_000);

  it('keeps the newest checkpoint for good', async () => {
    await pressed('Keep checkpoint');
    await page.getByText(/The checkpoint of step \d+ \(.*\) stays/).waitFor(LONG);
  }, 120_000);

  it('pauses after the step, says what resuming does, and goes on', async () => {
    await pressed('Pause after the step');
    await page.getByText(/Paused after step \d+; resuming continues with step \d+\./).waitFor(LONG);
    const at = committed();
    await pressed('Resume');
    await expect.poll(committed).toBeGreaterThan(at);
  }, 300_000);

  it('stops now only after saying which step is thrown away', async () => {
    await pressed('Stop now');
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/Step \d+ is thrown away.* stored steps stay\. Resuming takes step \d+ again/)
      .waitFor(LONG);
    await dialog.getByRole('button', { name: 'Stop now' }).click();
    await page
      .getByText(/The run stopped before its end\. Stopped during step \d+; resuming repeats that step\./)
      .waitFor(LONG);
    expect(window.engine.store.getRun(runId)?.state).toBe('interrupted');
  }, 240_000);

  it('has as many lines in its feed after a reload as before, each with its time', async () => {
    const feed = page.getByRole('region', { name: 'Phase feed' });
    const lines = feed.getByRole('listbox').getByRole('option');
    const count = feed.getByText(/^[\d,]+ of [\d,]+ lines$/);
    // Nothing is held, and what came last is drawn.
    await page.mouse.move(5, 5);
    await page.waitForTimeout(500);
    const heard = await count.textContent(LONG);
    await page.reload();
    await lines.first().waitFor(LONG);
    expect(await count.textContent()).toBe(heard);
    for (const line of await lines.all()) expect(await line.locator('time').count()).toBe(1);
  }, 120_000);

  it('says under the curve of scores which tripwires were touched, and when', async () => {
    const sentence = 'after step 2: toy-refusal fell from 85.0 % to 50.0 %';
    window.engine.store.appendEvent(runId, TRIPPED, {
      runId,
      step: 2,
      evaluationId: 'e1',
      wire: { suite: 'toy-refusal', when: 'falls', by: 0.06, action: 'mark', certain: false },
      value: 0.5,
      base: 0.85,
      said: sentence,
    } satisfies Tripped);
    await window.go(`/runs/${runId}?curves=scores.pass`);
    await page.reload();
    const figure = (name: RegExp) => page.getByRole('figure', { name });
    await figure(/^Scores of checkpoints/)
      .getByText(sentence)
      .waitFor(LONG);
    // It is told where the scores are, not under every curve.
    expect(
      await figure(/^Pass rate/)
        .getByText(sentence)
        .count(),
    ).toBe(0);
    expect(await page.locator('.fig-marks').count()).toBe(1);
    await window.go(`/runs/${runId}`);
  }, 120_000);

  it('narrows everything to the steps that are dragged over, and back', async () => {
    const timeline = page.locator('.live-strip svg');
    // The page may still be moving after the question of the test before.
    await vi.waitFor(
      async () => {
        await timeline.scrollIntoViewIfNeeded();
        const strip = await timeline.boundingBox();
        if (strip === null) throw new Error('The timeline has no place on the page.');
        await page.mouse.move(strip.x + 2, strip.y + 40);
        await page.mouse.down();
        await page.mouse.move(strip.x + strip.width * 0.8, strip.y + 40, { steps: 4 });
        await page.mouse.up();
        await vi.waitFor(() => expect(page.url()).toMatch(/from=1&to=\d+/), { timeout: 5000 });
      },
      { timeout: 60_000, interval: 500 },
    );
    // The address of a drag's last move may come after those of its first ones: the panel has to follow where it stands now.
    const isShown = async (): Promise<boolean> => {
      const to = Number(/to=(\d+)/.exec(page.url())?.[1]);
      return page.getByRole('heading', { name: `Context of step ${to}`, exact: true }).isVisible();
    };
    await expect.poll(isShown, { timeout: 60_000 }).toBe(true);
    // It stays where it is as the pointer comes from a step, which says more than the note in its place does.
    const place = async () => page.getByRole('button', { name: 'All steps', exact: true }).boundingBox();
    const pointed = await place();
    await page.mouse.move(5, 5);
    await page.getByText('drag to choose steps').waitFor(LONG);
    expect(await place()).toEqual(pointed);
    await pressed('All steps');
    await expect.poll(() => page.url()).not.toContain('from=');
  }, 120_000);

  it('traces a line of the context to the reviews and records behind it', async () => {
    await page.getByRole('link', { name: 'Context' }).click();
    const lines = page.getByRole('listbox', { name: 'Lines over steps' });
    await lines.getByRole('option').first().click(LONG);
    await page.getByText(/Caused by reviews of step \d+/).waitFor(LONG);
    await page.getByRole('heading', { name: 'Before and after its entry' }).waitFor(LONG);
    await page.getByText(/no proof of cause/).waitFor(LONG);
    await page
      .locator('.ctx-causes')
      .first()
      .getByRole('button', { name: /^Record/ })
      .first()
      .click();
    await expect.poll(() => page.url()).toMatch(/\/records\?/);
  }, 120_000);

  it('did all this without a complaint of the page', () => {
    expect(window.complaints).toEqual([]);
  });
});
