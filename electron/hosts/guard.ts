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
