import { describe, expect, it } from 'vitest';
import type { RecordRow } from '../../../../electron/contract/index.ts';
import { PAGE_ROWS, RowPages } from '../../../../renderer/rooms/records/list/row-pages.ts';

const row = (index: number): RecordRow => ({
  id: `1/pred_code_o/${index}`,
  step: 1,
  batch: 'pred_code_o',
  index,
  sample: null,
  purpose: 'solve',
  role: 'solver',
  taskType: 'deduction',
  formatOk: true,
  finish: 'stop',
  newTokens: 1,
  verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: null },
  reward: null,
  excerpt: '',
  reviews: [],
});

/** Pages of a run of so many records, answered one by one when the test says so. */
function source(count: () => number) {
  const asked: { first: number; answer: () => Promise<void>; fail: () => Promise<void> }[] = [];
  const pages = new RowPages((first, limit) => {
    const { promise, resolve, reject } = Promise.withResolvers<RecordRow[]>();
    const rows = Array.from({ length: Math.max(0, Math.min(limit, count() - first)) }, (_, offset) =>
      row(first + offset),
    );
    const settled = async (act: () => void): Promise<void> => {
      act();
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    };
    asked.push({
      first,
      answer: () => settled(() => resolve(rows)),
      fail: () => settled(() => reject(new Error('away'))),
    });
    return promise;
  });
  return { pages, asked };
}

describe('pages of a list', () => {
  it('begin with the first, and know the count before it was counted as far as that page goes', async () => {
    const { pages, asked } = source(() => 30);
    expect(pages.count).toBeNull();
    pages.want(0, 10);
    await asked[0]?.answer();
    expect([pages.count, pages.rowAt(29)?.index, pages.rowAt(30)]).toEqual([30, 29, undefined]);
  });

  it('are asked for as they come into view, at most two at a time, the last wanted first', async () => {
    const { pages, asked } = source(() => 100_000);
    pages.setTotal(100_000);
    for (const first of [0, 5000, 20_000, 70_000]) pages.want(first, first + 30);
    expect(asked.map(({ first }) => first)).toEqual([0, 5000]);
    await asked[0]?.answer();
    expect(asked.map(({ first }) => first)).toEqual([0, 5000, 70_000]);
    await asked[1]?.answer();
    await asked[2]?.answer();
    expect(asked).toHaveLength(3);
    expect(pages.rowAt(70_010)?.index).toBe(70_010);
  });

  it('cover a view that spans two of them', () => {
    const { pages, asked } = source(() => 1000);
    pages.setTotal(1000);
    pages.want(PAGE_ROWS - 5, PAGE_ROWS + 5);
    expect(asked.map(({ first }) => first)).toEqual([0, PAGE_ROWS]);
  });

  it('that were not full are read again when rows joined, full ones are not', async () => {
    let count = 150;
    const { pages, asked } = source(() => count);
    pages.setTotal(150);
    pages.want(90, 149);
    await asked[0]?.answer();
    await asked[1]?.answer();
    count = 180;
    pages.setTotal(180);
    expect(asked.map(({ first }) => first)).toEqual([0, 100, 100]);
    await asked[2]?.answer();
    expect(pages.rowAt(179)?.index).toBe(179);
  });

  it('tell their readers of every change, and where a record stands', async () => {
    const { pages, asked } = source(() => 500);
    let told = 0;
    const stop = pages.subscribe(() => {
      told += 1;
    });
    pages.setTotal(500);
    pages.want(200, 220);
    await asked[0]?.answer();
    expect(told).toBe(2);
    expect([pages.indexOf('1/pred_code_o/250'), pages.indexOf('1/pred_code_o/50')]).toEqual([250, null]);
    stop();
    pages.setTotal(600);
    expect(told).toBe(2);
  });

  it('that cannot be read say so once, keep what is there, and are read again on request', async () => {
    const { pages, asked } = source(() => 500);
    pages.setTotal(500);
    pages.want(0, 20);
    await asked[0]?.answer();
    pages.want(300, 320);
    await asked[1]?.fail();
    expect(String(pages.failure)).toContain('away');
    expect(pages.rowAt(3)?.index).toBe(3);
    pages.want(400, 420);
    expect(asked).toHaveLength(2);
    pages.retry();
    await asked[2]?.answer();
    expect([pages.failure, pages.rowAt(410)?.index]).toEqual([null, 410]);
  });

  it('are forgotten when many others were read since', async () => {
    const { pages, asked } = source(() => 100_000);
    pages.setTotal(100_000);
    for (let number = 0; number < 70; number += 1) {
      pages.want(number * PAGE_ROWS, number * PAGE_ROWS + 10);
      await asked[number]?.answer();
    }
    expect([pages.rowAt(0), pages.rowAt(69 * PAGE_ROWS)?.index]).toEqual([undefined, 6900]);
  });
});
