import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { LiveBatch, LiveEvent } from '../../../electron/contract/index.ts';
import { KEPT_BYTES, LiveFeed, cursorToText, textToCursor } from '../../../electron/live/live-feed.ts';

const event = (runId: string): LiveEvent => ({ kind: 'changed', what: 'models', runId });
const newFeed = (epoch = 'a'): LiveFeed => new LiveFeed(epoch, () => new Date(0));

/** Reads until `count` events came. */
async function read(
  feed: LiveFeed,
  from: Parameters<LiveFeed['follow']>[0],
  count: number,
): Promise<LiveBatch[]> {
  const stop = new AbortController();
  const batches: LiveBatch[] = [];
  for await (const batch of feed.follow(from, stop.signal)) {
    batches.push(batch);
    if (batches.reduce((sum, { events }) => sum + events.length, 0) >= count) stop.abort();
  }
  return batches;
}

const numbers = (batches: readonly LiveBatch[]): number[] =>
  batches.flatMap(({ events }) => events.map(({ seq }) => seq));

describe('the live feed', () => {
  it('gives a new reader what happens from now on, in order', async () => {
    const feed = newFeed();
    feed.emit(event('before'));
    const reading = read(feed, null, 1000);
    await Promise.resolve();
    for (let index = 0; index < 1000; index += 1) feed.emit(event(String(index)));
    const batches = await reading;
    expect(numbers(batches)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
    expect(batches.every(({ missed, events }) => !missed && events.length <= 250)).toBe(true);
  });

  it('tells who comes later how far the reviewer of a run has come', () => {
    const feed = newFeed();
    const queue = (runId: string, waiting: number): LiveEvent => ({
      kind: 'queue',
      runId,
      step: 1,
      waiting,
      answering: 0,
      answered: 0,
      failed: 0,
      skipped: 0,
      answerSeconds: 0,
      budgetLeftSeconds: null,
      waitedSeconds: 0,
      waitsSince: null,
    });
    for (const each of [queue('a', 3), queue('a', 2), queue('b', 9), event('a')]) feed.emit(each);
    expect(feed.lastQueue('a')).toMatchObject({ runId: 'a', waiting: 2 });
    expect(feed.lastQueue('c')).toBeNull();
  });

  it('goes on where a reader was cut off, with no loss and no double', async () => {
    const feed = newFeed();
    for (let index = 0; index < 700; index += 1) feed.emit(event(String(index)));
    expect(numbers(await read(feed, { epoch: 'a', seq: 300 }, 400))).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 301),
    );
  });

  it.each([
    ['another start of the engine', { epoch: 'b', seq: 3 }],
    ['a place that has not come yet', { epoch: 'a', seq: 99 }],
  ])('tells a reader from %s that it missed something', async (_what, from) => {
    const feed = newFeed();
    for (let index = 0; index < 5; index += 1) feed.emit(event(String(index)));
    const reading = read(feed, from, 1);
    setTimeout(() => feed.emit(event('next')), 20);
    const [first, second] = await reading;
    expect([first?.missed, first?.events, second?.events.map(({ seq }) => seq)]).toEqual([true, [], [6]]);
  });

  it('keeps sixteen megabytes of the newest, and says so to a reader who is further behind', async () => {
    const feed = newFeed();
    const large = event('x'.repeat(10_000));
    const bytes = Buffer.byteLength(JSON.stringify(large));
    for (let index = 0; index < 5000; index += 1) feed.emit(large);
    const [far] = await read(feed, { epoch: 'a', seq: 1 }, 0);
    expect(far?.missed).toBe(true);
    const oldest = 5000 - Math.floor(KEPT_BYTES / (bytes + 200)) + 1;
    expect((await read(feed, { epoch: 'a', seq: oldest - 2 }, 0))[0]?.missed).toBe(true);
    const near = await read(feed, { epoch: 'a', seq: oldest - 1 }, 5000 - oldest + 1);
    expect([near.some(({ missed }) => missed), numbers(near)[0], numbers(near).at(-1)]).toEqual([
      false,
      oldest,
      5000,
    ]);
    expect(Math.max(...near.map(({ events }) => Buffer.byteLength(JSON.stringify(events))))).toBeLessThan(
      300_000,
    );
  });

  it('tells a reader that fell behind while it was reading of the hole, then goes on with the newest', async () => {
    const feed = newFeed();
    const stop = new AbortController();
    const reader = feed.follow(null, stop.signal);
    await reader.next();
    feed.emit(event('first'));
    expect((await reader.next()).value).toMatchObject({ missed: false, events: [{ seq: 1 }] });
    for (let index = 0; index < 3; index += 1) feed.emit(event('x'.repeat(KEPT_BYTES + index)));
    expect(await reader.next()).toMatchObject({ value: { missed: true, events: [{ seq: 4 }] } });
    stop.abort();
    expect((await reader.next()).done).toBe(true);
  });

  it.each([
    ['long reviews', 20_000, 4000],
    ['the smallest there are', 400_000, 3],
  ])('takes less than 24 megabytes of memory, after %s', (_what, count, length) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const feed = newFeed();
    // A text of its own for each, as reviews have: one that all shared would take the memory of one.
    for (let index = 0; index < count; index += 1)
      feed.emit(event(Buffer.alloc(length, String(index)).toString('latin1')));
    collect();
    const taken = process.memoryUsage().heapUsed - before;
    expect(feed.cursor().seq).toBe(count);
    expect(taken).toBeLessThan(24 * 1024 * 1024);
  });

  it('places survive being written down; other text is no place', () => {
    expect(textToCursor(cursorToText({ epoch: 'f00d', seq: 12 }))).toEqual({ epoch: 'f00d', seq: 12 });
    for (const text of ['', '12', 'a:', ':1', 'a:-1', 'a b:1', `a:${'9'.repeat(20)}`])
      expect(textToCursor(text)).toBeNull();
  });
});
