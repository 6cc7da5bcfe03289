import { CACHE_NEVER, COMMON_HEADERS, freshNonce, pagePolicy, type Bundle } from '../../hosts/index.ts';
import { isOwnAddress } from './address.ts';

/** `standard` gives the page an origin, `secure` keeps it out of mixed content; no privilege that weakens its policy. */
export const SCHEME_PRIVILEGES = {
  standard: true,
  secure: true,
  supportFetchAPI: true,
  codeCache: true,
} as const;

/**
 * Answers one request for the window's page out of the built bundle. A request is looked up by its exact path, so none can leave
 * the bundle; anything else is 404.
 */
export function answerPage(bundle: Bundle, { url, method }: { url: string; method: string }): Response {
  const refused = (status: number): Response => new Response(null, { status, headers: COMMON_HEADERS });
  if (method !== 'GET' && method !== 'HEAD') return refused(405);
  if (!isOwnAddress(url)) return refused(404);
  const { pathname } = new URL(url);
  const nonce = freshNonce();
  const file = pathname === '/' ? bundle.page(nonce) : bundle.file(pathname);
  if (file === undefined) return refused(404);
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      ...COMMON_HEADERS,
      'Content-Type': file.type,
      'Cache-Control': CACHE_NEVER,
      'Content-Security-Policy': pagePolicy(nonce, []),
    },
  });
}
