import type { Page } from 'playwright-core';
import type { OpenWindow } from '../../e2e/window/open-window.ts';
import { BIG_RUN } from './big-lab.ts';
import type { Measured } from './measured.ts';
import { RARE } from './recipe.ts';

const RECORDS_PAGE = `/runs/${BIG_RUN}/records`;

/** Milliseconds from the click on an element until `until` holds and what it sees is painted. As text, because the page's policy lets it make no functions. */
function clickUntil(page: Page, selector: string, until: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const start = performance.now();
    const look = () => {
      if (${until}) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      else if (performance.now() - start > 30000) reject(new Error(${JSON.stringify(`${until} did not come about`)}));
      else requestAnimationFrame(look);
    };
    document.querySelector(${JSON.stringify(selector)}).click();
    requestAnimationFrame(look);
  })`);
}

const ROWS_THERE = `document.querySelector('.records-row .records-row-step') !== null`;

/** From the click on the link to the run's records until its first rows are painted; every time in a page that has read nothing of them. */
async function firstRows(window: OpenWindow, times: number): Promise<Measured> {
  const values: number[] = [];
  for (let round = 0; round < times; round += 1) {
    await window.go('/settings');
    await window.page.reload();
    await window.page.locator('#content').waitFor();
    // The frame's links are the room's own; one to this run stands in for the row of the list of runs.
    await window.page.evaluate((place) => {
      const link = document.createElement('a');
      link.href = `#${place}`;
      link.id = 'to-records';
      document.body.append(link);
    }, RECORDS_PAGE);
    values.push(await clickUntil(window.page, '#to-records', ROWS_THERE));
  }
  return {
    name: 'first rows after the click',
    unit: 'ms',
    budget: 300,
    better: 'less',
    values,
    heldBy: 'p95',
  };
}

/** From the click on a choice until it is marked, the list says its count, and rows are there that were read under it. */
async function facetChange(window: OpenWindow, times: number): Promise<Measured> {
  await window.go(RECORDS_PAGE);
  await window.page.locator('.records-choice .numbers').first().waitFor();
  const values: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const choice = await window.page.evaluate((number) => {
      const all = [...document.querySelectorAll<HTMLElement>('.records-choice:has(.numbers)')];
      const chosen = all[(number * 7) % all.length] as HTMLElement;
      document.querySelectorAll('[data-measured]').forEach((each) => each.removeAttribute('data-measured'));
      chosen.setAttribute('data-measured', '');
      return {
        count: chosen.querySelector('.numbers')?.textContent ?? '',
        isLifted: chosen.getAttribute('aria-pressed') === 'true',
        note: document.querySelector('.records-note')?.textContent ?? '',
      };
    }, round);
    const marked = choice.isLifted
      ? `document.querySelector('.records-note')?.textContent !== ${JSON.stringify(choice.note)}`
      : `document.querySelector('[data-measured][aria-pressed="true"]') !== null && document.querySelector('.records-note')?.textContent.startsWith(${JSON.stringify(`${choice.count} `)})`;
    values.push(
      await clickUntil(
        window.page,
        '[data-measured]',
        `${marked} && document.querySelector('.ui-list[aria-busy="false"]') !== null && document.querySelector('.records-row .mantine-Skeleton-root') === null && ${ROWS_THERE}`,
      ),
    );
    // Conditions add up until nothing is left; from time to time they are all lifted.
    if (round % 3 === 2) await window.go(RECORDS_PAGE);
  }
  return { name: 'facet change', unit: 'ms', budget: 100, better: 'less', values, heldBy: 'p95' };
}

const QUERIES = [
  RARE.word,
  'return',
  '"return value"',
  'sort reverse prime',
  'sort OR reverse NOT prime',
  'nonexistentword',
  'quetz*',
];

/** Full-text search of the whole run at the engine: the newest 200 records found, with their excerpts. */
function search({ engine }: OpenWindow, times: number): Measured {
  const values: number[] = [];
  const slowest = { text: '', ms: 0 };
  for (const text of QUERIES) {
    for (let round = 0; round < times; round += 1) {
      const start = performance.now();
      engine.store.findRecords(BIG_RUN, text, null);
      const ms = performance.now() - start;
      values.push(ms);
      if (ms > slowest.ms) Object.assign(slowest, { text, ms });
    }
  }
  return {
    name: 'search at the engine',
    unit: 'ms',
    budget: 50,
    better: 'less',
    values,
    heldBy: 'p95',
    note: `${QUERIES.length} queries, the slowest ${slowest.text} with ${slowest.ms.toFixed(0)} ms`,
  };
}

/** A text of a megabyte: from the key that moves to its record until its beginning is painted. */
async function longText(window: OpenWindow, times: number): Promise<Measured> {
  const values: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const id = round % 2 === 0 ? RARE.longId : RARE.longLineId;
    await window.go(`${RECORDS_PAGE}?record=${encodeURIComponent('1/gen_code_i/0')}&view=raw`);
    await window.page.evaluate(
      (href) => {
        document.querySelector('#to-long')?.remove();
        const link = document.createElement('a');
        Object.assign(link, { href: `#${href}`, id: 'to-long' });
        document.body.append(link);
      },
      `${RECORDS_PAGE}?record=${encodeURIComponent(id)}&view=raw`,
    );
    values.push(
      await clickUntil(
        window.page,
        '#to-long',
        `document.querySelector('.records-head h2')?.textContent === ${JSON.stringify(id)} && document.querySelector('.ui-text-part') !== null`,
      ),
    );
  }
  return { name: 'a record of 1 MB', unit: 'ms', budget: 300, better: 'less', values, heldBy: 'p95' };
}

export async function reading(window: OpenWindow): Promise<Measured[]> {
  return [
    await firstRows(window, 10),
    await facetChange(window, 30),
    search(window, 10),
    await longText(window, 8),
  ];
}
