import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../contract/index.ts';
import { createRouter, type Engine } from '../engine/index.ts';
import type { Bundle } from './bundle.ts';
import { answerHttp } from './http.ts';
import { LIMITS, type Limits, Sessions, Strangers } from './admission.ts';
import { KnownTabs } from './known-tabs.ts';
import { Sockets } from './sockets.ts';

export type LoopbackOptions = {
  /** 0 picks a free one. */
  port: number;
  /** The window's files; null serves programs only. */
  bundle: Bundle | null;
  /** Who is signed in; given when a server takes another's place, so that open windows stay. */
  sessions?: Sessions;
  /** Tabs that may come back by themselves; none where it is left out. */
  tabs?: KnownTabs;
  limits?: Partial<Limits>;
};

export type LoopbackHost = {
  url: string;
  /** For programs: `Authorization: Bearer …`. */
  token: string;
  sessions: Sessions;
  /** An address that lets one browser in, once. @param place where the window opens, such as `/runs`. */
  link(place?: string): string;
  /** Cuts every connection off, as a broken line would. */
  disconnectAll(): void;
  close(): Promise<void>;
};

/**
 * Serves the window and the engine's verbs on 127.0.0.1 only: files, tRPC over HTTP under /trpc/ for programs, and over a WebSocket
 * at /trpc. @throws Failure `portInUse`.
 */
export async function serveLoopback(
  engine: Engine,
  {
    port,
    bundle,
    sessions: given,
    tabs = new KnownTabs(() => engine.clock.now().getTime()),
    limits: changed,
  }: LoopbackOptions,
): Promise<LoopbackHost> {
  const token = randomBytes(32).toString('base64url');
  const nowMs = (): number => engine.clock.monotonicMs();
  const sessions = given ?? new Sessions(nowMs);
  const limits: Limits = { ...LIMITS, ...changed };
  const router = createRouter(engine);
  const strangers = new Strangers(limits.connections);
  const context = {
    router,
    bundle,
    sessions,
    tabs,
    token,
    limits,
    strangers,
    nowMs,
    port: (): number => actualPort(server),
  };
  const server: Server = createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(5000, limits.headMs),
    },
    answerHttp(context),
  );
  server.on('connection', (socket) => strangers.note(socket));
  const sockets = new Sockets(context);
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Failure(
          'portInUse',
          `The port ${port} on 127.0.0.1 cannot be used (${(cause as NodeJS.ErrnoException).code}); choose another with --port.`,
          1,
          { cause },
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${actualPort(server)}`;
  return {
    url,
    token,
    sessions,
    link: (place) => linkTo(url, sessions.issueTicket(), place),
    disconnectAll: () => sockets.disconnectAll(),
    close: async () => {
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The token stands behind the `#`, which no browser sends anywhere. */
export function linkTo(url: string, ticket: string, place?: string): string {
  return `${url}/#token=${ticket}${place === undefined ? '' : `&to=${encodeURIComponent(place)}`}`;
}

const actualPort = (server: Server): number => (server.address() as AddressInfo).port;
