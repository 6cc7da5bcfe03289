import { EventEmitter } from 'node:events';
import { theApp } from './app.ts';
import { privileged } from './address.ts';
import { strict } from './strict.ts';

type RequestHook = (
  details: { url: string; method: string; resourceType: string },
  answer: (verdict: { cancel?: boolean }) => void,
) => void;
type ProtocolHandler = (request: Request) => Response | Promise<Response>;

/** What the application registered; null is Electron's default. */
export const hooks = {
  beforeRequest: null as RequestHook | null,
  permissionRequest: null as
    ((contents: unknown, permission: string, answer: (granted: boolean) => void) => void) | null,
  permissionCheck: null as ((contents: unknown, permission: string) => boolean) | null,
  devicePermission: null as ((details: unknown) => boolean) | null,
  displayMedia: null as ((request: unknown, answer: (streams: object | null) => void) => void) | null,
  spellChecker: true,
  dictionaries: 'https://redirector.gvt1.com/edgedl/chrome/dict/',
};
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
  readonly webRequest = strict('webRequest', {
    onBeforeRequest: (filterOrHook: unknown, hook?: RequestHook): void => {
      hooks.beforeRequest =
        typeof filterOrHook === 'function' ? (filterOrHook as RequestHook) : (hook ?? null);
    },
  });

  setPermissionRequestHandler(handler: typeof hooks.permissionRequest): void {
    hooks.permissionRequest = handler;
  }
  setPermissionCheckHandler(handler: typeof hooks.permissionCheck): void {
    hooks.permissionCheck = handler;
  }
  setDevicePermissionHandler(handler: typeof hooks.devicePermission): void {
    hooks.devicePermission = handler;
  }
  setDisplayMediaRequestHandler(handler: typeof hooks.displayMedia): void {
    hooks.displayMedia = handler;
  }
  setBluetoothPairingHandler(): void {}
  setSpellCheckerEnabled(enabled: boolean): void {
    hooks.spellChecker = enabled;
  }
  setSpellCheckerDictionaryDownloadURL(address: string): void {
    hooks.dictionaries = address;
  }
}

export const theSession = new Session();
export const session = strict('session', { defaultSession: strict('defaultSession', theSession) });

/** Whether a page would be given the permission. Without a handler Electron says yes. */
export async function isGranted(permission: string): Promise<boolean> {
  const { permissionRequest: ask } = hooks;
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
export async function verdictOn(details: Parameters<RequestHook>[0]): Promise<boolean> {
  const { beforeRequest: ask } = hooks;
  return ask === null
    ? true
    : new Promise((resolve) => {
        ask(details, ({ cancel }) => resolve(cancel !== true));
      });
}
