import { createTRPCClient, createWSClient, wsLink } from '@trpc/client';
import type { EngineRouter } from '../../electron/engine/index.ts';
import { bridge, BridgeSocket } from './bridge.ts';
import { entered, sessionKey } from './sign-in.ts';

const RECONNECT_MS = [100, 250, 500, 1000, 2000]; // a restarted engine is back within a second or two

export type Connection = 'connecting' | 'open' | 'lost';
const listeners = new Set<(state: Connection) => void>();
let connection: Connection = 'connecting';

function become(state: Connection): void {
  connection = state;
  for (const listener of listeners) listener(state);
}

export const currentConnection = (): Connection => connection;

/** Hears of every change of the connection until the returned function is called. */
export function onConnection(listener: (state: Connection) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const socket = createWSClient({
  // A connection without a key would only be refused.
  url: () => entered.then(() => (bridge === null ? `ws://${location.host}/trpc` : 'ws://engine/trpc')),
  ...(bridge === null
    ? { connectionParams: () => ({ key: sessionKey() }) }
    : { WebSocket: BridgeSocket as never }),
  retryDelayMs: (attempt) => RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)] ?? 2000,
  keepAlive: { enabled: true, intervalMs: 10_000, pongTimeoutMs: 5_000 },
  onOpen: () => become('open'),
  onClose: () => become('lost'),
});

/** Every verb of the engine, typed by its router. */
export const api = createTRPCClient<EngineRouter>({ links: [wsLink({ client: socket })] });
export type Api = typeof api;
