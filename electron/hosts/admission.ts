import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A window may stay away this long before it has to be let in again. */
export const SESSION_MS = 12 * 60 * 60 * 1000;
/** A link is printed to be opened now. */
const TICKET_MS = 12 * 60 * 60 * 1000;
/** Links that may wait to be used; the oldest goes. */
const MOST_TICKETS = 16;
/** Browsers that may be signed in; the oldest goes. */
const MOST_SESSIONS = 16;
/** Wrong tokens that cost nothing: a link that was opened twice. */
const FREE_MISTAKES = 5;
const LONGEST_DELAY_MS = 30_000;

const SECRET_BYTES = 32;
const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * What a signed-in browser holds. The cookie proves the browser and no script can read it; but cookies do not tell ports apart, so
 * another server on this machine could be sent it. The key lies in the page's own storage, which does.
 */
export type Session = { cookie: string; key: string };

/**
 * Who may use the window: a one-time token from the printed address is exchanged for a session. Only digests are kept, and they are
 * compared in constant time.
 */
export class Sessions {
  readonly #nowMs: () => number;
  #tickets: { digest: Buffer; endsMs: number }[] = [];
  #sessions: { cookie: Buffer; key: Buffer; endsMs: number }[] = [];
  #mistakes = 0;

  /** @param nowMs a clock that never goes back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A token that one browser may exchange, once. */
  issueTicket(): string {
    const token = secret();
    this.#tickets = [...this.#tickets, { digest: digest(token), endsMs: this.#nowMs() + TICKET_MS }].slice(
      -MOST_TICKETS,
    );
    return token;
  }

  /** Exchanges a token; null when it is wrong, was used or is too old. A used one is gone at once. */
  exchange(token: string): Session | null {
    const given = digest(token);
    const found = this.#tickets.filter(
      (ticket) => timingSafeEqual(ticket.digest, given) && ticket.endsMs > this.#nowMs(),
    );
    if (found.length === 0) {
      this.#mistakes += 1;
      return null;
    }
    this.#mistakes = 0;
    this.#tickets = this.#tickets.filter((ticket) => !found.includes(ticket));
    return this.admit();
  }

  /** Signs a browser in that has shown who it is. */
  admit(): Session {
    const session = { cookie: secret(), key: secret() };
    this.#sessions = [
      ...this.#sessions,
      { cookie: digest(session.cookie), key: digest(session.key), endsMs: this.#nowMs() + SESSION_MS },
    ].slice(-MOST_SESSIONS);
    return session;
  }

  /** How long the answer to a wrong token is held back, in ms: the sixth waits a second, every further one twice as long. */
  delayMs(): number {
    const over = this.#mistakes - FREE_MISTAKES;
    return over <= 0 ? 0 : Math.min(LONGEST_DELAY_MS, 1000 * 2 ** (over - 1));
  }

  /** The browser that is signed in with this cookie, null for none; its key is still to be shown. */
  browserOf(cookie: string): Client | null {
    return this.#find(cookie) ?? null;
  }

  /** Whether cookie and key belong to one session; using it keeps it alive. */
  accepts(cookie: string, key: string): boolean {
    const session = this.#find(cookie);
    if (session === undefined || !timingSafeEqual(session.key, digest(key))) return false;
    session.endsMs = this.#nowMs() + SESSION_MS;
    return true;
  }

  #find(cookie: string): { key: Buffer; endsMs: number } | undefined {
    const given = digest(cookie);
    return this.#sessions.find(
      (session) => timingSafeEqual(session.cookie, given) && session.endsMs > this.#nowMs(),
    );
  }
}

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

/**
 * Who is told apart on loopback, where every connection comes from one address: a browser by the cookie of its session, and whoever has
 * the token for programs. What limits one of them leaves the others alone. Compared as it is, never looked into.
 */
export type Client = object;
/** All who show the token: commands of the terminal and programs of the same user. */
export const PROGRAMS: Client = {};
/** All who show nothing. */
export const NOBODY: Client = {};

/** What each client may do at once and in the long run. */
export class Allowances {
  readonly #make: () => Allowance;
  readonly #of = new WeakMap<Client, Allowance>();

  constructor(make: () => Allowance) {
    this.#make = make;
  }

  take(client: Client): boolean {
    const allowance = this.#of.get(client) ?? this.#make();
    this.#of.set(client, allowance);
    return allowance.take();
  }
}

/**
 * Connections that have shown neither session nor token. Over the limit the one that has been silent for longest goes, not the one that
 * comes: a window has said what it wants a moment after it connected, and whoever fills the places only loses them.
 */
export class Strangers {
  readonly #most: number;
  readonly #silent = new Set<Duplex>();
  readonly #known = new WeakSet<Duplex>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A connection came, or said something. */
  note(socket: Duplex): void {
    if (this.#known.has(socket) || socket.destroyed) return;
    if (!this.#silent.delete(socket)) socket.once('close', () => this.#silent.delete(socket));
    this.#silent.add(socket);
    const [longest] = this.#silent;
    if (this.#silent.size > this.#most) longest?.destroy();
  }

  /** It showed a session or a token, and counts no more. */
  know(socket: Duplex): void {
    this.#known.add(socket);
    this.#silent.delete(socket);
  }
}

/** What the loopback host lets a client do. */
export const LIMITS = {
  /** One frame or body; a page of 500 records is well under it. */
  frameBytes: 1024 * 1024,
  /** Windows of one browser, or programs, that may be connected together. */
  sockets: 8,
  /** Of all together, since each may hold what it does not read. */
  allSockets: 24,
  /** Requests of a browser, and of all who show nothing together: a page loads a handful of files, then lives on its socket. */
  requests: { burst: 120, perSecond: 30 },
  /** Frames from one socket: a window that reads a whole screen again sends a few dozen at once. */
  frames: { burst: 600, perSecond: 200 },
  /** A page that does not read is cut off before it fills the memory; it comes back with its place. As much as the live feed keeps for it. */
  unreadBytes: 16 * 1024 * 1024,
  /** How long a socket that is being closed may take to read what waits for it; then it is cut off. */
  closingMs: 5000,
  /** Time to send the head of a request, and all of it. */
  headMs: 10_000,
  requestMs: 30_000,
  /** Time to show the session's key after connecting. */
  keyMs: 10_000,
  /** That have shown neither session nor token. */
  connections: 64,
  /** Wrong tokens whose answers are held back together; more are turned away at once. */
  heldAnswers: 8,
} as const;
export type Limits = {
  readonly [K in keyof typeof LIMITS]: (typeof LIMITS)[K] extends number
    ? number
    : { readonly burst: number; readonly perSecond: number };
};
