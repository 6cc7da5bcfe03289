import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Refusal = { status: 401 | 403 | 421; sentence: string };

/**
 * Decides whether a request may reach the engine. Loopback is shared by everybody on the machine and by every web page the
 * user opens, so three things must hold: the Host is ours (DNS rebinding), the Origin is ours or absent (a foreign page
 * always sends one), and the bearer token is right.
 * @param port the port the server really listens on.
 */
export function refuse(request: IncomingMessage, port: number, token: string): Refusal | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin, authorization } = request.headers;
  // Node joins repeated Host headers away, so a second one is looked for in the raw list.
  const hostCount = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (host === undefined || hostCount !== 1 || !hosts.includes(host)) return { status: 421, sentence: 'This server answers only to its own loopback address.' };
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) return { status: 403, sentence: 'Requests from other web pages are refused.' };
  if (!sameText(authorization ?? '', `Bearer ${token}`)) return { status: 401, sentence: 'The access token is missing or wrong; use the one printed when the server started.' };
  return null;
}

/** Equal in constant time; lengths may differ. */
function sameText(given: string, wanted: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(wanted);
  return a.length === b.length && timingSafeEqual(a, b);
}
