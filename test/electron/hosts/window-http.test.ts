import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHost, OWN_EXCHANGE, type OpenHost, type Sent } from './open-host.ts';

/** Every request below comes to one real server, as a browser, a foreign page or another program on this machine would send it. */
let open: OpenHost;
beforeAll(async () => {
  open = await openHost({ limits: { requests: { burst: 10_000, perSecond: 10_000 } } });
});
afterAll(() => open.close());

const freshToken = (): string =>
  new URLSearchParams(new URL(open.host.link()).hash.slice(1)).get('token') ?? '';

describe('the page', () => {
  it('is served to anybody on this machine, with a policy that lets it run its own scripts only', async () => {
    const { status, headers, text } = await open.send({});
    expect(status).toBe(200);
    const policy = headers['content-security-policy'] ?? '';
    const nonce = /style-nonce" content="([^"]+)"/.exec(text)?.[1] ?? 'none';
    expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${open.port};`);
    expect(policy).toContain(`require-trusted-types-for 'script'; trusted-types default`);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('has another nonce each time', async () => {
    const nonces = await Promise.all(
      [1, 2, 3].map(
        async () =>
          /nonce-([^']+)/.exec(String((await open.send({})).headers['content-security-policy']))?.[1],
      ),
    );
    expect(new Set(nonces).size).toBe(3);
  });

  it('brings files that may be kept for good, since their names change with their content', async () => {
    const { status, headers } = await open.send({ path: '/assets/index-1a2b.js' });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'private, max-age=31536000, immutable',
    ]);
  });

  it.each(['/assets/index-1a2b.js', '/manifest.json', '/session', '/trpc/runs.list'])(
    'is all that may do something when it is opened as a page: %s may not',
    async (path) => {
      const policy = (await open.send({ path })).headers['content-security-policy'];
      expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'; sandbox$/);
    },
  );

  it.each<[string, Sent, number]>([
    ['the manifest', { path: '/manifest.json' }, 404],
    ['index.html without a nonce', { path: '/index.html' }, 404],
    ['a path that climbs', { path: '/../lab.sqlite' }, 404],
    ['a path that climbs in disguise', { path: '/assets/..%2f..%2flab.sqlite' }, 404],
    ['a path that climbs behind a semicolon', { path: '/assets/..;/..;/lab.sqlite' }, 404],
    ['a path with a NUL', { path: '/assets/index-1a2b.js%00.html' }, 404],
    ['a path with backslashes', { path: '/assets\\index-1a2b.js' }, 404],
    ['a folder', { path: '/assets/' }, 404],
    ['the address of another server', { path: 'http://evil.example/' }, 404],
    ['the token in the query', { path: '/?token=abc' }, 404],
    ['a page that is written', { method: 'PUT', path: '/', body: 'x' }, 405],
    ['a file that is deleted', { method: 'DELETE', path: '/assets/index-1a2b.js' }, 405],
    ['a trace of the headers', { method: 'TRACE', path: '/' }, 405],
    [
      'a question before a foreign request',
      {
        method: 'OPTIONS',
        path: '/',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      },
      403,
    ],
    ['a rebound host name', { headers: { host: 'evil.example' } }, 421],
    ['a host that only begins like ours', { headers: { host: 'localhost.evil.example' } }, 421],
    ['a link on a foreign page', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a page on another port of this machine', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ["the verbs, with a browser's session but without a program's token", { path: '/trpc/runs.list' }, 401],
  ])('is refused: %s', async (_what, sent, status) => {
    expect((await open.send(sent)).status).toBe(status);
  });
});

describe('the exchange of the token', () => {
  it('gives a cookie that scripts cannot read and other sites never send, and a key', async () => {
    const answer = await open.send({
      ...OWN_EXCHANGE,
      headers: { ...OWN_EXCHANGE.headers, origin: open.origin },
      body: JSON.stringify({ token: freshToken() }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^anchor-${open.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(JSON.parse(answer.text)).toEqual({ key: expect.stringMatching(/^[\w-]{43}$/) as string });
  });

  it('works once', async () => {
    const sent = {
      ...OWN_EXCHANGE,
      headers: { ...OWN_EXCHANGE.headers, origin: open.origin },
      body: JSON.stringify({ token: freshToken() }),
    };
    expect((await open.send(sent)).status).toBe(200);
    const again = await open.send(sent);
    expect([again.status, again.text]).toEqual([
      401,
      'The address was used already or is not the newest; open the one that was printed last.\n',
    ]);
  });

  it.each<[string, (token: string) => Sent, number]>([
    [
      'from a foreign page',
      (token) => ({ headers: { origin: 'https://evil.example' }, body: JSON.stringify({ token }) }),
      403,
    ],
    [
      'from a page of no origin',
      (token) => ({ headers: { origin: 'null' }, body: JSON.stringify({ token }) }),
      403,
    ],
    [
      'from our name for the other name of the host',
      (token) => ({ headers: { origin: `http://localhost:${open.port}` }, body: JSON.stringify({ token }) }),
      403,
    ],
    [
      'that does not say where it comes from',
      (token) => ({ headers: { origin: undefined }, body: JSON.stringify({ token }) }),
      403,
    ],
    [
      'that a browser marks as foreign',
      (token) => ({ headers: { 'sec-fetch-site': 'cross-site' }, body: JSON.stringify({ token }) }),
      403,
    ],
    [
      'as a simple form',
      (token) => ({
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `token=${token}`,
      }),
      415,
    ],
    [
      'as text',
      (token) => ({ headers: { 'content-type': 'text/plain' }, body: JSON.stringify({ token }) }),
      415,
    ],
    [
      'without our header',
      (token) => ({ headers: { 'x-anchor': undefined }, body: JSON.stringify({ token }) }),
      415,
    ],
    ['that is no JSON', () => ({ body: '{' }), 400],
    ['of another shape', (token) => ({ body: JSON.stringify({ token, admin: true }) }), 400],
    ['with a prototype', () => ({ body: '{"__proto__":{"token":"x"}}' }), 400],
    ['that is far too long', (token) => ({ body: JSON.stringify({ token, filler: 'x'.repeat(5000) }) }), 413],
    ['by PUT', (token) => ({ method: 'PUT', body: JSON.stringify({ token }) }), 404],
  ])('is refused %s, and the token stays good', async (_what, make, status) => {
    const token = freshToken();
    const { headers, ...sent } = make(token);
    expect(
      (
        await open.send({
          ...OWN_EXCHANGE,
          headers: { ...OWN_EXCHANGE.headers, origin: open.origin, ...headers },
          ...sent,
        })
      ).status,
    ).toBe(status);
    expect(
      (
        await open.send({
          ...OWN_EXCHANGE,
          headers: { ...OWN_EXCHANGE.headers, origin: open.origin },
          body: JSON.stringify({ token }),
        })
      ).status,
    ).toBe(200);
  });

  it('is asked for again only by programs with their token', async () => {
    expect(
      (await open.send({ method: 'POST', path: '/ticket', headers: { origin: open.origin } })).status,
    ).toBe(401);
    expect(
      (
        await open.send({
          method: 'POST',
          path: '/ticket',
          headers: { authorization: `Bearer ${open.host.token}` },
        })
      ).status,
    ).toBe(200);
  });
});

describe('the session', () => {
  it('is known by cookie and key together', async () => {
    const { cookie, key } = await open.signIn();
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await open.send({ path: '/session', headers })).status;
    expect(await ask({ cookie, 'x-anchor-key': key })).toBe(204);
    expect(await ask({ cookie })).toBe(401);
    expect(await ask({ 'x-anchor-key': key })).toBe(401);
    expect(await ask({ cookie, 'x-anchor-key': `${key}x` })).toBe(401);
    const other = await open.signIn();
    expect(await ask({ cookie: other.cookie, 'x-anchor-key': key })).toBe(401);
  });
});

describe('requests that are no HTTP of ours', () => {
  const answer = (text: string): string => text.split('\r\n')[0] ?? '';

  it('with two lengths are refused, so that nothing is smuggled behind the first', async () => {
    const text = await open.sendRaw(
      `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /ticket HTTP/1.1\r\n\r\n`,
    );
    expect(answer(text)).toMatch(/^HTTP\/1\.1 400/);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('with lines that end badly are refused', async () => {
    expect(
      answer(await open.sendRaw(`GET / HTTP/1.1\nHost: 127.0.0.1:${open.port}\nX: a\rY: b\n\n`)),
    ).toMatch(/^HTTP\/1\.1 400|^$/);
  });

  it('with a head of a megabyte are refused', async () => {
    expect(
      answer(
        await open
          .sendRaw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`)
          .catch(() => 'HTTP/1.1 431'),
      ),
    ).toMatch(/^HTTP\/1\.1 431/);
  });

  it('for another protocol are refused', async () => {
    expect(
      answer(
        await open.sendRaw(
          `GET /trpc HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nAuthorization: Bearer ${open.host.token}\r\n\r\n`,
        ),
      ),
    ).toMatch(/^HTTP\/1\.1 4/);
  });

  it('to be passed on to another server are refused', async () => {
    expect(
      answer(await open.sendRaw(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`)),
    ).not.toMatch(/ 200/);
  });
});
