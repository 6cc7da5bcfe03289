import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { AnchorBridge, EngineState } from './contract/index.ts';
import type { PageChannel, ShellChannel } from './shell/index.ts';

type ConnectionListener = Parameters<AnchorBridge['connect']>[0];

// Literal names, checked by their types: a preload script of a sandboxed page can import nothing of ours.
const say = (channel: PageChannel, ...words: unknown[]): void => ipcRenderer.send(channel, ...words);
const ask = (channel: PageChannel, ...words: unknown[]): Promise<unknown> =>
  ipcRenderer.invoke(channel, ...words);
/** The event stays here: it would hand the page a way to every channel. */
const on = (channel: ShellChannel, listener: (...words: never[]) => void): void =>
  void ipcRenderer.on(channel, (_event, ...words) => listener(...(words as never[])));

const connections = new Map<number, ConnectionListener>();
let lastConnection = 0;
on('engine:event', (id: number, kind: 'open' | 'message' | 'close', data?: string) => {
  const onEvent = connections.get(id);
  if (kind === 'close') connections.delete(id);
  onEvent?.(kind, data);
});

const bridge: AnchorBridge = {
  connect: (onEvent) => {
    const id = (lastConnection += 1);
    connections.set(id, onEvent);
    say('engine:open', id);
    return {
      send: (data) => say('engine:send', id, data),
      close: () => {
        connections.delete(id);
        say('engine:close', id);
      },
    };
  },
  choosePaths: (what) => ask('paths:choose', what) as Promise<string[]>,
  saveText: (what) => ask('text:save', what) as Promise<string | null>,
  copyText: (text) => ask('text:copy', text) as Promise<void>,
  pathOf: (file) => webUtils.getPathForFile(file),
  onCommand: (run) => on('commands:run', run),
  offerCommands: (commands) => say('commands:offer', commands),
  onEngineState: (listen) => {
    on('engine:state', listen);
    void (ask('engine:state') as Promise<EngineState>).then(listen);
  },
  restartEngine: () => say('engine:restart'),
  openNotes: () => say('notes:open'),
};

contextBridge.exposeInMainWorld('anchor', bridge);
