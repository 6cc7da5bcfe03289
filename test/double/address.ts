/** Chromium knows no schemes of ours, so `app://anchor/x` is shown to it as an https address that exists nowhere, and mapped back wherever the application looks. */
const SUFFIX = 'stand-in.invalid';
export const privileged = new Set<string>();

export function toPage(address: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/.exec(address);
  return match !== null && privileged.has(match[1] ?? '')
    ? `https://${match[2]}.${match[1]}.${SUFFIX}${match[3] === '' ? '/' : match[3]}`
    : address;
}

export const toApplication = (address: string): string =>
  address.replace(/^https:\/\/([^/?#]+)\.([a-z0-9]+)\.stand-in\.invalid/, '$2://$1');
