import { createTRPCClient, createWSClient, wsLink } from '@trpc/client';
import { useEffect, useState } from 'react';
import type { EngineRouter } from '../../electron/engine/index.ts';
import { bridge, BridgeSocket, entered, sessionKey, admission } from './host.ts';
import { tabKey } from './tab-key.ts';

const RECONNECT_MS = [100, 250, 500, 1000, 2000]; // a restarted engine is back within a second or two

export type Connection = 'connecting' | 'open' | 'lost';
const listeners = new Set<(state: Connection) => void>();
let connection: Connection = 'connecting';

function become(state: Connection): void {
  connection = state;
  for (const listener of listeners) listener(state);
}

const currentConnection = (): Connection => connection;

/** Calls the listener at every change of the connection until the returned function is called. */
export function onConnection(listener: (state: Connection) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const socket = createWSClient({
  // A connection without a key would only be refused.
  url: () => entered.then(() => (bridge === null ? `ws://${location.host}/trpc` : 'ws://engine/trpc')),
  ...(bridge === null
    ? { connectionParams: async () => ({ key: sessionKey(), tab: await tabKey() }) }
    : { WebSocket: BridgeSocket as never }),
  retryDelayMs: (attempt) => RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 2000,
  keepAlive: { enabled: true, intervalMs: 10_000, pongTimeoutMs: 5_000 },
  onOpen: () => become('open'),
  onClose: () => become('lost'),
});

/** Every verb of the engine, typed by its router. */
export const api = createTRPCClient<EngineRouter>({ links: [wsLink({ client: socket })] });
export type Api = typeof api;

/** `out`: the host answers but no longer knows this window. */
type ConnectionStatus = 'open' | 'connecting' | 'lost' | 'out';

const PATIENCE_MS = 800; // a restarted engine is usually back before anybody noticed
const ASK_EVERY_MS = 5000;

/** Whether this window is connected to the engine. A broken line is reported only once it is more than a hiccup. */
export function useConnectionStatus(): ConnectionStatus {
  const [status, setStatus] = useState<ConnectionStatus>(
    currentConnection() === 'open' ? 'open' : 'connecting',
  );
  useEffect(() => {
    let timer = 0;
    const check = async (): Promise<void> => {
      const isOut = (await admission()) === 'out';
      if (currentConnection() !== 'lost') return;
      setStatus(isOut ? 'out' : 'lost');
      timer = window.setTimeout(() => void check(), ASK_EVERY_MS);
    };
    const follow = (): void => {
      window.clearTimeout(timer);
      if (currentConnection() === 'open') setStatus('open');
      else timer = window.setTimeout(() => void check(), PATIENCE_MS);
    };
    follow();
    const stop = onConnection(follow);
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, []);
  return status;
}
