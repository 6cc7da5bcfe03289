import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { TRPCError } from '@trpc/server';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer, type WebSocket } from 'ws';
import type { EngineRouter } from '../engine/index.ts';
import {
  Allowance,
  bearsToken,
  type Client,
  cookieOf,
  type Limits,
  PROGRAMS,
  type Refusal,
  refuseForeign,
  refuseWithoutOrigin,
  type Sessions,
  type Strangers,
} from './admission.ts';
import { cookieName } from './http.ts';
import type { KnownTabs } from './known-tabs.ts';

export type SocketContext = {
  router: EngineRouter;
  sessions: Sessions;
  tabs: KnownTabs;
  token: string;
  limits: Limits;
  strangers: Strangers;
  nowMs: () => number;
  port: () => number;
};

const ADDRESSES = new Set(['/trpc', '/trpc?connectionParams=1']);
const WATCH_MS = 5000;
/** Close codes of the WebSocket protocol. */
const BROKE_POLICY = 1008;
const TRY_LATER = 1013;

/** Serves the verbs over WebSockets: a window shows its cookie with the request and its key in the first frame; a program its token. */
export class Sockets {
  readonly #server: WebSocketServer;
  readonly #context: SocketContext;
  readonly #serve: (client: WebSocket, request: IncomingMessage) => void;
  /** Sockets of windows whose key was right, with what keeps their session alive. */
  readonly #admitted = new WeakMap<IncomingMessage, () => void>();
  readonly #clients = new WeakMap<WebSocket, Client>();

  constructor(context: SocketContext) {
    this.#context = context;
    // A variable, since the types of ws do not know `closeTimeout` yet.
    const options = {
      noServer: true,
      maxPayload: context.limits.frameBytes,
      perMessageDeflate: false,
      closeTimeout: context.limits.closingMs,
    };
    this.#server = new WebSocketServer(options);
    this.#serve = getWSConnectionHandler({
      wss: this.#server,
      router: context.router,
      createContext: ({ req, info }) => this.#admit(req, info.connectionParams ?? {}),
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy()); // a client that resets must not end the program
    const refusal = this.#refuse(request);
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#context.strangers.know(socket);
    this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client, request));
  }

  /** Cuts every connection off, as a broken line would; windows come back by themselves and go on where they were. */
  disconnectAll(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  close(): void {
    this.disconnectAll();
    this.#server.close();
  }

  #refuse(request: IncomingMessage): Refusal | null {
    const { limits, port } = this.#context;
    const foreign = refuseForeign(request, port());
    if (foreign !== null) return foreign;
    if (!ADDRESSES.has(request.url ?? '')) return { status: 404, sentence: 'Not found.' };
    const client = this.#clientOf(request);
    if (client === null) return { status: 401, sentence: 'Not signed in.' };
    const unnamed = client === PROGRAMS ? null : refuseWithoutOrigin(request);
    if (unnamed !== null) return unnamed;
    const open = [...this.#server.clients];
    const own = open.filter((socket) => this.#clients.get(socket) === client);
    return own.length >= limits.sockets || open.length >= limits.allSockets
      ? { status: 429, sentence: 'Too many windows.' }
      : null;
  }

  #clientOf(request: IncomingMessage): Client | null {
    const { sessions, token, port } = this.#context;
    if (bearsToken(request, token)) return PROGRAMS;
    return sessions.browserOf(cookieOf(request, cookieName(port())) ?? '');
  }

  /** The first frame of a window holds its session's key, without which the connection ends, and its tab's public one. */
  #admit(request: IncomingMessage, { key = '', tab = '' }: Record<string, string | undefined>): object {
    const { sessions, tabs, token, port } = this.#context;
    if (bearsToken(request, token)) return {};
    const cookie = cookieOf(request, cookieName(port())) ?? '';
    const isIn = (): boolean => {
      const accepted = sessions.accepts(cookie, key);
      if (accepted) tabs.note(tab);
      return accepted;
    };
    if (!isIn()) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'This window is not signed in.' });
    this.#admitted.set(request, () => void isIn());
    return {};
  }

  #accept(client: WebSocket, request: IncomingMessage): void {
    const { limits, nowMs, token } = this.#context;
    const whose = this.#clientOf(request);
    if (whose !== null) this.#clients.set(client, whose);
    const allowance = new Allowance(limits.frames.burst, limits.frames.perSecond, nowMs);
    client.on('error', () => client.terminate()); // too long a frame, or no WebSocket at all
    client.on('message', () => {
      if (!allowance.take()) client.close(BROKE_POLICY, 'Too many frames.');
    });
    const keyTimer = setTimeout(() => {
      if (!bearsToken(request, token) && !this.#admitted.has(request)) client.terminate();
    }, limits.keyMs);
    const watch = setInterval(() => this.#admitted.get(request)?.(), WATCH_MS);
    client.on('close', () => {
      clearTimeout(keyTimer);
      clearInterval(watch);
    });
    boundUnread(client, limits.unreadBytes);
    this.#serve(client, request);
  }
}

/**
 * What a client does not read waits in the memory of this program, and it may stop reading at any time. Looked at before each frame: past
 * the limit the client is told and nothing more is kept for it.
 */
function boundUnread(client: WebSocket, bytes: number): void {
  const send = client.send.bind(client) as (...frame: unknown[]) => void;
  client.send = (...frame: unknown[]): void => {
    if (client.bufferedAmount <= bytes) send(...frame);
    else client.close(TRY_LATER, 'The page does not read; it comes back when it does.');
  };
}
