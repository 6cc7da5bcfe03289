import { randomBytes } from 'node:crypto';

/** A nonce for the one style sheet that the component kit writes at run time. */
export const freshNonce = (): string => randomBytes(16).toString('base64');

/**
 * What the window's page may do: run its own scripts, use its own styles, talk to its own engine.
 * @param connect where scripts may connect to: the host's own sockets, or 'none' where the engine is reached through a bridge.
 */
export function pagePolicy(nonce: string, connect: readonly string[]): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src ${connect.length === 0 ? `'none'` : connect.join(' ')}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `object-src 'none'`,
  ].join('; ');
}

/** Headers of every response: nothing is guessed, framed, shared with other pages or told to them. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), usb=(), serial=(), bluetooth=(), payment=()',
};

/** Files of the build carry their hash in their names; everything else must be asked for again. */
export const CACHE_FOREVER = 'private, max-age=31536000, immutable';
export const CACHE_NEVER = 'no-store';
