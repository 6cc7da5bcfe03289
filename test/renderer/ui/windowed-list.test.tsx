// @vitest-environment happy-dom
import { cleanup, fireEvent } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DataList, WindowedList } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

const list = (
  selected: number | null,
  onSelect = vi.fn(),
  count = 100_000,
  extra: Partial<Parameters<typeof WindowedList>[0]> = {},
) => (
  <WindowedList
    label="numbers"
    count={count}
    rowHeight={50}
    keyOf={(index) => `n/${index}`}
    selected={selected}
    onSelect={onSelect}
    renderRow={(index) => index}
    {...extra}
  />
);

describe('a list reached by number', () => {
  it('has only the rows in view, each with its place among all', () => {
    const { getAllByRole, getByRole } = show(list(null));
    const rows = getAllByRole('option');
    expect(rows.length).toBeLessThan(40);
    expect(rows[0]?.getAttribute('aria-posinset')).toBe('1');
    expect(rows[0]?.getAttribute('aria-setsize')).toBe('100000');
    expect(getByRole('listbox').hasAttribute('aria-activedescendant')).toBe(false);
  });

  it('brings a selected row into view and names it as the active one', () => {
    const { container, getByRole } = show(list(70_000));
    const active = getByRole('listbox').getAttribute('aria-activedescendant');
    expect(active).toBe('row-n-70000');
    expect(container.querySelector(`#${active}`)?.getAttribute('aria-selected')).toBe('true');
  });

  it('names no active row that is not there: after scrolling away the attribute is gone', () => {
    const { getByRole } = show(list(10));
    const box = getByRole('listbox');
    expect(box.getAttribute('aria-activedescendant')).toBe('row-n-10');
    box.scrollTop = 40_000;
    fireEvent.scroll(box);
    expect(box.hasAttribute('aria-activedescendant')).toBe(false);
  });

  it('opens a row by one click where it says so, else by two', () => {
    const [onSelect, onOpen] = [vi.fn(), vi.fn()];
    const { getAllByRole, rerender } = show(list(null, onSelect, 5, { onOpen, opensOnClick: true }));
    const row = getAllByRole('option')[2] as HTMLElement;
    fireEvent.click(row);
    fireEvent.doubleClick(row);
    expect([onSelect.mock.calls, onOpen.mock.calls]).toEqual([[[2]], [[2]]]);
    rerender(list(null, onSelect, 5, { onOpen }));
    fireEvent.click(getAllByRole('option')[3] as HTMLElement);
    expect(onOpen).toHaveBeenCalledOnce();
    fireEvent.doubleClick(getAllByRole('option')[3] as HTMLElement);
    expect(onOpen).toHaveBeenLastCalledWith(3);
  });

  it.each([
    ['ArrowDown', 6],
    ['j', 6],
    ['ArrowUp', 4],
    ['k', 4],
    ['Home', 0],
    ['End', 99_999],
    ['PageDown', 16],
    ['PageUp', 0],
  ])('moves with %s', (key, to) => {
    const onSelect = vi.fn();
    const { getByRole } = show(list(5, onSelect));
    fireEvent.keyDown(getByRole('listbox'), { key });
    expect(onSelect).toHaveBeenCalledExactlyOnceWith(to);
  });

  it('keeps its keys from the commands of the screen, and leaves others to them', () => {
    const heard = vi.fn();
    addEventListener('keydown', heard);
    const { getByRole } = show(list(5));
    fireEvent.keyDown(getByRole('listbox'), { key: 'j' });
    expect(heard).not.toHaveBeenCalled();
    fireEvent.keyDown(getByRole('listbox'), { key: 'f' });
    fireEvent.keyDown(getByRole('listbox'), { key: 'j', ctrlKey: true });
    expect(heard).toHaveBeenCalledTimes(2);
    removeEventListener('keydown', heard);
  });

  it('opens with Enter and tells which rows are in view', () => {
    const [onOpen, onView] = [vi.fn(), vi.fn()];
    const { getByRole } = show(list(5, vi.fn(), 100_000, { onOpen, onView }));
    fireEvent.keyDown(getByRole('listbox'), { key: 'Enter' });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(5);
    expect(onView.mock.lastCall?.[0]).toBe(0);
    expect(onView.mock.lastCall?.[1]).toBeGreaterThan(8);
  });
});

describe('a list loaded from its beginning', () => {
  it('asks for more near its end and selects by key', () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ id: `r${index}` }));
    const [onNearEnd, onSelect] = [vi.fn(), vi.fn()];
    const { getByRole } = show(
      <DataList
        label="rows"
        rows={rows}
        keyOf={({ id }) => id}
        rowHeight={30}
        total={500}
        selected="r3"
        onSelect={onSelect}
        renderRow={({ id }) => id}
        onNearEnd={onNearEnd}
      />,
    );
    expect(onNearEnd).toHaveBeenCalled();
    fireEvent.keyDown(getByRole('listbox'), { key: 'j' });
    expect(onSelect).toHaveBeenCalledExactlyOnceWith('r4', rows[4]);
  });
});
