import type { Page } from 'playwright-core';
import type { Engine } from '../../../electron/engine/index.ts';
import type { OpenWindow } from '../../e2e/window/open-window.ts';
import { makeConfig, makeContext, makeInitial } from '../../electron/store/support/make-records.ts';
import type { Measured } from './measured.ts';

const LIVE_RUN = 'run-live';
const EVENTS_PER_SECOND = 1000;
const TICK_MS = 20;
const KEY_EVERY_MS = 500;

/** A run at work, as far as the store is concerned, for the feed to speak of. */
function liveRun({ store }: Engine): void {
  if (store.getRun(LIVE_RUN) === null) {
    store.createRun({
      id: LIVE_RUN,
      config: { ...makeConfig('a run that is watched'), steps: 500 },
      folder: `runs/${LIVE_RUN}`,
    });
    store.putInitial(LIVE_RUN, { ...makeInitial(), context: { ...makeContext(1), lines: [] } });
  }
  const state = store.getRun(LIVE_RUN)?.state;
  if (state === 'stepping') return; // an earlier part began it
  if (state === 'interrupted') store.setRunState(LIVE_RUN, 'queued', null);
  for (const next of ['setting-up', 'stepping'] as const) store.setRunState(LIVE_RUN, next, null);
}

/** Tells the engine's feed of records and reviews at an even pace until it is stopped; returns how many. */
function feed(engine: Engine): { stop(): number } {
  const start = performance.now();
  const first = engine.live.cursor().seq;
  let told = 0;
  const tick = (): void => {
    const due = Math.floor(((performance.now() - start) / 1000) * EVENTS_PER_SECOND);
    for (; told < due; told += 1) tellOne(engine, told);
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return engine.live.cursor().seq - first;
    },
  };
}

function tellOne({ live }: Engine, n: number): void {
  const step = 1 + Math.floor(n / 200);
  const id = `${step}/pred_code_o/${n % 200}`;
  if (n % 5 === 4) {
    live.emit({
      kind: 'review',
      runId: LIVE_RUN,
      review: {
        id: `${id}#thought`,
        step,
        batch: 'pred_code_o',
        phase: 'thought',
        rolloutId: id,
        status: 'done',
        decision: n % 3 === 0 ? 'retry' : 'continue',
        issues: ['skipped-trace'],
        feedback: 'The trace leaves out the second turn of the loop.',
        reviewer: 'rubric',
        milliseconds: 41,
      },
    });
  } else {
    live.emit({
      kind: 'record',
      runId: LIVE_RUN,
      record: {
        id,
        step,
        batch: 'pred_code_o',
        purpose: 'solve',
        role: 'solver',
        taskType: 'deduction',
        finish: 'stop',
        newTokens: 90,
        formatOk: true,
        verdict: {
          outcome: n % 2 === 0 ? 'passed' : 'failed',
          reason: null,
          accuracy: n % 2 === 0 ? 1 : 0,
          sandboxLevel: 'L3',
        },
        reward: 0.5,
        excerpt: `answer ${n}: the value is ${n * 7}, because the loop ends after ${n % 9} turns and adds one each time`,
      },
    });
  }
}

type Heard = { events: number; last: number; holes: number };

/** Counts events as they arrive on the page's socket, before anything else looks at them. */
async function countEvents(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const heard = { events: 0, last: 0, holes: 0 };
    (globalThis as unknown as { heard: typeof heard }).heard = heard;
    const count = ({ data }: MessageEvent): void => {
      if (typeof data !== 'string') return;
      for (const [, text] of data.matchAll(/"seq":(\d+),"at"/g)) {
        const seq = Number(text);
        if (heard.last !== 0 && seq !== heard.last + 1) heard.holes += 1;
        heard.last = seq;
        heard.events += 1;
      }
    };
    const Original = globalThis.WebSocket;
    globalThis.WebSocket = class extends Original {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        this.addEventListener('message', count);
      }
    };
  });
  await page.reload();
  await page.locator('#content').waitFor();
}

const heardBy = (page: Page): Promise<Heard> =>
  page.evaluate(() => ({ ...(globalThis as unknown as { heard: Heard }).heard }));

/** Milliseconds from a key press until the frame after it is painted. The page listens before the key is pressed: a key nobody heard is waited for without end. */
async function keyLatency(page: Page): Promise<number> {
  const painted = await page.evaluateHandle(() => {
    const pressed = Promise.withResolvers<number>();
    addEventListener(
      'keydown',
      ({ timeStamp }) =>
        requestAnimationFrame(() => setTimeout(() => pressed.resolve(performance.now() - timeStamp))),
      { capture: true, once: true },
    );
    return { latency: pressed.promise };
  });
  await page.keyboard.press('j');
  return painted.evaluate(({ latency }) => latency);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Bytes of the page's JavaScript heap after a full collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** A minute of a thousand events a second on the page of the run they speak of. */
export async function feeding(window: OpenWindow, seconds: number): Promise<Measured[]> {
  liveRun(window.engine);
  await window.go(`/runs/${LIVE_RUN}`);
  await countEvents(window.page);
  const before = await heardBy(window.page);
  const source = feed(window.engine);
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    latencies.push(await keyLatency(window.page));
    await pause(KEY_EVERY_MS);
  }
  const told = source.stop();
  await pause(3000);
  const heard = await heardBy(window.page);
  return [
    {
      name: `events lost of ${told} (${seconds} s)`,
      unit: 'events',
      budget: 0,
      better: 'less',
      values: [told - (heard.events - before.events) + heard.holes],
      heldBy: 'worst',
      note: `${Math.round(told / seconds)} events/s told, ${heard.holes} holes in the numbering`,
    },
    {
      name: 'key press to paint under the feed',
      unit: 'ms',
      budget: 100,
      better: 'less',
      values: latencies,
      heldBy: 'p95',
    },
  ];
}

const SAMPLE_S = 30;

/** The page's heap while the feed goes on, against what it was once the page was warm. */
export async function memory(window: OpenWindow, minutes: number): Promise<Measured[]> {
  liveRun(window.engine);
  await window.go(`/runs/${LIVE_RUN}`);
  const source = feed(window.engine);
  await pause(SAMPLE_S * 1000);
  const warm = await heapBytes(window.page);
  const changes: number[] = [];
  for (let sample = 0; sample < (minutes * 60) / SAMPLE_S; sample += 1) {
    await pause(SAMPLE_S * 1000);
    changes.push((100 * Math.abs((await heapBytes(window.page)) - warm)) / warm);
  }
  source.stop();
  return [
    {
      name: `page memory, change in ${minutes} min of feed`,
      unit: '%',
      budget: 20,
      better: 'less',
      values: changes,
      heldBy: 'worst',
      note: `heap after collection ${(warm / 1e6).toFixed(1)} MB at ${SAMPLE_S} s, one figure every ${SAMPLE_S} s`,
    },
  ];
}
