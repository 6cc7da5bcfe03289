import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** The key pair of a tab, as the window's page makes it. */
export type Tab = { key: string; half: KeyObject };
export function newTab(): Tab {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'), half: privateKey };
}

/** What a tab shows, in the form of the page's own `signWithTab`. */
export const signed = ({ half }: Tab, origin: string, challenge: string): string =>
  sign('sha256', Buffer.from(`anchor tab ${origin} ${challenge}`), {
    key: half,
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');
