import { chromium, type Browser, type BrowserContext, type Route } from 'playwright-core';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../support/chromium.ts';
import { theApp } from './app.ts';
import { toApplication } from './address.ts';
import { record } from './record.ts';
import { protocolHandlers, verdictOn } from './session.ts';

let browser: Browser | null = null;
let context: BrowserContext | null = null;
/** Says what is refused when a navigation may not happen; set by the windows. */
export const navigation = { refusal: (_route: Route, _url: string): 'navigation' | 'window' | null => null };

export const pages = (): BrowserContext => {
  if (context === null) throw new Error('Chromium is not started');
  return context;
};

/** Starts a real Chromium whose every request goes through the application's hooks and protocol handlers. */
export async function startChromium(): Promise<void> {
  const port = process.env['DOUBLE_CDP'];
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      ...CHROMIUM_ARGUMENTS,
      '--disable-quic',
      '--disable-sync',
      ...(port === undefined ? [] : [`--remote-debugging-port=${port}`]),
    ],
  });
  context = await browser.newContext({ viewport: null, acceptDownloads: true });
  await context.route('**/*', answer);
  theApp.endChromium = async () => {
    await context?.close();
    await browser?.close();
  };
}

async function answer(route: Route): Promise<void> {
  const request = route.request();
  const url = toApplication(request.url());
  record.requests.push(url);
  const refuse = async (what: string, code: string): Promise<void> => {
    record.refused.push({ what, url });
    await route.abort(code);
  };
  const refusal = request.isNavigationRequest() ? navigation.refusal(route, url) : null;
  if (refusal !== null) return refuse(refusal, 'aborted');
  if (
    !(await verdictOn({ url, method: request.method(), resourceType: resourceType(request.resourceType()) }))
  )
    return refuse('request', 'blockedbyclient');
  const handler = protocolHandlers.get(new URL(url).protocol.slice(0, -1));
  // What the application would let out is not let out of a test.
  if (handler === undefined) return refuse('let out', 'internetdisconnected');
  const body = request.postDataBuffer();
  const response = await handler(
    new Request(url, { method: request.method(), ...(body === null ? {} : { body: new Uint8Array(body) }) }),
  );
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}

/** Playwright's names of what Electron calls otherwise. */
const resourceType = (name: string): string =>
  ({ document: 'mainFrame', fetch: 'xhr', websocket: 'webSocket' })[name] ?? name;
