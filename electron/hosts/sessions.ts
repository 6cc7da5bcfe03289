import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A window may stay away this long before it has to be let in again. */
const SESSION_MS = 12 * 60 * 60 * 1000;
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

  /** Whether a browser with this cookie is signed in; its key is still to be shown. */
  knowsCookie(cookie: string): boolean {
    return this.#find(cookie) !== undefined;
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
