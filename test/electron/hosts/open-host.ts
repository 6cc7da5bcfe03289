import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WebSocket } from 'ws';
import { Engine } from '../../../electron/engine/index.ts';
import {
  openBundle,
  serveLoopback,
  type LoopbackHost,
  type LoopbackOptions,
} from '../../../electron/hosts/index.ts';

export const INDEX =
  '<!doctype html><meta name="style-nonce" content="__STYLE_NONCE__"><title>Anchor Lab</title>';

/** Writes files as the build does: with a manifest of their hashes. */
export function writeBundle(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const listed = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      {
        sha256: createHash('sha256').update(text).digest('hex'),
        bytes: text.length,
        type: name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8',
      },
    ]),
  );
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ fingerprint: 'test', files: listed }));
}

export type Sent = {
  method?: string;
  path?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
};
export type Answer = { status: number; text: string; headers: IncomingHttpHeaders };

export type OpenHost = {
  engine: Engine;
  host: LoopbackHost;
  port: number;
  origin: string;
  send(sent: Sent): Promise<Answer>;
  /** What the server answers to bytes as they are, for requests an HTTP client would not write. */
  sendRaw(bytes: string): Promise<string>;
  /** Exchanges a fresh token as the window does. */
  signIn(): Promise<{ cookie: string; key: string }>;
  /** How opening a WebSocket ends: `open`, or what the server said. */
  dial(headers: Record<string, string | undefined>, path?: string): Promise<string>;
  close(): Promise<void>;
};

/** A host with a lab of its own and a tiny window, the way `anchor serve` makes it. */
export async function openHost(options: Partial<LoopbackOptions> = {}): Promise<OpenHost> {
  const lab = mkdtempSync(join(tmpdir(), 'anchor-hosts-'));
  writeBundle(join(lab, 'window'), { 'index.html': INDEX, 'assets/index-1a2b.js': 'export {};' });
  const engine = await Engine.open({
    application: join(import.meta.dirname, '../../..'),
    labFolder: lab,
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
  const host = await serveLoopback(engine, { port: 0, bundle: openBundle(join(lab, 'window')), ...options });
  const port = Number(new URL(host.url).port);
  const origin = host.url;
  const send = ({ method = 'GET', path = '/', headers = {}, body }: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const known = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
      const request = httpRequest(
        { host: '127.0.0.1', port, method, path, headers: known as Record<string, string> },
        (response) => {
          let text = '';
          response
            .setEncoding('utf8')
            .on('data', (part: string) => {
              text += part;
            })
            .on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
        },
      );
      request.on('error', reject).end(body);
    });
  return {
    engine,
    host,
    port,
    origin,
    send,
    sendRaw: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
        let text = '';
        socket
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('close', () => resolve(text))
          .on('error', reject);
      }),
    signIn: async () => {
      const token = new URLSearchParams(new URL(host.link()).hash.slice(1)).get('token');
      const answer = await send({
        ...OWN_EXCHANGE,
        headers: { ...OWN_EXCHANGE.headers, origin },
        body: JSON.stringify({ token }),
      });
      return {
        cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
        key: (JSON.parse(answer.text) as { key: string }).key,
      };
    },
    dial: (headers, path = '/trpc?connectionParams=1') =>
      new Promise((resolve) => {
        const known = Object.fromEntries(
          Object.entries(headers).filter(([, value]) => value !== undefined),
        ) as Record<string, string>;
        const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: known });
        socket
          .on('open', () => {
            socket.close();
            resolve('open');
          })
          .on('error', (error) => resolve(error.message));
      }),
    close: async () => {
      await host.close();
      await engine.close();
      rmSync(lab, { recursive: true, force: true });
    },
  };
}

/** The exchange of a token as the window asks for it; its origin is the host's. */
export const OWN_EXCHANGE = {
  method: 'POST',
  path: '/session',
  headers: { 'content-type': 'application/json', 'x-anchor': '1', 'sec-fetch-site': 'same-origin' },
} as const;
