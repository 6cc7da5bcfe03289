import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openHost, type OpenHost } from './open-host.ts';

let open: OpenHost;
beforeAll(async () => {
  open = await openHost({
    limits: {
      requests: { burst: 10_000, perSecond: 10_000 },
      keyMs: 400,
      headMs: 600,
      requestMs: 1200,
      frames: { burst: 40, perSecond: 10 },
      sockets: 4,
      allSockets: 6,
    },
  });
});
afterAll(() => open.close());

/** A window's socket that has shown `key`; what it hears and how it ends. */
async function openSocket(
  headers: Record<string, string>,
  key: string | null,
): Promise<{ socket: WebSocket; heard: string[]; ended: Promise<number> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${open.port}/trpc?connectionParams=1`, { headers });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data))).on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    socket.on('close', resolve);
  });
  await new Promise((resolve) => {
    socket.on('open', resolve).on('error', resolve);
  });
  if (key !== null) socket.send(JSON.stringify({ method: 'connectionParams', data: { key } }));
  return { socket, heard, ended };
}

const LIST = JSON.stringify({ id: 1, method: 'query', params: { path: 'runs.list' } });
const waitFor = async (test: () => boolean): Promise<void> => {
  const end = performance.now() + 20_000;
  while (!test() && performance.now() < end)
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
};

describe("the window's socket", () => {
  it('answers verbs after cookie and key', async () => {
    const { cookie, key } = await open.signIn();
    const { socket, heard } = await openSocket({ cookie, origin: open.origin }, key);
    socket.send(LIST);
    await waitFor(() => heard.length > 0);
    socket.terminate();
    expect(heard[0]).toContain('"rows":[]');
  });

  it('is not opened by a program that says no page of ours, or by a page without the cookie', async () => {
    const { cookie } = await open.signIn();
    expect(await open.dial({ origin: open.origin })).toContain('401');
    expect(await open.dial({ cookie: `${cookie}x`, origin: open.origin })).toContain('401');
    expect(await open.dial({ cookie })).toContain('403');
    expect(await open.dial({ cookie, origin: 'https://evil.example' })).toContain('403');
    expect(await open.dial({ cookie, origin: 'null' })).toContain('403');
    expect(await open.dial({ cookie, origin: open.origin, 'sec-fetch-site': 'cross-site' })).toContain('403');
    expect(await open.dial({ cookie, origin: open.origin, host: 'evil.example' })).toContain('421');
    expect(await open.dial({ cookie, origin: open.origin }, '/trpc/../trpc2')).toContain('404');
    expect(await open.dial({ cookie, origin: open.origin }, '/trpc?token=x')).toContain('404');
  });

  it.each<[string, (key: string) => string]>([
    ['a wrong key', (key) => `${key}x`],
    ['an empty key', () => ''],
  ])('with %s answers nothing and is closed', async (_what, make) => {
    const { cookie, key } = await open.signIn();
    const { socket, heard, ended } = await openSocket({ cookie, origin: open.origin }, make(key));
    socket.send(LIST);
    await ended;
    expect(heard.join()).not.toContain('rows');
  });

  it('that never shows its key is closed', async () => {
    const { cookie } = await open.signIn();
    await (
      await openSocket({ cookie, origin: open.origin }, null)
    ).ended;
  });

  it('that skips the key by asking in the old way is answered nothing', async () => {
    const { cookie } = await open.signIn();
    const socket = new WebSocket(`ws://127.0.0.1:${open.port}/trpc`, {
      headers: { cookie, origin: open.origin },
    });
    const heard: string[] = [];
    socket
      .on('open', () => socket.send(LIST))
      .on('message', (data) => heard.push(String(data)))
      .on('error', () => {});
    await new Promise((resolve) => {
      socket.on('close', resolve);
    });
    expect(heard.join()).not.toContain('rows');
  });

  it('is closed for a frame of two megabytes', async () => {
    const { cookie, key } = await open.signIn();
    const { socket, ended } = await openSocket({ cookie, origin: open.origin }, key);
    socket.send('x'.repeat(2 * 1024 * 1024));
    expect(await ended).toBe(1009);
  });

  it('is closed for a flood of frames', async () => {
    const { cookie, key } = await open.signIn();
    const { socket, ended } = await openSocket({ cookie, origin: open.origin }, key);
    for (let frame = 0; frame < 100; frame += 1) socket.send('PING');
    expect(await ended).toBe(1008);
  });

  it('is refused when its browser has as many open as it may, or all together have, and another browser or a program is not before', async () => {
    const origin = open.origin;
    const [first, second, third] = [await open.signIn(), await open.signIn(), await open.signIn()];
    const authorization = `Bearer ${open.host.token}`;
    const opened = await Promise.all(
      [1, 2, 3, 4].map(() => openSocket({ cookie: first.cookie, origin }, first.key)),
    );
    expect(await open.dial({ cookie: first.cookie, origin })).toContain('429');
    opened.push(await openSocket({ cookie: second.cookie, origin }, second.key));
    opened.push(await openSocket({ authorization }, null));
    expect(opened.map(({ socket }) => socket.readyState)).toEqual(opened.map(() => WebSocket.OPEN));
    expect(await open.dial({ cookie: third.cookie, origin })).toContain('429');
    for (const { socket } of opened) socket.terminate();
  });
});

describe('connections that say nothing', () => {
  it('keep no window out, however often they are opened again', async () => {
    const crowd = await openHost({ limits: { headMs: 60_000, requestMs: 60_000 } });
    const held = new Set<Socket>();
    let opened = 0;
    let over = false;
    const hold = (again = true): void => {
      if (over) return;
      const socket = connect(crowd.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: 127.'));
      opened += 1;
      held.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          held.delete(socket);
          if (again) setImmediate(hold);
        });
    };
    try {
      for (let one = 0; one < 64; one += 1) hold();
      await waitFor(() => held.size === 64 && [...held].every(({ connecting }) => !connecting));
      for (let window = 0; window < 10; window += 1) {
        expect((await crowd.send({})).status).toBe(200);
        const { cookie } = await crowd.signIn();
        const kept = new WebSocket(`ws://127.0.0.1:${crowd.port}/trpc?connectionParams=1`, {
          headers: { cookie, origin: crowd.origin },
        });
        await new Promise((resolve, reject) => {
          kept.on('open', resolve).on('error', reject);
        });
        // Those who come again push each other out, and nobody who is known.
        const before = opened;
        for (let more = 0; more < 64; more += 1) hold(false);
        await waitFor(() => opened >= before + 128);
        expect(kept.readyState).toBe(WebSocket.OPEN);
        kept.terminate();
      }
      expect(opened).toBeGreaterThan(1000);
    } finally {
      over = true;
      for (const socket of held) socket.destroy();
      await crowd.close();
    }
  }, 60_000);
});

describe('a client that dawdles', () => {
  const dawdle = (begin: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(open.port, '127.0.0.1', () => socket.write(begin));
      let text = '';
      socket
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .on('close', () => resolve(text))
        .on('error', () => resolve(text));
    });

  it('with the head of its request is cut off', async () => {
    expect(await dawdle(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\n`)).toMatch(/^HTTP\/1\.1 408|^$/);
  });

  it('with its body is cut off', async () => {
    expect(
      await dawdle(
        `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nOrigin: ${open.origin}\r\nX-Anchor: 1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      ),
    ).not.toMatch(/ 200/);
  });
});
