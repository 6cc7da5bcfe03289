import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createTRPCClient, createWSClient, httpLink, wsLink } from '@trpc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { EngineRouter } from '../../../electron/engine/index.ts';
import type { LoopbackHost } from '../../../electron/hosts/index.ts';
import { openHost, type Answer, type OpenHost, type Sent } from './open-host.ts';

/** The host as programs use it: without a window, with the token in each request. */
let open: OpenHost;
let host: LoopbackHost;
let port: number;
beforeAll(async () => {
  open = await openHost({ bundle: null });
  ({ host, port } = open);
});
afterAll(() => open.close());

const send = ({ path = '/trpc/runs.list', headers = {}, ...sent }: Sent): Promise<Answer> =>
  open.send({ ...sent, path, headers: { authorization: `Bearer ${host.token}`, ...headers } });
const sendRaw = (bytes: string): Promise<string> => open.sendRaw(bytes);

describe('the loopback host', () => {
  it('answers a verb to the right token', async () => {
    expect(await send({})).toMatchObject({
      status: 200,
      text: expect.stringContaining('"rows":[]') as string,
    });
  });

  it.each<[string, Sent, number]>([
    ['no token', { headers: { authorization: '' } }, 401],
    ['a wrong token', { headers: { authorization: 'Bearer x' } }, 401],
    ['a token that is too long', { headers: { authorization: `Bearer ${'x'.repeat(4000)}` } }, 401],
    ['the token under another scheme', { headers: { authorization: 'Basic x' } }, 401],
    ['the token in the address', { path: '/trpc/runs.list?token=x', headers: { authorization: '' } }, 401],
    ['a rebound host name', { headers: { host: 'evil.example' } }, 421],
    ['a host that only begins like ours', { headers: { host: '127.0.0.1.evil.example' } }, 421],
    ['our host with another port', { headers: { host: '127.0.0.1:1' } }, 421],
    ['a foreign page', { headers: { origin: 'https://evil.example' } }, 403],
    ['a page of no origin', { headers: { origin: 'null' } }, 403],
    ['a page on another local port', { headers: { origin: 'http://127.0.0.1:1' } }, 403],
    ['our origin with https', { headers: { origin: 'https://127.0.0.1' } }, 403],
    [
      'a foreign page that writes',
      {
        method: 'POST',
        path: '/trpc/runs.stop',
        headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
        body: '{"runId":"x"}',
      },
      403,
    ],
    ['a path outside of the verbs', { path: '/etc/passwd' }, 404],
    ['a path that climbs', { path: '/trpc/../../etc/passwd' }, 404],
    ['an unknown verb', { path: '/trpc/runs.shutdown' }, 404],
    ['a verb that writes, by GET', { path: '/trpc/runs.stop?input=%7B%22runId%22%3A%22x%22%7D' }, 405],
    [
      'a simple form',
      {
        method: 'POST',
        path: '/trpc/runs.stop',
        headers: { 'content-type': 'text/plain' },
        body: '{"runId":"x"}',
      },
      415,
    ],
    [
      'a body over a megabyte',
      {
        method: 'POST',
        path: '/trpc/runs.stop',
        headers: { 'content-type': 'application/json' },
        body: `{"runId":"${'x'.repeat(1_100_000)}"}`,
      },
      413,
    ],
    [
      'a body that is not JSON',
      { method: 'POST', path: '/trpc/runs.stop', headers: { 'content-type': 'application/json' }, body: '{' },
      400,
    ],
    [
      'arguments of another shape',
      {
        method: 'POST',
        path: '/trpc/runs.stop',
        headers: { 'content-type': 'application/json' },
        body: '{"runId":7}',
      },
      400,
    ],
  ])('refuses %s', async (_what, sent, status) => {
    expect((await send(sent)).status).toBe(status);
  });

  it('refuses requests with two hosts or none', async () => {
    const head = `Authorization: Bearer ${host.token}\r\nConnection: close\r\n\r\n`;
    expect(
      await sendRaw(
        `GET /trpc/runs.list HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n${head}`,
      ),
    ).toMatch(/^HTTP\/1\.1 4/);
    expect(await sendRaw(`GET /trpc/runs.list HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 4/);
  });

  it('listens on no other address of this machine', async () => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && !address.internal && address.family === 'IPv4')
      .map((address) => address?.address as string);
    for (const address of others) {
      await expect(
        new Promise((resolve, reject) => {
          connect(port, address).on('connect', resolve).on('error', reject);
        }),
      ).rejects.toThrow();
    }
  });

  it('a failure reaches the caller as its sentence', async () => {
    const client = createTRPCClient<EngineRouter>({
      links: [httpLink({ url: `${host.url}/trpc`, headers: { authorization: `Bearer ${host.token}` } })],
    });
    await expect(client.runs.resume.mutate({ runId: 'run-none' })).rejects.toThrow(
      /no run "run-none" in this lab/,
    );
  });
});

describe('its WebSocket', () => {
  const dial = (headers: Record<string, string>, path = '/trpc'): Promise<string> => open.dial(headers, path);

  it.each<[string, Record<string, string>, string]>([
    ['without a token', { authorization: '' }, '401'],
    ['with a wrong token', { authorization: 'Bearer x' }, '401'],
    ['from a foreign page', { origin: 'https://evil.example' }, '403'],
    ['under a rebound host', { host: 'evil.example' }, '421'],
  ])('is refused %s', async (_what, headers, status) => {
    expect(await dial({ authorization: `Bearer ${host.token}`, ...headers })).toContain(status);
  });

  it('a client that resets in the middle of a refusal does not end the program', async () => {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(
            `GET /trpc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`,
          );
          socket.resetAndDestroy();
        });
        socket.on('error', () => {}).on('close', () => resolve());
      });
    }
    expect((await send({})).status).toBe(200);
  });

  it('is not found elsewhere', async () => {
    expect(await dial({ authorization: `Bearer ${host.token}` }, '/other')).toContain('404');
  });

  it('carries progress of the engine with growing sequence numbers', async () => {
    class Authorized extends WebSocket {
      constructor(url: string) {
        super(url, { headers: { authorization: `Bearer ${host.token}` } });
      }
    }
    const socket = createWSClient({ url: `ws://127.0.0.1:${port}/trpc`, WebSocket: Authorized as never });
    const client = createTRPCClient<EngineRouter>({ links: [wsLink({ client: socket })] });
    expect(await client.runs.list.query()).toMatchObject({ rows: [] });
    await socket.close();
  });
});
