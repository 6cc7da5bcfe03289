import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer } from 'ws';
import { Failure } from '../contract/index.ts';
import { createRouter, type Engine } from '../engine/index.ts';
import { refuse } from './guard.ts';

export type LoopbackHost = { url: string; token: string; close(): Promise<void> };

const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * Serves the engine's verbs on 127.0.0.1 only: tRPC over HTTP under /trpc and over a WebSocket at /trpc for subscriptions.
 * @param port 0 picks a free one. @throws Failure `portInUse`.
 */
export async function serveLoopback(engine: Engine, port: number): Promise<LoopbackHost> {
  const token = randomBytes(32).toString('base64url');
  const router = createRouter(engine);
  const handleTrpc = createHTTPHandler({ router, basePath: '/trpc/', createContext: () => ({}), maxBodySize: MAX_FRAME_BYTES });
  const server = createServer((request, response) => {
    const refusal = refuse(request, actualPort(server), token);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    if (refusal !== null) {
      response.writeHead(refusal.status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${refusal.sentence}\n`);
    } else if (request.url?.startsWith('/trpc/')) {
      handleTrpc(request, response);
    } else {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('There is nothing here; the verbs are under /trpc/.\n');
    }
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const onConnection = getWSConnectionHandler({ wss: sockets, router, createContext: () => ({}) });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy()); // a client that resets must not end the program
    const refusal = refuse(request, actualPort(server), token) ?? (request.url?.split('?')[0] === '/trpc' ? null : { status: 404, sentence: 'Not found.' });
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => void onConnection(client, request));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Failure('portInUse', `The port ${port} on 127.0.0.1 cannot be used (${(cause as NodeJS.ErrnoException).code}); choose another with --port.`, 1, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${actualPort(server)}`, token,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const actualPort = (server: Server): number => (server.address() as AddressInfo).port;
