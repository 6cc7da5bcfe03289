import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';

const manifestSchema = z.object({
  fingerprint: z.string(),
  files: z.record(
    z.string(),
    z.object({ sha256: z.string(), bytes: z.int().nonnegative(), type: z.string() }),
  ),
});

/** What index.html holds where each response gets its own style nonce. */
const NONCE_PLACE = '__STYLE_NONCE__';

export type BundleFile = { bytes: Buffer; type: string };

/** The window's files as they were built. */
export type Bundle = {
  /** A file by its exact address, such as `/assets/index-1a2b.js`; undefined for everything the build did not list. */
  file(address: string): BundleFile | undefined;
  /** index.html with the nonce of this response. */
  page(nonce: string): BundleFile;
};

/**
 * Reads a built window into memory. Requests are looked up by name, so no address of a request is ever joined to a path, and a
 * build that happens meanwhile changes nothing for windows that are open.
 * @throws Failure `windowNotBuilt`, or `windowDamaged` when a file is not the one that was built.
 */
export function openBundle(folder: string): Bundle {
  const place = join(folder, 'manifest.json');
  if (!existsSync(place))
    throw new Failure(
      'windowNotBuilt',
      `The window is not built (${place} is missing); run "npm run build" in the application's folder.`,
    );
  const { files } = manifestSchema.parse(JSON.parse(readFileSync(place, 'utf8')));
  const byAddress = new Map<string, BundleFile>(
    Object.entries(files).map(([name, { sha256, type }]) => {
      const bytes = readFileSync(join(folder, name));
      if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
        throw new Failure(
          'windowDamaged',
          `The window's file ${join(folder, name)} is not the one that was built; run "npm run build -- --force".`,
        );
      }
      return [`/${name}`, { bytes, type }];
    }),
  );
  const index = byAddress.get('/index.html');
  if (index === undefined)
    throw new Failure(
      'windowDamaged',
      `The window in ${folder} has no index.html; run "npm run build -- --force".`,
    );
  const page = index.bytes.toString('utf8');
  byAddress.delete('/index.html'); // only ever served with a nonce
  return {
    file: (address) => byAddress.get(address),
    page: (nonce) => ({ bytes: Buffer.from(page.replaceAll(NONCE_PLACE, nonce)), type: index.type }),
  };
}

/** A nonce for the one style sheet that the component kit writes at run time. */
export const freshNonce = (): string => randomBytes(16).toString('base64');

/** What everything beside the page may do, should it be opened as a page: nothing. */
export const FILE_POLICY = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`;

/**
 * What the window's page may do: run its own scripts, use its own styles, talk to its own engine. Text becomes markup or code nowhere
 * but through the one policy that the page makes at its start (renderer/app/main.tsx).
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
    `require-trusted-types-for 'script'`,
    `trusted-types default`,
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
