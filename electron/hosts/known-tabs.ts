import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWholeFile } from '../library/index.ts';
import { SESSION_MS } from './admission.ts';

/** Tabs that may come back; the one that was away longest goes. */
const MOST_TABS = 32;
/** How far the file may lag behind the last use of a tab. */
const KEEP_EVERY_MS = 10 * 60 * 1000;
const MOST_FILE_BYTES = 64 * 1024;
const CHALLENGE_BYTES = 32;

/** A public key of the curve P-256 as SPKI, in base64url. */
const tabKeySchema = z.string().regex(/^[\w-]{110,140}$/);
const keptSchema = z.strictObject({
  lab: z.string(),
  tabs: z.array(z.strictObject({ key: tabKeySchema, endsMs: z.int() })).max(MOST_TABS),
});
type Kept = z.infer<typeof keptSchema>;

/** What a tab shows to come back: its public key, and the challenge of this program signed with the other half. */
export const returnSchema = z.strictObject({ tab: tabKeySchema, signature: z.string().max(200) });
type Return = z.infer<typeof returnSchema>;

/** What a tab signs: for this address and this program, so that it is worth nothing to whoever else asked for it. */
const textToSign = (port: number, challenge: string): string =>
  `anchor tab http://127.0.0.1:${port} ${challenge}`;

/**
 * Tabs that may come back by themselves after this program was started again. A session's cookie and key would have to be kept for that,
 * and a tab that looks for its program shows them to whoever listens on the port meanwhile. So each tab makes a key pair, whose private
 * half never leaves it, and signs a challenge. Of the lab's folder it takes public keys only, from a file that nobody else could write.
 */
export class KnownTabs {
  /** Of this program; what was signed for the one before is no use. */
  readonly challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  readonly #nowMs: () => number;
  readonly #labFolder: string | null;
  #tabs: Kept['tabs'] = [];
  #keptMs = new Map<string, number>();

  /** @param nowMs the time of day. @param labFolder where they are kept; null keeps them in this program only. */
  constructor(nowMs: () => number, labFolder: string | null = null) {
    this.#nowMs = nowMs;
    this.#labFolder = labFolder === null ? null : realpathSync(labFolder);
    if (this.#labFolder === null) return;
    const kept = readKept(join(this.#labFolder, TABS_FILE));
    // A copy of a lab is another lab.
    if (kept?.lab !== this.#labFolder) return;
    // Where the clock was set back, nobody stays longer for it.
    const latest = nowMs() + SESSION_MS;
    this.#tabs = kept.tabs.map(({ key, endsMs }) => ({ key, endsMs: Math.min(endsMs, latest) }));
  }

  /** A tab that is signed in is here; keeps it known for as long as a session lasts. */
  note(key: string): void {
    if (!tabKeySchema.safeParse(key).success) return;
    const now = this.#nowMs();
    const others = this.#tabs.filter((tab) => tab.key !== key && tab.endsMs > now);
    this.#tabs = [...others, { key, endsMs: now + SESSION_MS }].slice(-MOST_TABS);
    if (now - (this.#keptMs.get(key) ?? -Infinity) < KEEP_EVERY_MS) return;
    this.#keptMs = new Map(this.#tabs.map((tab) => [tab.key, now]));
    this.#keep();
  }

  /** Whether a tab that is known signed this program's challenge for this port. */
  accepts({ tab, signature }: Return, port: number): boolean {
    if (!this.#tabs.some(({ key, endsMs }) => key === tab && endsMs > this.#nowMs())) return false;
    try {
      const key = createPublicKey({ key: Buffer.from(tab, 'base64url'), format: 'der', type: 'spki' });
      return (
        key.asymmetricKeyDetails?.namedCurve === 'prime256v1' &&
        verify(
          'sha256',
          Buffer.from(textToSign(port, this.challenge)),
          { key, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        )
      );
    } catch {
      return false; // no such key
    }
  }

  #keep(): void {
    if (this.#labFolder === null) return;
    const kept: Kept = { lab: this.#labFolder, tabs: this.#tabs };
    try {
      writeWholeFile(join(this.#labFolder, TABS_FILE), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
    } catch {
      // On a full disk a tab has to be let in again after a restart, and nothing else is lost.
    }
  }
}

/** Beside the database. */
const TABS_FILE = 'tabs.json';

/** Null for a file that is not there, is none of ours, or that others may have written: whoever writes it comes in. */
function readKept(path: string): Kept | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      const isOurs =
        process.platform === 'win32' || (found.uid === process.geteuid?.() && (found.mode & 0o077) === 0);
      if (!isOurs || !found.isFile() || found.size > MOST_FILE_BYTES) return null;
      return keptSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
