import type { OnBeforeRequestListenerDetails, Session, WebContents, WebPreferences } from 'electron';
import {
  type Bundle,
  CACHE_NEVER,
  COMMON_HEADERS,
  FILE_POLICY,
  freshNonce,
  pagePolicy,
} from '../hosts/index.ts';

/** The one scheme and host of the window's page. Nothing else is ever shown or asked for. */
export const SCHEME = 'app';
export const HOST = 'anchor';
export const START_ADDRESS = `${SCHEME}://${HOST}/`;
/** The one other window's: the presenter's notes. */
export const NOTES_ADDRESS = `${START_ADDRESS}#/demo/notes`;

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

/**
 * Switches for Chromium, set before it starts. It asks names, updates and time servers by itself; with these it made one
 * connect() in 14 s instead of 50 (an IPv6 probe that sends nothing).
 */
export const SWITCHES: readonly (readonly [name: string, value?: string])[] = [
  ['host-resolver-rules', 'MAP * ~NOTFOUND'],
  // Port 9 discards; nothing listens there. The bypass list takes loopback out of the exceptions.
  ['proxy-server', '127.0.0.1:9'],
  ['proxy-bypass-list', '<-loopback>'],
  ['disable-background-networking'],
  ['disable-component-update'],
  ['disable-domain-reliability'],
  ['no-pings'],
  ['disable-breakpad'],
  ['force-webrtc-ip-handling-policy', 'disable_non_proxied_udp'],
  [
    'disable-features',
    'OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,NetworkTimeServiceQuerying',
  ],
];

/**
 * What the page's process may do. Most are Electron's defaults, written out so that a changed default changes nothing here.
 * @param preload path of the built preload script. @param devTools only for those who work on the application.
 */
export const webPreferences = (preload: string, devTools: boolean): WebPreferences => ({
  preload,
  devTools,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  contextIsolation: true,
  sandbox: true,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  safeDialogs: true,
});

/** Keeps whatever shows a page on our page: no other address, no embedded page, no window that a page opens by itself. */
export function lockContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event) => {
    if (!isOwnAddress(event.url)) event.preventDefault();
  });
  // The page has no frames of its own, so a frame has nowhere to go.
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isOwnAddress(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

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
  const isPage = pathname === '/';
  const nonce = freshNonce();
  const file = isPage ? bundle.page(nonce) : bundle.file(pathname);
  if (file === undefined) return refused(404);
  return new Response(new Uint8Array(file.bytes), {
    headers: {
      ...COMMON_HEADERS,
      'Content-Type': file.type,
      'Cache-Control': CACHE_NEVER,
      'Content-Security-Policy': isPage ? pagePolicy(nonce, []) : FILE_POLICY,
    },
  });
}
