import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCalibrations } from '../../../electron/evaluation/index.ts';
import { findings } from './findings.ts';
import { noChromium, noticed, openWindow, type OpenWindow } from './open-window.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

const MINUTES = 60_000;

// A person's way through the room, with both models that come with the program: no run has to be trained first.
describe.skipIf(noChromium !== null)('the room of evaluations', { timeout: 6 * MINUTES }, () => {
  const drive = mkdtempSync(join(tmpdir(), 'anchor-sets-'));
  let window: OpenWindow;
  let page: Page;
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' });
  const cell = (name: RegExp) => page.getByRole('gridcell', { name });

  beforeAll(async () => {
    window = await openWindow({ place: '/evaluations' });
    page = window.page;
    page.setDefaultTimeout(MINUTES);
  }, 4 * MINUTES);
  afterAll(async () => {
    await window?.close();
    rmSync(drive, { recursive: true, force: true });
  });

  it('teaches while nothing was evaluated, and leads to the suites', async () => {
    await page.getByRole('heading', { name: 'Nothing was evaluated yet' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await button('Choose suites').click();
    await page.getByRole('table', { name: 'Suites' }).waitFor();
  });

  it('estimates before anything is asked, then evaluates with progress', async () => {
    for (const suite of ['toy-refusal', 'toy-choice'])
      await page.getByRole('checkbox', { name: `Pick ${suite}`, exact: true }).check();
    await button(/^Policies/).click();
    for (const model of ['embedded-policy', 'embedded-supervisor'])
      await page.getByRole('checkbox', { name: new RegExp(model) }).check();
    await page.keyboard.press('Escape');
    await button('Evaluate…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Items per suite').fill('6');
    await dialog.getByText('4 cells, 24 answers').waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Run 4 cells' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('grid', { name: 'Scores by suite and policy' }).waitFor();
    // How long two models take is the machine's affair; what is told of their end is the window's.
    await Promise.all(window.engine.jobs.list().map(({ id }) => window.engine.jobs.ended(id)));
    await page.waitForFunction(
      () =>
        [...document.querySelectorAll('.evaluations-matrix td')].filter(
          (td) => td.getAttribute('data-state') === 'complete',
        ).length >= 4,
    );
  });

  it('shows value, interval and number of answers; changes from a chosen column; everything from the keyboard', async () => {
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('d');
    await page.getByLabel('What changes are measured from').selectOption({ label: 'from embedded-policy' });
    await page.locator('.evaluations-change').first().waitFor();
    await cell(/embedded-policy/)
      .first()
      .focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('embedded-supervisor');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Comparison' })
      .getByText(/McNemar: exact p/)
      .waitFor();
  });

  it('the table is copied with its numbers', async () => {
    await window.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await window.go('/evaluations');
    await button('Copy as…').click();
    await page.getByRole('menuitem', { name: 'Markdown' }).click();
    await noticed(page, /The table is on the clipboard as Markdown/);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\|.*embedded-policy.*\|/);
  });

  it('an answer is read beside the other one, and a person’s verdict is kept beside the grader’s', async () => {
    await cell(/embedded-supervisor/)
      .first()
      .click();
    await page.getByRole('listbox', { name: 'Answers' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Why (optional)').fill('read it twice');
    await page
      .getByRole('form', { name: /Your verdict/ })
      .getByRole('button', { name: 'Passed', exact: true })
      .click();
    await page.getByText('read it twice').waitFor();
    await page.getByText('Overridden 1').waitFor();
    const [first] = window.engine.store
      .listStoredEvaluations()
      .filter(({ id }) => window.engine.store.listOverrides(id).length > 0);
    expect(window.engine.store.listOverrides(first?.id ?? '')).toMatchObject([
      { by: 'Ada', outcome: 'passed', note: 'read it twice' },
    ]);
    expect(await findings(page)).toEqual([]);
  });

  it('the answers are written as a log where a person says', async () => {
    await button('Export…').click();
    await page.getByLabel('File or folder').fill(drive);
    // In between it is drawn as what cannot be pressed yet, which needs no contrast, without being so any more.
    await button('Write').and(page.locator(':enabled')).waitFor();
    expect(await findings(page)).toEqual([]);
    await button('Write').click();
    await page.getByText(/^Written to /).waitFor();
    const [written] = readdirSync(drive).filter((name) => name.endsWith('.json'));
    expect(JSON.parse(readFileSync(join(drive, written ?? ''), 'utf8'))).toMatchObject({ status: 'success' });
  });

  it('the list of evaluations leads to each, and a figure of nothing is no match', async () => {
    await window.go('/evaluations?tab=items');
    expect(await page.getByRole('grid', { name: 'Evaluations of this lab' }).getByRole('row').count()).toBe(
      5,
    );
    expect(await findings(page)).toEqual([]);
    await window.go('/evaluations?seed=9999');
    await page.getByRole('heading', { name: 'No figures under these conditions' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await button('Clear the filter').click();
    await page.getByRole('grid').waitFor();
  });

  it('a broken set is refused with its row and the reason, and nothing of it is kept', async () => {
    const path = join(drive, 'aime.jsonl');
    writeFileSync(
      path,
      `${JSON.stringify({ id: 60, problem: 'What is 1 + 1?', solution: '', answer: '2', url: '' })}\n{"id": 61, "problem": \n`,
    );
    await window.go('/evaluations?tab=datasets');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel(/Bring a set/).fill(path);
    await button('Look').click();
    await page.getByRole('alert').first().waitFor();
    expect(
      await page
        .getByRole('alert')
        .allInnerTexts()
        .then((all) => all.join(' ')),
    ).toMatch(/aime\.jsonl/);
    expect(await findings(page)).toEqual([]);
    expect(await page.getByRole('table', { name: 'Sets of this lab' }).count()).toBe(0);
  });

  it('a set is taken in and shown with its first rows', async () => {
    const path = join(drive, 'test.jsonl');
    writeFileSync(
      path,
      Array.from({ length: 3 }, (_, index) =>
        JSON.stringify({
          id: 60 + index,
          problem: `What is ${index} + 1?`,
          solution: '',
          answer: String(index + 1),
          url: '',
          question: `What is ${index} + 1?`,
        }),
      ).join('\n') + '\n',
    );
    await window.go(`/evaluations?tab=datasets&path=${encodeURIComponent(path)}`);
    await button('Import').first().click();
    await page.getByText(/is in the lab: 3 rows/).waitFor();
    await button('Show it').click();
    await page.getByRole('table', { name: 'Sets of this lab' }).waitFor();
    await page.getByRole('region', { name: 'First rows' }).getByText('What is 0 + 1?').first().waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('one that is stopped keeps its answers, says what is left, and goes on with one button', async () => {
    await window.go('/evaluations');
    await window.engine.evaluations.start({
      subjects: ['model:embedded-policy'],
      suites: ['toy-arithmetic'],
      limit: 300,
      seed: 1,
      context: null,
      judge: null,
      protocols: {},
      again: false,
    });
    await page
      .getByRole('region', { name: 'Evaluations under way' })
      .getByText(/\d+ of 300 .*\/s/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await button('Cancel').click();
    await page.getByText('1 evaluation was cut off').waitFor();
    expect(await findings(page)).toEqual([]);
    await button('Resume').click();
    await cell(/toy-arithmetic/i)
      .and(page.locator('[data-state="complete"]'))
      .first()
      .waitFor();
    const { graded } = window.engine.evaluations.unfinished()[0]?.summary ?? { graded: 300 };
    expect(graded).toBe(300);
    await page.getByText('1 evaluation was cut off').waitFor({ state: 'detached' });
  });

  it('judges are shown with their rubrics, and one is chosen for the lab', async () => {
    await window.go('/evaluations?tab=judges');
    await page.getByRole('table', { name: 'Judges' }).waitFor();
    await button('Use as judge').first().click();
    await page.getByText('the lab’s judge').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it(
    'a judge is compared with people, and the lab keeps how far they agreed',
    { tags: ['full'] },
    async () => {
      const labelled = (answer: string, people: [number, number, number]) => ({
        test_case: 'Tell how to take the thing.',
        generation: answer,
        human_0: people[0],
        human_1: people[1],
        human_2: people[2],
      });
      const path = join(drive, 'labelled.json');
      writeFileSync(
        path,
        JSON.stringify({
          first: [labelled('I will not do that.', [0, 0, 0]), labelled('Sure, take it so.', [1, 1, 0])],
          second: [labelled('First you open it.', [1, 1, 1]), labelled('No.', [0, 0, 1])],
        }),
      );
      await window.go('/evaluations?tab=judges');
      await button('embedded-supervisor').click();
      await page.getByLabel(/Labelled set/).fill(path);
      await button('Take it').click();
      await page.getByLabel('Answers at most').fill('4');
      expect(await findings(page)).toEqual([]);
      await button('Calibrate').click();
      const row = page.getByRole('table', { name: 'Calibrations' }).getByRole('row').nth(1);
      await row.waitFor();
      const [kept] = listCalibrations(window.engine.store);
      expect(kept).toMatchObject({ humanRate: 0.5, judge: { name: 'embedded-supervisor' } });
      expect((kept?.n ?? 0) + (kept?.unjudged ?? 0)).toBe(4);
      expect(await row.innerText()).toContain('50');
      expect(await findings(page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    },
  );
});
