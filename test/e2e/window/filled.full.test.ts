// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { cutOff, cutOffWhenLarger, keptSmall, shortenedWhenLarger } from './clipping.ts';
import { askPerson, fillLab, type Filled } from './filled-lab.ts';
import { findings } from './findings.ts';
import { walkEnlarged } from './keyboard-walk.ts';
import { noChromium, openSampleWindow, openWindow, type OpenWindow } from './open-window.ts';

useWarmTrainer();

const SIZE = { width: 1280, height: 720 };
const OF_SAMPLE = ['sample-alone@24', 'sample-supervised@24'];
const OF_BOTH = [...OF_SAMPLE, 'model:embedded-policy', 'model:embedded-supervisor'].join(',');

/** Places that show something only where a lab is in use: each with its address and a selector of what it shows then. */
const PLACES: readonly (readonly [string, (filled: Filled) => string, string])[] = [
  [
    'the matrix with figures and changes',
    () => `/evaluations?tab=matrix&delta=on&base=sample-alone@24&columns=${OF_BOTH}`,
    '.evaluations-change',
  ],
  [
    'the matrix with all scores and curves',
    () => `/evaluations?tab=matrix&scores=on&columns=${OF_BOTH}`,
    '.evaluations-curves canvas',
  ],
  [
    'the list of evaluations',
    () => '/evaluations?tab=items',
    '.evaluations-list [data-column="score"]:has-text("%")',
  ],
  [
    'the answers of an evaluation',
    ({ other }) => `/evaluations?tab=items&evaluation=${other}`,
    '.evaluations-override',
  ],
  [
    'answers beside those of another evaluation',
    ({ one, other }) => `/evaluations?tab=items&evaluation=${other}&against=${one}&show=flipped`,
    '.evaluations-flip',
  ],
  [
    'two runs compared, with scores and flips',
    () => '/runs/compare?runs=sample-alone,sample-supervised',
    '#content td:has-text("%")',
  ],
  ['the runs', () => '/runs', '.runs-table [role="gridcell"]'],
  ['the audits', () => '/reviews/audits', '#content table'],
  ['an audit that is labelled', ({ audit }) => `/reviews/audits/${audit}`, '.reviews-hidden'],
  [
    'a labelled item of it',
    ({ audit }) => `/reviews/audits/${audit}?state=done`,
    '#content :text("What the supervisor said")',
  ],
  [
    'the results of an audit',
    ({ audit }) => `/reviews/audits/${audit}?view=results`,
    '#content td:has-text("person")',
  ],
  ['the review queue with open questions', () => '/reviews', '.reviews-side :text("Your review")'],
];

describe.skipIf(noChromium !== null)('a lab in use, in the dark theme', { timeout: 240_000 }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-filled-'));
  let window: OpenWindow;
  let filled: Filled;
  beforeAll(async () => {
    const made = await copyPreparedLab(join(scratch, 'lab'));
    window = await openSampleWindow({
      labFolder: made.folder,
      theme: 'dark',
      size: SIZE,
      place: '/settings',
    });
    filled = await fillLab(window.engine, made);
    await askPerson(window.engine);
  }, 600_000);
  afterAll(async () => {
    await window?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each(PLACES.map(([name, at, shown]) => ({ name, at, shown })))(
    '$name: axe finds nothing, nothing is cut off at any size of text, every control is reached by keys',
    async ({ at, shown }) => {
      await window.go(at(filled));
      await window.page.locator(shown).first().waitFor();
      expect(await faultsOf(window)).toEqual([]);
    },
  );

  it('the list of evaluations tells scores with their intervals, and dates, whole at any size of text', async () => {
    await window.go('/evaluations?tab=items');
    const cells =
      '.evaluations-list [role="row"]:not(.ui-grid-head) [data-column="score"], [data-column="when"]';
    expect(await shortenedWhenLarger(window.page, cells)).toEqual([]);
  });

  it('Ask with two answers: the same', async () => {
    const { page } = window;
    await window.go('/ask?left=model:embedded-policy&right=model:embedded-supervisor');
    await page.getByText('Loaded: answers begin at once.').nth(1).waitFor({ timeout: 60_000 });
    await page.getByRole('textbox', { name: 'Question' }).fill('Can you clean the sealed key?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('button', { name: 'Add to a suite…' }).waitFor({ timeout: 60_000 });
    expect(await faultsOf(window)).toEqual([]);
  });

  it('an empty lab: the same', async () => {
    const empty = await openWindow({ theme: 'dark', size: SIZE });
    try {
      await empty.page.getByRole('heading', { name: 'Welcome to Anchor Lab' }).waitFor();
      await empty.page.getByRole('figure').first().waitFor();
      expect(await faultsOf(empty)).toEqual([]);
    } finally {
      await empty.close();
    }
  });
});

/** What is wrong with the page that a window shows, one line each. */
async function faultsOf({ page, complaints }: OpenWindow): Promise<string[]> {
  complaints.length = 0;
  return [
    ...(await findings(page)),
    ...(await cutOff(page)),
    ...(await cutOffWhenLarger(page)),
    ...(await keptSmall(page)),
    ...(await walkEnlarged(page)),
    ...complaints,
  ];
}
