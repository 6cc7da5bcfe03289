/** What the preload script finds in the page; runs there before any script of the page. */
export type PageWorldOptions = { isolated: boolean; platform: string };
type Up = (
  kind: 'send' | 'invoke' | 'failed',
  channel: string,
  args: unknown[],
) => Promise<{ ok?: unknown; error?: string }>;
type Preload = (require: (name: string) => unknown, module: object, exports: object, process: object) => void;
type Listener = (event: object, ...args: unknown[]) => void;

/**
 * Stands between the real preload script and the stand-in: ipcRenderer by structured clone, contextBridge by copies and proxies.
 * It is sent to the page as text, so it uses nothing from outside itself.
 */
export function pageWorld({ isolated, platform }: PageWorldOptions, preload: Preload): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const up = world['standInUp'] as Up;
  delete world['standInUp'];
  const listeners = new Map<string, Listener[]>();
  const plain = (args: unknown[]): unknown[] => args.map((arg) => structuredClone(arg)); // throws what Electron throws
  const ipcRenderer = {
    on: (channel: string, listener: Listener) => (
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
      ipcRenderer
    ),
    send: (channel: string, ...args: unknown[]) => void up('send', channel, plain(args)),
    invoke: async (channel: string, ...args: unknown[]) => {
      const answer = await up('invoke', channel, plain(args));
      if (answer.error !== undefined)
        throw new Error(`Error invoking remote method '${channel}': ${answer.error}`);
      return answer.ok;
    },
  };
  Object.defineProperty(world, 'standInDown', {
    value: (channel: string, args: unknown[]) => {
      for (const listener of listeners.get(channel) ?? []) listener({ sender: ipcRenderer }, ...args);
    },
  });
  const cross = (value: unknown, depth = 0): unknown => {
    if (depth > 100) throw new TypeError('Electron contextBridge recursion depth exceeded.');
    if (typeof value === 'function')
      return (...args: unknown[]) => cross(value(...args.map((arg) => cross(arg, depth + 1))), depth + 1);
    if (value instanceof Promise)
      return value.then(
        (result) => cross(result, depth + 1),
        (error: unknown) => {
          throw new Error(error instanceof Error ? error.message : String(error));
        },
      );
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.');
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return Object.freeze(value.map((item) => cross(item, depth + 1)));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null)
      return Object.freeze(
        Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cross(item, depth + 1)])),
      );
    // Files and other platform objects keep their identity as far as a page can tell.
    return value;
  };
  const contextBridge = {
    exposeInMainWorld: (key: string, api: unknown) => {
      if (!isolated) throw new Error('contextBridge API can only be used when contextIsolation is enabled');
      if (key in globalThis)
        throw new Error(`Cannot bind an API on top of an existing property on the window object: ${key}`);
      Object.defineProperty(globalThis, key, {
        value: cross(api),
        enumerable: true,
        writable: false,
        configurable: false,
      });
    },
  };
  const electron = {
    contextBridge,
    ipcRenderer,
    webUtils: { getPathForFile: (file: File) => (file instanceof File ? `/stand-in/${file.name}` : '') },
  };
  const require = (name: string): unknown => {
    if (name === 'electron') return electron;
    throw new Error(`module not found: ${name} (a sandboxed preload script has electron only)`);
  };
  try {
    preload(
      require,
      {},
      {},
      { platform, versions: {}, env: {}, argv: [], sandboxed: true, contextIsolated: isolated },
    );
  } catch (error) {
    void up('failed', '', [String(error)]);
  }
}
