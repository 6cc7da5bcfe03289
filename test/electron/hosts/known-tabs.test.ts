/** Tabs whose program was started again: a real server is closed and another one takes its port. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Engine } from '../../../electron/engine/index.ts';
import { serveLab, type LoopbackHost } from '../../../electron/hosts/index.ts';
import { openEngine } from '../../support/engine.ts';
import { newTab, signed, type Tab } from './tabs.ts';

const bundle = { file: () => undefined } as never;

type Answer = { status: number; headers: IncomingHttpHeaders; json: { challenge?: string; key?: string } };
const ask = (url: string, method: string, headers: Record<string, string>, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request(`${url}/session`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {},
        }),
      );
    })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });

type SignedIn = { cookie: string; key: string };
async function show(
  url: string,
  shown: object,
  headers: Record<string, string> = {},
): Promise<SignedIn | number> {
  const answer = await ask(
    url,
    'POST',
    { origin: url, 'content-type': 'application/json', 'x-anchor': '1', ...headers },
    shown,
  );
  if (answer.status !== 200) return answer.status;
  return { cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '', key: answer.json.key ?? '' };
}
const known = (url: string, { cookie, key }: SignedIn): Promise<Answer> =>
  ask(url, 'GET', { cookie, 'x-anchor-key': key });

/** Connects as a tab does; resolves when the server has admitted it. */
async function connect(url: string, { cookie, key }: SignedIn, tab: Tab): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/trpc?connectionParams=1`, {
    headers: { cookie, origin: url },
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject).on('message', () => resolve());
    socket.on('open', () => {
      socket.send(JSON.stringify({ method: 'connectionParams', data: { key, tab: tab.key } }));
      socket.send(JSON.stringify({ id: 1, method: 'query', params: { path: 'lab.status' } }));
    });
  });
  socket.terminate();
}

describe('a tab whose program was started again', () => {
  const base = mkdtempSync(join(tmpdir(), 'anchor-tabs-'));
  const lab = join(base, 'lab');
  const tab = newTab();
  let before: { in: SignedIn; challenge: string; url: string };
  let engine: Engine;
  let host: LoopbackHost | null = null;
  let others: Engine[] = [];

  beforeAll(async () => {
    engine = await openEngine(lab);
    const first = await serveLab(engine, { port: 0, bundle });
    const token = new URLSearchParams(new URL(first.link()).hash.slice(1)).get('token') ?? '';
    const signedIn = (await show(first.url, { token })) as SignedIn;
    await connect(first.url, signedIn, tab);
    const { json } = await ask(first.url, 'GET', {});
    before = { in: signedIn, challenge: json.challenge ?? '', url: first.url };
    await first.close();
  }, 60_000);
  afterEach(async () => {
    await host?.close();
    host = null;
    for (const other of others.splice(0)) await other.close();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(base, { recursive: true, force: true });
  });

  /** Another program takes the port of the one before. */
  async function serveAgain(of = engine): Promise<{ url: string; challenge: string }> {
    host = await serveLab(of, { port: Number(new URL(before.url).port), bundle });
    expect(host.url).toBe(before.url);
    const { status, json } = await known(host.url, before.in);
    expect(status).toBe(401);
    return { url: host.url, challenge: json.challenge ?? '' };
  }

  it('signs what the new one asks, and has a session of its own', async () => {
    const { url, challenge } = await serveAgain();
    const again = await show(url, { tab: tab.key, signature: signed(tab, url, challenge) });
    if (typeof again === 'number') throw new Error(`refused: ${again}`);
    expect((await known(url, again)).status).toBe(204);
    expect(again).not.toEqual(before.in);
    // What it showed to whoever listened meanwhile lets nobody in.
    expect((await known(url, before.in)).status).toBe(401);
  });

  it.each<[string, (url: string, challenge: string) => object]>([
    [
      'another key signed',
      (url, challenge) => ({ tab: tab.key, signature: signed(newTab(), url, challenge) }),
    ],
    [
      'the challenge was that of the program before',
      (url) => ({ tab: tab.key, signature: signed(tab, url, before.challenge) }),
    ],
    [
      'it was signed for another port',
      (_url, challenge) => ({ tab: tab.key, signature: signed(tab, 'http://127.0.0.1:1', challenge) }),
    ],
    [
      'it was signed for another name of this machine',
      (url, challenge) => ({
        tab: tab.key,
        signature: signed(tab, url.replace('127.0.0.1', 'localhost'), challenge),
      }),
    ],
    [
      'nobody let it in before',
      (url, challenge) => {
        const stranger = newTab();
        return { tab: stranger.key, signature: signed(stranger, url, challenge) };
      },
    ],
    ['nothing is signed', () => ({ tab: tab.key, signature: '' })],
  ])('is refused where %s', async (_what, shown) => {
    const { url, challenge } = await serveAgain();
    expect(await show(url, shown(url, challenge))).toBe(401);
  });

  it('is refused on behalf of another page', async () => {
    const { url, challenge } = await serveAgain();
    const shown = { tab: tab.key, signature: signed(tab, url, challenge) };
    expect(await show(url, shown, { origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await show(url, shown, { host: 'example.invalid' })).toBe(421);
  });

  it.each(['another lab', 'a copy of its lab'])('is refused by %s on the same port', async (which) => {
    const folder = join(base, which);
    if (which !== 'another lab') cpSync(join(lab, 'tabs.json'), join(folder, 'tabs.json'));
    const other = await openEngine(folder);
    others.push(other);
    const { url, challenge } = await serveAgain(other);
    expect(await show(url, { tab: tab.key, signature: signed(tab, url, challenge) })).toBe(401);
  });
});
