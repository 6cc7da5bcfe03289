import { describe, expect, it } from 'vitest';
import { chipsOf } from '../../../../renderer/rooms/records/filters/filter-chips.tsx';
import {
  filterOf,
  NO_FILTER,
  recordOfLink,
  recordsSearchSchema,
  searchOf,
} from '../../../../renderer/rooms/records/filters/address.ts';

const read = (search: Record<string, unknown>) => recordsSearchSchema.parse(search);

describe('the address of the room', () => {
  it('is the filter, and a wrong part of it is left out', () => {
    expect(
      filterOf(
        read({
          from: 3,
          outcome: 'failed',
          reviewed: true,
          reviewedPhase: 'plan',
          phase: 'exec',
          leak: true,
          q: 'sum',
        }),
      ),
    ).toEqual({ fromStep: 3, outcome: 'failed', reviewed: true, phase: 'plan', leak: true });
    expect(filterOf(read({ outcome: 'splendid', from: 'x', batch: 7, leak: false, role: 'solver' }))).toEqual(
      { role: 'solver' },
    );
    expect(read({ view: 'upside-down', phase: 'lunch', focus: 'yes' })).toMatchObject({ view: 'rendered' });
  });

  it('of a filter and back is the same filter', () => {
    const filter = { fromStep: 2, toStep: 5, phase: 'plan', issue: 'vague-plan', reviewed: false } as const;
    expect(filterOf(read(searchOf(filter)))).toEqual(filter);
  });

  it('takes a number as text to search for, as the address bar turns digits into one', () =>
    expect(read({ q: 42 }).q).toBe('42'));

  it('can name a review: the record, and its phase to go to', () => {
    expect(recordOfLink('3/pred_code_o/1#plan')).toEqual({ record: '3/pred_code_o/1', phase: 'plan' });
    expect(recordOfLink('3/pred_code_o/1')).toEqual({ record: '3/pred_code_o/1', phase: undefined });
    expect(recordOfLink('3/pred_code_o/1#nonsense').phase).toBeUndefined();
  });

  it('is cleared of every condition by the part that lifts them all', () => {
    const search = read({
      ...read({ from: 3, reviewedPhase: 'plan', q: 'sum', similar: 'x', leak: true, record: 'kept' }),
      ...NO_FILTER,
    });
    expect([filterOf(search), search.q, search.similar, search.record]).toEqual([
      {},
      undefined,
      undefined,
      'kept',
    ]);
  });
});

describe('conditions in words', () => {
  it('are one for each, and each can be lifted alone', () => {
    const search = read({ to: 9, decision: 'retry', q: 'sum' });
    const changes: unknown[] = [];
    const chips = chipsOf(
      (id, values) => `${id}${values === undefined ? '' : ` ${String(values['value'])}`}`,
      search,
      filterOf(search),
      (part) => changes.push(part),
    );
    expect(chips.map(({ label }) => label)).toEqual([
      'records.chip.toStep 9',
      'records.facet.decision: records.value.decision.retry',
      'records.chip.search sum',
    ]);
    for (const { remove } of chips) remove();
    expect(changes).toEqual([{ to: undefined }, { decision: undefined }, { q: undefined }]);
  });
});
