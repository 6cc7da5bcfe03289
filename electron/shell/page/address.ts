/** The one scheme and host of the window's page. Nothing else is ever shown or asked for. */
export const SCHEME = 'app';
export const HOST = 'anchor';
export const START_ADDRESS = `${SCHEME}://${HOST}/`;

/** Whether an address belongs to our page, by its parsed parts: text that merely begins like it does not. */
export function isOwnAddress(address: string): boolean {
  const url = URL.parse(address);
  // A scheme of our own has the opaque origin "null" for Node, so the parts are compared.
  return (
    url !== null &&
    url.protocol === `${SCHEME}:` &&
    url.host === HOST &&
    url.username === '' &&
    url.password === ''
  );
}
