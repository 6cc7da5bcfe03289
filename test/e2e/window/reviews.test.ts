import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Failure, runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { walkByKeys } from './keyboard-walk.ts';
import { noChromium, openWindow, settled, type OpenWindow } from './open-window.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
if (noChromium !== null) process.stderr.write(`The review queue is not tried in a browser: ${noChromium}.\n`);

const config = (name: string, supervision: Partial<RunConfig['supervision']>): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps: 1,
    framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
    generation: { maxNewTokens: 48 },
    rewardedPrompts: { share: 0 },
    supervision: {
      phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 },
      reviewer: 'rubric',
      ...supervision,
    },
  });

/** Buttons in sight that something else lies on, such as a notice: a click there would not reach them. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('#content button:not(:disabled)')].flatMap((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return width === 0 || hit === null || button.contains(hit) || hit.closest('.app-notices') === null
        ? []
        : [button.innerText];
    }),
  );

/** Presses keys within one task of the page, faster than it can paint. */
const burst = (window: OpenWindow, keys: readonly string[]): Promise<void> =>
  window.page.evaluate(
    (all) => {
      for (const key of all)
        globalThis.dispatchEvent(
          new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true }),
        );
    },
    [...keys],
  );

describe.skipIf(noChromium !== null)('the review queue in a browser', () => {
  let window: OpenWindow;
  let recorded = '';
  beforeAll(async () => {
    window = await openWindow({ place: '/reviews' });
    recorded = window.engine.startRun(config('recorded', {})).id;
    await window.engine.waitFor(recorded);
  });
  afterAll(() => window.close());

  it('says of a run whose answers a verifier judges that there are no labels to look at', async () => {
    await window.go(`/reviews/labels/${recorded}`);
    await window.page.getByRole('heading', { name: 'This run has no labels' }).waitFor();
    expect(await window.page.getByText('This could not be read').count()).toBe(0);
  });

  it('draws a sample by its form and labels every item of it in one burst of keys, none of which is lost', async () => {
    const { engine, page, go } = window;
    await go(`/reviews/audits?run=${recorded}`);
    await page.getByRole('button', { name: 'Draw and store the sample' }).click();
    await page.getByText('Hidden until you have decided').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Decide first, without the supervisor').waitFor();
    expect(await covered(page)).toEqual([]);
    const [head] = engine.store.listAudits(recorded);
    const auditId = head?.id ?? '';
    const count = engine.audits.get(auditId).items.length;
    expect(count).toBeGreaterThan(5);
    // The first one slowly, to see that the supervisor's side comes only after the decision.
    expect(await page.getByText('What the supervisor said').count()).toBe(0);
    await page.keyboard.press('1');
    expect(await page.getByText('What the supervisor said').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('What the supervisor said').waitFor();
    for (const key of ['a', '8', '5', 's', '7', 'Enter']) await page.keyboard.press(key);
    await burst(
      window,
      Array.from({ length: count - 1 }, (_, place) => [
        place % 4 === 0 ? '2' : '1',
        'Enter',
        'a',
        String(place % 10),
        's',
        '6',
        'Enter',
      ]).flat(),
    );
    await page.getByText('Everything is answered').waitFor();
    await vi.waitFor(() => expect(engine.audits.results(auditId).done).toBe(count), {
      timeout: 60_000,
      interval: 200,
    });
    const marks = engine.audits.get(auditId).labels.map(({ person }) => person?.actionability);
    expect(marks).toEqual([85, ...Array.from({ length: count - 1 }, (_, place) => (place % 10) * 10)]);
    expect(engine.audits.results(auditId).blind).toBe(count);
  });

  it('takes the last answer back, discards, filters, puts back, and follows a link to one item', async () => {
    const { engine, page, go } = window;
    const auditId = engine.store.listAudits(recorded)[0]?.id ?? '';
    const count = engine.audits.get(auditId).items.length;
    const done = (): number => engine.audits.results(auditId).done;
    await page.keyboard.press('u');
    await vi.waitFor(() => expect(done()).toBe(count - 1), { timeout: 20_000, interval: 100 });
    await page.keyboard.press('Backspace');
    await vi.waitFor(() => expect(engine.audits.results(auditId).discarded).toBe(1), {
      timeout: 20_000,
      interval: 100,
    });
    await go(`/reviews/audits/${auditId}?state=discarded`);
    await page.getByRole('button', { name: 'Put all 1 back' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put all 1 back' }).click();
    await vi.waitFor(() => expect(engine.audits.results(auditId)).toMatchObject({ discarded: 0, open: 1 }), {
      timeout: 20_000,
      interval: 100,
    });
    await go(`/reviews/audits/${auditId}?state=done&item=%222%22`);
    await page.getByText('What the supervisor said').waitFor();
    await go(`/reviews/audits/${auditId}?state=done&item=%223%22`);
    await vi.waitFor(() => expect(page.url()).toContain('%223%22'), { timeout: 10_000 });
    expect(await page.getByRole('radio', { name: /^Done/ }).isChecked()).toBe(true);
  });

  it('shows agreement and means, stores the figures and writes the table', async () => {
    const { engine, page, go } = window;
    const auditId = engine.store.listAudits(recorded)[0]?.id ?? '';
    await go(`/reviews/audits/${auditId}?view=results`);
    await page.getByText('You and the supervisor on retry (blind decisions)').waitFor();
    await page.getByRole('button', { name: 'Store the figures' }).click();
    await page.getByText(/The figures are stored with the audit since/).waitFor();
    expect(engine.store.getAudit(auditId)?.head.results?.done).toBe(engine.audits.results(auditId).done);
    const write = page.getByRole('button', { name: 'Write CSV' });
    const writing = vi.spyOn(engine.audits, 'writeCsv').mockImplementation(() => {
      throw new Failure('diskFull', 'The disk is full.');
    });
    const failed = page.getByRole('alert').getByText('The disk is full.');
    await write.click();
    await failed.waitFor();
    // A notice is read between the page and the footer, where it stands.
    expect(await walkByKeys(page)).toEqual([]);
    await go('/library');
    await failed.waitFor({ state: 'detached' });
    await go(`/reviews/audits/${auditId}?view=results`);
    await write.click();
    await failed.waitFor();
    writing.mockRestore();
    await write.click();
    await failed.waitFor({ state: 'detached' });
    await page.getByText(new RegExp(`written to .*${auditId}\\.csv`)).waitFor();
    await page
      .getByRole('button', { name: /^Item \d+$/ })
      .first()
      .click();
    await page.getByText('What the supervisor said').waitFor();
  });

  it('audits the reviews of one record that a link names', async () => {
    const { engine, page, go } = window;
    const record = engine.store.pageRollouts(recorded, { reviewed: true }, { limit: 1 }).rows[0]?.id ?? '';
    await go(`/reviews?run=${recorded}&record=${encodeURIComponent(record)}`);
    await page.getByText(`Only reviews of record ${record}`).waitFor();
    await page.getByRole('button', { name: 'Draw and store the sample' }).click();
    await page.getByText('Hidden until you have decided').waitFor();
    const [head] = engine.store.listAudits(recorded);
    expect(new Set(engine.audits.get(head?.id ?? '').items.map(({ rolloutId }) => rolloutId))).toEqual(
      new Set([record]),
    );
    expect(await walkByKeys(page)).toEqual([]);
  });

  it('answers a run by rapid keys: every press counts, the run goes on, and the records say who answered', async () => {
    const { engine, page, go } = window;
    const { id } = engine.startRun(
      config('asks a person', { human: { share: 1, timeoutSeconds: 600, fallback: 'skip' } }),
    );
    await go('/reviews');
    while (engine.people.questions(id).length < 10) await pause(50);
    await page
      .getByText(/questions wait/)
      .first()
      .waitFor();
    await settled(page);
    // What the page shows by now is what it can answer: 1 and Enter for each, all in one task.
    const shown = Number(
      /Pending (\d+)/.exec(
        await page
          .getByText(/^Pending \d+/)
          .first()
          .innerText(),
      )?.[1],
    );
    expect(shown).toBeGreaterThan(0);
    await burst(window, Array.from({ length: shown }, () => ['1', 'Enter']).flat());
    await vi.waitFor(
      () =>
        expect(
          engine.people.history(id).filter(({ outcome }) => outcome === 'answered').length,
        ).toBeGreaterThanOrEqual(shown),
      { timeout: 60_000, interval: 100 },
    );
    while (engine.isActive(id)) {
      if (engine.people.questions(id).length > 0) await burst(window, ['2', 'i', '1', 'Enter']);
      await pause(300);
    }
    expect((await engine.waitFor(id)).state).toBe('done');
    const reviews = engine.store.listReviews(id, 1);
    expect(new Set(reviews.map(({ reviewer, status }) => `${reviewer} ${status}`))).toEqual(
      new Set(['human done']),
    );
    expect(reviews.filter(({ decision }) => decision === 'continue').length).toBeGreaterThanOrEqual(shown);
    await go('/reviews?state=done');
    await page.getByText('answered', { exact: true }).first().waitFor();
  });

  it('keeps a draft over a reload, and hands the rest over to the model after naming how many', async () => {
    const { engine, page, go } = window;
    const { id } = engine.startRun(
      config('keeps drafts', { human: { share: 1, timeoutSeconds: 600, fallback: 'model' } }),
    );
    while (engine.people.questions(id).length < 5) await pause(50);
    await go('/reviews?state=pending');
    await page.getByText('Your review').waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('e');
    await page.keyboard.type('half a thought, 1 2 3');
    await page.keyboard.press('Escape');
    const storing = vi.spyOn(engine.people, 'keepDraft').mockImplementation(() => {
      throw new Failure('diskFull', 'The disk is full.');
    });
    await page.keyboard.press('d');
    const refused = page.getByRole('alert').getByText('Not stored: The disk is full.');
    await refused.waitFor();
    expect(await covered(page)).toEqual([]);
    storing.mockRestore();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('d');
    await refused.waitFor({ state: 'detached' });
    await vi.waitFor(
      () =>
        expect(
          engine.people.questions(id).filter(({ draft }) => draft?.feedback === 'half a thought, 1 2 3'),
        ).toHaveLength(1),
      { timeout: 20_000, interval: 100 },
    );
    await page.reload();
    await go('/reviews?state=draft');
    await vi.waitFor(
      async () =>
        expect(await page.getByRole('textbox', { name: /Feedback to the agent/ }).inputValue()).toBe(
          'half a thought, 1 2 3',
        ),
      { timeout: 20_000, interval: 200 },
    );
    await page.getByText(/^Pending/).click();
    while (engine.isActive(id)) {
      const bulk = page.getByRole('button', { name: /^Hand over all \d+$/ });
      if (engine.people.questions(id).some(({ draft }) => draft === null) && (await bulk.count()) > 0) {
        await bulk.first().click();
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^Hand over all \d+$/ })
          .click();
      }
      for (const { runId, id: question, draft } of engine.people.questions(id))
        if (draft !== null) engine.people.passOn([{ runId, id: question }], 'hand-over');
      await pause(400);
    }
    expect((await engine.waitFor(id)).state).toBe('done');
    expect(new Set(engine.store.listReviews(id, 1).map(({ reviewer }) => reviewer))).toEqual(
      new Set(['rubric']),
    );
  });

  it('complained of nothing all the while', () => {
    expect(window.complaints).toEqual([]);
  });
});
