// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { useHold } from '../../../../renderer/rooms/live/hooks.ts';
import { EMPTY_FEED, type Feed } from '../../../../renderer/rooms/live/model/feed.ts';

afterEach(cleanup);

const feedOf = (n: number): Feed =>
  ({
    ...EMPTY_FEED,
    entries: Array.from({ length: n }, (_, i) => ({ key: `${i}` })),
    received: n,
  }) as unknown as Feed;
const [none, one, two] = [feedOf(0), feedOf(1), feedOf(2)];

const holding = (feed: Feed) =>
  renderHook(({ feed: now, topAsked }) => useHold(now, topAsked), { initialProps: { feed, topAsked: 0 } });

describe('a feed that is pointed at', () => {
  it('stands still until it is left, or somebody asks for the newest', () => {
    const { result, rerender } = holding(one);
    act(() => result.current.hold());
    rerender({ feed: two, topAsked: 0 });
    expect(result.current).toMatchObject({ shown: one, isHeld: true });
    act(() => result.current.release());
    expect(result.current).toMatchObject({ shown: two, isHeld: false });
    act(() => result.current.hold());
    rerender({ feed: feedOf(3), topAsked: 1 });
    expect(result.current).toMatchObject({ shown: { received: 3 }, isHeld: false });
  });

  it('shows the first lines that come under a resting pointer, and holds those', () => {
    const { result, rerender } = holding(none);
    act(() => result.current.hold());
    expect(result.current.isHeld).toBe(false);
    rerender({ feed: one, topAsked: 0 });
    expect(result.current).toMatchObject({ shown: one, isHeld: true });
    rerender({ feed: two, topAsked: 0 });
    expect(result.current).toMatchObject({ shown: one, isHeld: true });
  });
});
