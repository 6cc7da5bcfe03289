import type { OnBeforeRequestListenerDetails, Session } from 'electron';
import { isOwnAddress, START_ADDRESS } from './address.ts';

/** What the guard let nobody fetch. */
export type RefusedRequest = { url: string; method: string; resource: string };

/** Addresses are evidence, but a page could put anything into one. */
const KEPT_URL_CHARS = 500;

/** Our own files, pictures that are written out in them, and Chromium's tools for those who work on the application. */
const mayBeAsked = (
  { url, resourceType }: Pick<OnBeforeRequestListenerDetails, 'url' | 'resourceType'>,
  devTools: boolean,
): boolean =>
  isOwnAddress(url) ||
  (resourceType === 'image' && url.startsWith('data:image/')) ||
  (devTools && url.startsWith('devtools://devtools/'));

/**
 * Closes everything a session can open towards network, devices and disk. Every request that is not for our own page is cancelled
 * and told to `onRefused`. Electron's default is to grant every permission, hence each handler.
 */
export function lockSession(
  session: Session,
  onRefused: (request: RefusedRequest) => void,
  devTools = false,
): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  // Null is a refusal; an empty answer to a question for a picture would be an error of ours.
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  if (process.platform !== 'darwin')
    session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }));
  session.on('will-download', (event) => event.preventDefault());
  // The spell checker fetches its dictionaries by itself; the second line keeps it from it even where the first is ignored.
  session.setSpellCheckerEnabled(false);
  session.setSpellCheckerDictionaryDownloadURL(`${START_ADDRESS}no-dictionaries/`);
  session.webRequest.onBeforeRequest((details, answer) => {
    const cancel = !mayBeAsked(details, devTools);
    if (cancel)
      onRefused({
        url: details.url.slice(0, KEPT_URL_CHARS),
        method: details.method,
        resource: details.resourceType,
      });
    answer({ cancel });
  });
}
