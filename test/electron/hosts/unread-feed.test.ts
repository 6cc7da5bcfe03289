import { request, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openHost, type OpenHost } from './open-host.ts';

const MEGABYTE = 1024 * 1024;
const UNREAD = 4 * MEGABYTE;
/** What lies beside: the batch that is being sent, what the system's own buffers hold in this process, and the unsteadiness of a heap. */
const BESIDE = 6 * MEGABYTE;

let open: OpenHost;
beforeAll(async () => {
  open = await openHost({ limits: { sockets: 1, unreadBytes: UNREAD, closingMs: 2000 } });
});
afterAll(() => open.close());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** What is held once nothing more can be let go: buffers are freed a turn after what held them. */
async function memory(): Promise<number> {
  let [held, before] = [0, Infinity];
  do {
    before = held === 0 ? Infinity : held;
    collect();
    await turn();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    held = heapUsed + external;
  } while (before - held > MEGABYTE);
  return held;
}

/** A quarter of a megabyte of events, each with a text of its own, then everybody else's turn. */
async function flood(megabytes: number): Promise<number> {
  const before = process.cpuUsage();
  for (let quarter = 0; quarter < 4 * megabytes; quarter += 1) {
    for (let event = 0; event < 8; event += 1)
      open.engine.emit({
        kind: 'changed',
        what: 'models',
        runId: Buffer.alloc(MEGABYTE / 32, `${quarter}.${event} `).toString('latin1'),
      });
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const FOLLOW = JSON.stringify({
  id: 1,
  method: 'subscription',
  params: { path: 'live.events', input: {} },
});

const AUTHORIZATION = (): { authorization: string } => ({ authorization: `Bearer ${open.host.token}` });

/** Events until the engine has enough of a follower that does not read. */
async function floodUntilDropped(): Promise<void> {
  const dropped = vi.spyOn(WebSocket.prototype, 'close');
  while (dropped.mock.calls.length === 0) await flood(1);
  dropped.mockRestore();
}

/** A program's socket once there is a place for it; that of a socket which has just gone is free in a moment. */
async function connected(): Promise<WebSocket> {
  for (;;) {
    const socket = new WebSocket(`ws://127.0.0.1:${open.port}/trpc`, { headers: AUTHORIZATION() });
    const isOpen = await new Promise((resolve) => {
      socket.once('open', () => resolve(true)).on('error', () => resolve(false));
    });
    if (isOpen === true) return socket;
    await turn();
  }
}

/** One that follows the feed and has heard that it does. */
async function follower(): Promise<WebSocket> {
  const socket = await connected();
  const heard = new Promise((resolve) => {
    socket.on('message', (data) => String(data).includes('"type":"data"') && resolve(data));
  });
  socket.send(FOLLOW);
  await heard;
  return socket;
}

it('a window that stops reading is dropped, and neither fills the memory nor takes time from a run', async () => {
  // The ring that every window shares is full from here on.
  await flood(20);
  const alone = await flood(24);
  const socket = await follower();
  const before = await memory();
  socket.pause();
  const beside = await flood(24);
  const taken = (await memory()) - before;
  expect(taken).toBeLessThan(UNREAD + BESIDE);
  expect(beside).toBeLessThan(4 * alone + 1);
  socket.terminate();
});

it('it is told why, where it reads again soon', async () => {
  const socket = await follower();
  socket.pause();
  await floodUntilDropped();
  const ended = new Promise<[number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, String(reason)]));
  });
  socket.resume();
  expect(await ended).toEqual([1013, 'The page does not read; it comes back when it does.']);
});

it('one that never reads again is cut off, and its place is free', async () => {
  const socket = await follower();
  socket.pause();
  await floodUntilDropped();
  // There is place for one.
  (await connected()).terminate();
  socket.terminate();
});

it('one that reads as fast as it can is not dropped', async () => {
  const socket = await follower();
  let newest = 0;
  socket.on('message', (data) => {
    for (const [, seq] of String(data).matchAll(/"seq":(\d+)/g)) newest = Math.max(newest, Number(seq));
  });
  await flood(30);
  await expect.poll(() => newest).toBe(open.engine.live.cursor().seq);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.terminate();
});

it('a program that follows over HTTP and stops reading takes no more either', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`http://127.0.0.1:${open.port}/trpc/live.events?input=%7B%7D`, {
      headers: { ...AUTHORIZATION(), accept: 'text/event-stream' },
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
  expect(response.statusCode).toBe(200);
  response.pause();
  const before = await memory();
  await flood(24);
  expect((await memory()) - before).toBeLessThan(UNREAD + BESIDE);
  response.destroy();
});
