import { EventEmitter } from 'node:events';
import { theApp } from './app.ts';
import { privileged } from './address.ts';
import { strict } from './strict.ts';

type RequestHook = (
  details: { url: string; method: string; resourceType: string },
  answer: (verdict: { cancel?: boolean }) => void,
) => void;
type ProtocolHandler = (request: Request) => Response | Promise<Response>;

/** What the application registered with a session; null is Electron's default. */
const noHooks = () => ({
  beforeRequest: null as RequestHook | null,
  permissionRequest: null as
    | ((contents: unknown, permission: string, answer: (granted: boolean) => void) => void)
    | null,
  permissionCheck: null as ((contents: unknown, permission: string) => boolean) | null,
  devicePermission: null as ((details: unknown) => boolean) | null,
  displayMedia: null as ((request: unknown, answer: (streams: object | null) => void) => void) | null,
  spellChecker: true,
  dictionaries: 'https://redirector.gvt1.com/edgedl/chrome/dict/',
});
type Hooks = ReturnType<typeof noHooks>;
export const protocolHandlers = new Map<string, ProtocolHandler>();

export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(schemes: { scheme: string; privileges: Record<string, boolean> }[]): void {
    if (theApp.isReady())
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme } of schemes) privileged.add(scheme);
  },
  handle(scheme: string, handler: ProtocolHandler): void {
    if (protocolHandlers.has(scheme)) throw new Error(`The scheme ${scheme} has a handler already`);
    protocolHandlers.set(scheme, handler);
  },
});

class Session extends EventEmitter {
  readonly hooks = noHooks();
  readonly webRequest = strict('webRequest', {
    onBeforeRequest: (filterOrHook: unknown, hook?: RequestHook): void => {
      this.hooks.beforeRequest =
        typeof filterOrHook === 'function' ? (filterOrHook as RequestHook) : (hook ?? null);
    },
  });

  setPermissionRequestHandler(handler: Hooks['permissionRequest']): void {
    this.hooks.permissionRequest = handler;
  }
  setPermissionCheckHandler(handler: Hooks['permissionCheck']): void {
    this.hooks.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler: Hooks['devicePermission']): void {
    this.hooks.devicePermission = handler;
  }
  setDisplayMediaRequestHandler(handler: Hooks['displayMedia']): void {
    this.hooks.displayMedia = handler;
  }
  setBluetoothPairingHandler(): void {}
  setSpellCheckerEnabled(enabled: boolean): void {
    this.hooks.spellChecker = enabled;
  }
  setSpellCheckerDictionaryDownloadURL(address: string): void {
    this.hooks.dictionaries = address;
  }
}

export const theSession = new Session();
export const { hooks } = theSession;
export const session = strict('session', { defaultSession: strict('defaultSession', theSession) });

/** Whether a page would be given the permission. Without a handler Electron says yes. */
export async function isGranted(permission: string, of: Hooks = hooks): Promise<boolean> {
  const { permissionRequest: ask } = of;
  return ask === null
    ? true
    : new Promise((resolve) => {
        ask(null, permission, resolve);
      });
}

/** Whether a page would be shown a screen. Without a handler Electron has none to show. */
export async function isShownScreen(): Promise<boolean> {
  const { displayMedia: ask } = hooks;
  if (ask === null) return false;
  const streams = await new Promise<object | null>((resolve) => {
    ask({ videoRequested: true }, resolve);
  });
  if (streams !== null && !('video' in streams))
    throw new TypeError('Video was requested, but no video stream was provided');
  return streams !== null;
}

/** What the application decides about a request. Without a hook Electron lets it pass. */
export async function verdictOn(details: Parameters<RequestHook>[0], of: Hooks = hooks): Promise<boolean> {
  const { beforeRequest: ask } = of;
  return ask === null
    ? true
    : new Promise((resolve) => {
        ask(details, ({ cancel }) => resolve(cancel !== true));
      });
}

/** Makes another session, as a partition or a view of the page would, and asks what it lets a page do. */
export async function newSession(): Promise<{ permission: boolean; request: boolean }> {
  const made = new Session();
  theApp.emit('session-created', made);
  const foreign = { url: 'https://example.invalid/', method: 'GET', resourceType: 'xhr' };
  return {
    permission: await isGranted('media', made.hooks),
    request: await verdictOn(foreign, made.hooks),
  };
}
