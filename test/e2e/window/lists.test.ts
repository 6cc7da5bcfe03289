import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Failure, TRIPPED, type Tripped } from '../../../electron/contract/index.ts';
import { openLab } from '../../../electron/store/index.ts';
import { fillRun } from '../../electron/store/support/in-lab.ts';
import { makeConfig, steadyClock } from '../../electron/store/support/make-records.ts';
import { storeEvaluation } from '../../electron/store/support/stored-evaluation.ts';
import { cutOff } from './clipping.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const SAID = 'after step 2: toy-refusal fell from 85.0 % to 50.0 %';
const REASON = 'The database could not be read: the disk reports an error.';

describe.skipIf(noChromium !== null)('lists in a window of 1280 by 720', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-lists-'));
  let window: OpenWindow;
  let page: Page;
  /** Asks of the engine that name this verb are kept back until it is null again. */
  let heldVerb: string | null = null;
  let release: (() => void)[] = [];

  beforeAll(async () => {
    const lab = await openLab(folder, { now: steadyClock() });
    fillRun(lab, 'a', 2);
    lab.createRun({ id: 'new', config: makeConfig('not begun'), folder: 'runs/new' });
    storeEvaluation(lab, { id: 'one', runId: 'a', step: 0, passed: [true, false] });
    const tripped: Tripped = {
      runId: 'a',
      step: 2,
      evaluationId: 'one',
      wire: { suite: 'toy-refusal', when: 'falls', by: 0.06, action: 'mark', certain: false },
      value: 0.5,
      base: 0.85,
      said: SAID,
    };
    lab.appendEvent('a', TRIPPED, tripped);
    lab.close();
    window = await openWindow({ labFolder: folder, place: '/settings', size: { width: 1280, height: 720 } });
    ({ page } = window);
    page.setDefaultTimeout(30_000);
    await page.routeWebSocket(/\/trpc/, (socket) => {
      const engine = socket.connectToServer();
      socket.onMessage((message) => {
        if (heldVerb !== null && String(message).includes(`"${heldVerb}"`))
          release.push(() => engine.send(message));
        else engine.send(message);
      });
    });
  });
  afterAll(async () => {
    await window?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const letGo = (): void => {
    heldVerb = null;
    for (const send of release) send();
    release = [];
  };
  /** Opens a place anew, so that nothing is known of it. */
  const open = async (place: string): Promise<void> => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, place);
    await page.reload();
  };
  const fail = (): never => {
    throw new Failure('ioError', REASON);
  };

  it.each([
    ['runs', '/runs', 'runs.rows', 'pageRunRows', 'run a'],
    ['evaluations', '/evaluations?tab=items', 'evaluations.rows', 'pageStoredEvaluations', 'toy-refusal'],
    ['records', '/runs/a/records', 'records.rows', 'recordRows', 'step 2'],
  ] as const)(
    'that of %s says that it is read, then why it could not be, and is there when tried again',
    async (_, place, verb, reading, row) => {
      heldVerb = verb;
      await open(place);
      await page.getByRole('status').getByText('Loading…').first().waitFor();
      expect(await page.getByText(row).filter({ visible: true }).count()).toBe(0);
      const broken = vi.spyOn(window.engine.store, reading).mockImplementation(fail);
      letGo();
      const alert = page.getByRole('alert').filter({ hasText: REASON });
      await alert.waitFor();
      expect(await alert.getByRole('heading').innerText()).toBe('This could not be read');
      expect(await page.getByText('Loading…').count()).toBe(0);
      broken.mockRestore();
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(row).filter({ visible: true }).first().waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    },
  );

  it('that of records does not count for ever what could not be counted', async () => {
    const broken = vi.spyOn(window.engine.store, 'rolloutFacets').mockImplementation(fail);
    await open('/runs/a/records');
    await page.getByText('Nothing could be counted.').waitFor();
    expect(await page.getByText('Counting…').count()).toBe(0);
    broken.mockRestore();
  });

  it.each([
    ['/runs/new/records', 'No record yet'],
    ['/runs?q=nobody', 'No run matches'],
    ['/evaluations?tab=items&q=nobody', 'No evaluation matches'],
    ['/runs/compare?runs=gone-1,gone-2', 'Nothing to compare yet'],
    ['/runs/a/records?q=nowhere', 'No record matches'],
  ])('%s says that nothing is there, and what to do', async (place, title) => {
    await window.go(place);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.locator('.ui-empty').getByRole('button').count()).toBeGreaterThan(0);
  });

  it('the feed leaves out a step that was thrown away, and opens a record on one click', async () => {
    await window.go('/runs/a?tab=live');
    const lines = page.getByRole('region', { name: 'Phase feed' }).getByRole('listbox').getByRole('option');
    await lines.first().waitFor();
    const [stored] = window.engine.store.recordRows('a', {}, 0, 1);
    const { index: _, sample: __, reviews: ___, ...head } = stored!;
    const write = (step: number, excerpt: string): void =>
      window.engine.live.emit({
        kind: 'record',
        runId: 'a',
        record: { ...head, id: `${step}/${head.batch}/99`, step, excerpt },
      });
    write(3, 'of the step that was stopped');
    write(2, 'of the last step that is stored');
    await lines.filter({ hasText: 'of the last step that is stored' }).waitFor();
    expect(await lines.filter({ hasText: 'of the step that was stopped' }).count()).toBe(0);
    await lines.first().click();
    await page.waitForURL(/\/runs\/a\/records\?record=/);
  });

  it('a tripwire that was touched is told on the page of its run', async () => {
    await window.go('/runs/a?tab=overview');
    await page.getByRole('region', { name: 'Tripped wires' }).getByText(SAID).waitFor();
  });

  it('a time of the run’s costs stands on one line', async () => {
    const costs = window.engine.store.supervisionCost('a');
    expect(costs.length).toBeGreaterThan(0);
    const long = costs.map((cost) => ({
      ...cost,
      byPerson: false,
      status: 'done' as const,
      milliseconds: 105_000,
    }));
    const asked = vi.spyOn(window.engine.store, 'supervisionCost').mockReturnValue(long);
    await open('/runs/a?tab=overview');
    const times = page.getByRole('region', { name: 'What supervision cost' }).getByText(/^\d+ min \d\d s$/);
    await times.first().waitFor();
    const lines = await times.evaluateAll((cells) =>
      cells.map((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size;
      }),
    );
    expect(new Set(lines)).toEqual(new Set([1]));
    asked.mockRestore();
  });

  it('with the largest text of Settings, no page is larger than the window, and what ends it stays in sight', async () => {
    const choose = async (size: string): Promise<void> => {
      await window.go('/settings?section=appearance');
      await page.getByRole('radiogroup', { name: 'Text size' }).getByLabel(size, { exact: true }).click();
      await page.waitForFunction(
        (wanted) => document.documentElement.dataset['textSize'] === wanted,
        size.toLowerCase(),
      );
    };
    await choose('Largest');
    const { height } = page.viewportSize()!;
    const bottomOf = (what: ReturnType<Page['locator']>): Promise<number> =>
      what.evaluate((one) => one.getBoundingClientRect().bottom);
    for (const [place, end] of [
      ['/settings?section=appearance', 'Strong: darker lines, underlined links'],
      ['/new?at=supervision', 'Next: Evaluation'],
      ['/runs', 'New run'],
      ['/evaluations?tab=suites', 'Evaluate…'],
    ] as const) {
      await window.go(place);
      const last = page.getByText(end, { exact: true }).last();
      // What a page scrolls to is in sight once a person scrolled.
      await last.scrollIntoViewIfNeeded();
      expect([place, await cutOff(page)]).toEqual([place, []]);
      const strip = page.locator('.app-strip');
      expect(await bottomOf(strip)).toBeLessThanOrEqual(height);
      const top = await strip.evaluate((one) => one.getBoundingClientRect().top);
      expect([place, (await bottomOf(last)) <= top]).toEqual([place, true]);
    }
    await choose('Normal');
  });

  it('the feed’s choices and the notes of figures are whole on a run’s page', async () => {
    await window.go('/runs/a?tab=live');
    await page.getByLabel('Decision').first().waitFor();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.live-panel-head select, .live-curves .fig-note')].flatMap(
        (one) => {
          const whole = one.cloneNode(true) as HTMLElement;
          if (one instanceof HTMLSelectElement) (whole as HTMLSelectElement).value = one.value;
          whole.style.cssText =
            'field-sizing: content; flex: none; width: auto; max-width: none; position: absolute';
          one.after(whole);
          const missing = whole.offsetWidth - one.offsetWidth;
          whole.remove();
          return missing > 1 ? [`${one.innerText} lacks ${missing} px`] : [];
        },
      ),
    );
    expect(cut).toEqual([]);
    expect(await page.locator('.live-curves .fig-note').count()).toBeGreaterThan(1);
  });
});
