import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Refusal = { status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 429; sentence: string };

const refusal = (status: Refusal['status'], sentence: string): Refusal => ({ status, sentence });

/**
 * Whether the request was meant for this server and comes from nobody else's page. Loopback is shared by everybody on the machine
 * and by every web page the user opens, so the Host is ours (DNS rebinding), the Origin is ours or absent (a foreign page always
 * sends one when it writes or opens a socket), and a browser says that its own user or our own page is asking.
 * @param port the port the server really listens on.
 */
export function refuseForeign(request: IncomingMessage, port: number): Refusal | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = request.headers;
  // Node joins repeated Host headers away, so a second one is looked for in the raw list.
  const hostCount = request.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  ).length;
  if (host === undefined || hostCount !== 1 || !hosts.includes(host))
    return refusal(421, 'This server answers only to its own loopback address.');
  if (origin !== undefined && origin !== `http://${host}`)
    return refusal(403, 'Requests from other web pages are refused.');
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refusal(403, 'Requests from other web pages are refused.');
  return null;
}

/** A browser tells where a request that changes something comes from; one that does not is no window of ours. */
export function refuseWithoutOrigin(request: IncomingMessage): Refusal | null {
  return request.headers.origin === undefined
    ? refusal(403, 'The request does not say which page it comes from.')
    : null;
}

/** Whether the request carries the token for programs. */
export function bearsToken(request: IncomingMessage, token: string): boolean {
  return sameText(request.headers.authorization ?? '', `Bearer ${token}`);
}

/** One cookie of the request; cookies are shared by all ports of this address, so its name holds ours. */
export function cookieOf(request: IncomingMessage, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Equal in constant time; lengths may differ. */
function sameText(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** Lets `burst` things happen at once and `perSecond` in the long run. */
export class Allowance {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  #left: number;
  #atMs: number;

  constructor(burst: number, perSecond: number, nowMs: () => number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
    this.#left = burst;
    this.#atMs = nowMs();
  }

  /** Takes one; false when there is none left. */
  take(): boolean {
    const now = this.#nowMs();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** What the loopback host lets a client do. */
export const LIMITS = {
  /** One frame or body; a page of 500 records is well under it. */
  frameBytes: 1024 * 1024,
  /** Windows and programs that may be connected together. */
  sockets: 8,
  /** Requests without a program's token: a page loads a handful of files, then lives on its socket. */
  requests: { burst: 120, perSecond: 30 },
  /** Frames from one socket: a window that reads a whole screen again sends a few dozen at once. */
  frames: { burst: 600, perSecond: 200 },
  /** A page that does not read is cut off before it fills the memory; it comes back with its place. */
  unreadBytes: 64 * 1024 * 1024,
  /** Time to send the head of a request, and all of it. */
  headMs: 10_000,
  requestMs: 30_000,
  /** Time to show the session's key after connecting. */
  keyMs: 10_000,
  connections: 64,
  /** Wrong tokens whose answers are held back together; more are turned away at once. */
  heldAnswers: 8,
} as const;
export type Limits = {
  readonly [K in keyof typeof LIMITS]: (typeof LIMITS)[K] extends number
    ? number
    : { readonly burst: number; readonly perSecond: number };
};
