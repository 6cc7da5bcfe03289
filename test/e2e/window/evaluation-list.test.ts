import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationPlanRecord } from '../../../electron/contract/index.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import { hex, makeConfig } from '../../electron/store/support/make-records.ts';
import { toyAnswer, toyPlan } from '../../electron/store/support/toy-evaluation.ts';
import { cutOffWhenLarger } from './clipping.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow, settled, type OpenWindow } from './open-window.ts';

const SHA256 = hex('weights');
const STEPS = 60;
const SUITES = ['toy-refusal', 'HarmBench'];
const judge = { kind: 'gguf', name: 'Strict', sha256: SHA256, promptVersion: '1' } as const;

const planOf = (step: number, suite: string): EvaluationPlanRecord =>
  toyPlan(
    {
      id: `one@${step}`,
      kind: 'checkpoint',
      label: `first run, step ${step}`,
      runId: 'one',
      step,
      model: 'm',
      format: 'safetensors',
      sha256: SHA256,
    },
    SHA256,
    { suite, ...(suite === 'HarmBench' && { judge }) },
  );

/** Two suites at each of 60 steps; the share that passed grows with the step, and the first two of HarmBench failed. */
function fill(lab: Lab): void {
  lab.createRun({ id: 'one', config: { ...makeConfig('one'), name: 'first run' }, folder: 'runs/one' });
  for (let step = 1; step <= STEPS; step += 1)
    for (const suite of SUITES) {
      const id = `${suite}-${step}`;
      lab.beginEvaluation({ id, plan: planOf(step, suite), weightsSha256: SHA256, planned: 1 });
      if (suite === 'HarmBench' && step <= 2) {
        lab.setEvaluationState(id, 'failed', 'The disk was full.', 70);
        continue;
      }
      lab.putEvaluationItems(id, [toyAnswer(0, true)]);
      const interval = { low: 0, high: 1, interval: 'wilson' as const };
      lab.finishEvaluation(
        id,
        [{ name: 'passed', value: step / STEPS, unit: 'share', n: 1, better: 'higher', ...interval }],
        10,
      );
    }
}

describe.skipIf(noChromium !== null)('the list of evaluations in the window', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-evaluation-list-'));
  let window: OpenWindow;
  let page: Page;
  const grid = () => page.getByRole('grid', { name: 'Evaluations of this lab' });
  const rows = () =>
    grid()
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') });
  const field = (name: string) => page.getByRole('combobox', { name, exact: true });
  const says = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const address = () => new URLSearchParams(page.url().split('?').at(-1));

  beforeAll(async () => {
    const lab = await openLab(folder, { now: () => new Date() });
    fill(lab);
    lab.close();
    window = await openWindow({ labFolder: folder, place: '/evaluations?tab=items' });
    page = window.page;
    page.setDefaultTimeout(20_000);
  }, 120_000);
  afterAll(async () => {
    await window?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('draws only the rows in view, newest first, and reads on to the last one', async () => {
    await says('120 of 120 evaluations');
    expect(await rows().first().innerText()).toContain('first run, step 60');
    expect(await rows().count()).toBeLessThan(40);
    await rows().first().hover(); // its words stay readable under the pointer
    expect(await findings(page)).toEqual([]);
    expect(await cutOffWhenLarger(page)).toEqual([]);
    await grid().focus();
    await page.keyboard.press('End');
    // The grid grows by the second page, which its last rows asked for.
    await page.waitForFunction(
      () => (document.querySelector('.evaluations-list > [role="rowgroup"]')?.clientHeight ?? 0) >= 120 * 42,
    );
    await page.keyboard.press('End');
    await grid().getByTitle('first run, step 1', { exact: true }).first().waitFor();
    await page.keyboard.press('Home');
  });

  it('is narrowed with counts and sorted; a link and Back bring the same list again', async () => {
    expect(await field('Suite').locator('option').allInnerTexts()).toEqual([
      'All suites',
      'HarmBench (60)',
      'toy-refusal (60)',
    ]);
    await field('Suite').selectOption('HarmBench');
    await says('60 of 120 evaluations');
    expect(await field('State').locator('option').allInnerTexts()).toEqual([
      'All states',
      'done (58)',
      'failed (2)',
    ]);
    await field('State').selectOption('done');
    await field('Judge').selectOption('Strict');
    await field('Policy').selectOption('one');
    await page.getByRole('textbox', { name: 'Find evaluations' }).fill('FIRST step');
    await says('58 of 120 evaluations');
    await grid()
      .getByRole('button', { name: /^Score/ })
      .click();
    await grid()
      .getByRole('button', { name: /^Score/ })
      .click();
    const isAsAsked = async (): Promise<void> => {
      await says('58 of 120 evaluations');
      await rows().first().getByTitle('first run, step 3', { exact: true }).waitFor();
      expect(
        await grid()
          .getByRole('columnheader', { name: /^Score/ })
          .getAttribute('aria-sort'),
      ).toBe('ascending');
      expect(await field('Suite').inputValue()).toBe('HarmBench');
      expect(await page.getByRole('textbox', { name: 'Find evaluations' }).inputValue()).toBe('FIRST step');
    };
    await isAsAsked();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save “Evaluations of this lab” as CSV' }).click();
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(lines).toHaveLength(59);
    expect(lines[0]).toMatch(/^\ufeff?evaluation,suite,/);
    expect(lines[1]).toMatch(/^HarmBench-3,/);
    expect(Object.fromEntries(address())).toEqual({
      tab: 'items',
      suite: 'HarmBench',
      state: 'done',
      judgedBy: 'Strict',
      of: 'one',
      q: 'FIRST step',
      by: 'score',
      order: 'up',
    });
    const link = page.url().split('#')[1] as string;
    await grid().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('listbox', { name: 'Answers' }).waitFor();
    expect(address().get('evaluation')).toBe('HarmBench-3');
    await page.goBack();
    await isAsAsked();
    await window.go('/evaluations?tab=items');
    await says('120 of 120 evaluations');
    await window.go(link);
    await isAsAsked();
  });

  it('where nothing matches, says which condition keeps evaluations away, and lifts all of them', async () => {
    await window.go('/evaluations?tab=items&suite=HarmBench&state=failed&judgedBy=none');
    await page
      .getByText('HarmBench · no judge · failed. Without the condition “Judge” there are 2')
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await says('120 of 120 evaluations');
    expect(Object.fromEntries(address())).toEqual({ tab: 'items' });
  });

  it('shows an evaluation that begins and ends meanwhile', async () => {
    const { store, evaluations } = window.engine;
    store.beginEvaluation({
      id: 'late',
      plan: planOf(61, 'toy-refusal'),
      weightsSha256: SHA256,
      planned: 4,
    });
    evaluations.changed('one');
    await says('121 of 121 evaluations');
    await rows().first().getByText('running').waitFor();
    store.setEvaluationState('late', 'stopped', 'It was stopped.', 5);
    evaluations.changed('one');
    await rows().first().getByText('cut off').waitFor();
    await settled(page);
    expect(window.complaints).toEqual([]);
  });
});
