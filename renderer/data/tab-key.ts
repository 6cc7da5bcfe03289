/**
 * A key pair of this document alone: once connected, it is known by its public half and comes in again after its program was started
 * again. Neither cookie nor storage can do that safely, since whoever listens on the port meanwhile is sent them. The private half
 * cannot be read, not even here, and is gone with the document.
 */
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
let pair: Promise<CryptoKeyPair> | null = null;

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Whether the program of this tab was ever told its key. */
export const hasTabKey = (): boolean => pair !== null;

/** The public half as SPKI, in base64url; made when it is first asked for. */
export async function tabKey(): Promise<string> {
  pair ??= crypto.subtle.generateKey(CURVE, false, ['sign']);
  return base64url(await crypto.subtle.exportKey('spki', (await pair).publicKey));
}

/** Signs for the address of this page only, in base64url. @throws where no key was made. */
export async function signWithTab(challenge: string): Promise<string> {
  if (pair === null) throw new Error('This tab has no key.');
  const text = new TextEncoder().encode(`anchor tab ${location.origin} ${challenge}`);
  return base64url(
    await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, (await pair).privateKey, text),
  );
}
