import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { z } from 'zod';
import type { EngineRouter } from '../engine/index.ts';
import {
  type Bundle,
  type BundleFile,
  CACHE_FOREVER,
  CACHE_NEVER,
  COMMON_HEADERS,
  FILE_POLICY,
  freshNonce,
  pagePolicy,
} from './bundle.ts';
import {
  Allowance,
  Allowances,
  bearsToken,
  cookieOf,
  type Limits,
  NOBODY,
  type Refusal,
  refuseForeign,
  refuseWithoutOrigin,
  type Sessions,
  type Strangers,
} from './admission.ts';
import { type KnownTabs, returnSchema } from './known-tabs.ts';

export type HttpContext = {
  router: EngineRouter;
  bundle: Bundle | null;
  sessions: Sessions;
  tabs: KnownTabs;
  token: string;
  limits: Limits;
  strangers: Strangers;
  nowMs: () => number;
  /** The port the server really listens on. */
  port: () => number;
};

const SIGN_IN_BYTES = 4096; // a token is 43 characters, a tab's key and signature 210
/** A form of another page cannot set a header without asking first, and the asking is refused. */
const OWN_HEADER = 'x-anchor';
const KEY_HEADER = 'x-anchor-key';
const signInSchema = z.union([z.strictObject({ token: z.string().max(512) }), returnSchema]);

export const cookieName = (port: number): string => `anchor-${port}`;

/** Answers requests: the window's files to everybody on this machine, a session for a ticket, the verbs to programs with the token. */
export function answerHttp(
  context: HttpContext,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { router, sessions, token, limits } = context;
  const handleTrpc = createHTTPHandler({
    router,
    basePath: '/trpc/',
    createContext: () => ({}),
    maxBodySize: limits.frameBytes,
  });
  const { burst, perSecond } = limits.requests;
  const allowances = new Allowances(() => new Allowance(burst, perSecond, context.nowMs));
  const held = { now: 0 };
  return (request, response) => {
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    response.setHeader('Cache-Control', CACHE_NEVER);
    response.setHeader('Content-Security-Policy', FILE_POLICY);
    const isProgram = bearsToken(request, token);
    const browser = sessions.browserOf(cookieOf(request, cookieName(context.port())) ?? '');
    if (isProgram || browser !== null) context.strangers.know(request.socket);
    else context.strangers.note(request.socket);
    const refusal =
      refuseForeign(request, context.port()) ??
      (isProgram || allowances.take(browser ?? NOBODY)
        ? null
        : { status: 429 as const, sentence: 'Too many requests; wait a moment.' });
    if (refusal !== null) return refuse(response, refusal);
    const address = request.url ?? '';
    if (address.startsWith('/trpc/'))
      return isProgram
        ? void handleTrpc(request, response)
        : refuse(response, {
            status: 401,
            sentence: 'The access token is missing or wrong; use the one printed when the server started.',
          });
    if (address === '/session' && request.method === 'GET') return tellSession(context, request, response);
    if (address === '/session' && request.method === 'POST')
      return void openSession(context, held, request, response);
    if (address === '/ticket' && request.method === 'POST')
      return isProgram
        ? sendJson(response, 200, { token: sessions.issueTicket() })
        : refuse(response, { status: 401, sentence: 'The access token is missing or wrong.' });
    return serveFile(context, request, response, address);
  };
}

function serveFile(
  { bundle, port }: HttpContext,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): void {
  if (bundle === null)
    return refuse(response, { status: 404, sentence: 'There is nothing here; the verbs are under /trpc/.' });
  if (address === '/') {
    if (!reads(request)) return refuseMethod(response);
    const nonce = freshNonce();
    response.setHeader(
      'Content-Security-Policy',
      pagePolicy(nonce, [`'self'`, `ws://${request.headers.host ?? `127.0.0.1:${port()}`}`]),
    );
    return sendFile(request, response, bundle.page(nonce));
  }
  const file = bundle.file(address);
  if (file === undefined) return refuse(response, { status: 404, sentence: 'There is nothing here.' });
  if (!reads(request)) return refuseMethod(response);
  response.setHeader('Cache-Control', CACHE_FOREVER);
  return sendFile(request, response, file);
}

const reads = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

function refuseMethod(response: ServerResponse): void {
  response.setHeader('Allow', 'GET, HEAD');
  refuse(response, { status: 405, sentence: 'This can only be read.' });
}

/** Whether this browser is signed in, and if not, what a tab that was has to sign: one that was left alone asks before it says that the engine is away. */
function tellSession(
  { sessions, tabs, port }: HttpContext,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const key = request.headers[KEY_HEADER];
  const known = sessions.accepts(
    cookieOf(request, cookieName(port())) ?? '',
    typeof key === 'string' ? key : '',
  );
  if (known) response.writeHead(204).end();
  else sendJson(response, 401, { challenge: tabs.challenge });
}

async function openSession(
  context: HttpContext,
  held: { now: number },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const foreign = refuseWithoutOrigin(request);
  if (foreign !== null) return refuse(response, foreign);
  if (request.headers['content-type'] !== 'application/json' || request.headers[OWN_HEADER] !== '1')
    return refuse(response, { status: 415, sentence: 'The window asks in another way.' });
  const body = await readBody(request, SIGN_IN_BYTES);
  if (body === null) return refuse(response, { status: 413, sentence: 'The request is too long.' });
  const { data: shown } = signInSchema.safeParse(parseJson(body));
  if (shown === undefined)
    return refuse(response, { status: 400, sentence: 'The request is not understood.' });
  const { sessions, tabs } = context;
  if ('tab' in shown && !tabs.accepts(shown, context.port()))
    return refuse(response, {
      status: 401,
      sentence: 'This tab is not known here; open the address that was printed last.',
    });
  const session = 'tab' in shown ? sessions.admit() : sessions.exchange(shown.token);
  if (session !== null) {
    response.setHeader(
      'Set-Cookie',
      `${cookieName(context.port())}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict`,
    );
    return sendJson(response, 200, { key: session.key });
  }
  const wrong: Refusal = {
    status: 401,
    sentence: 'The address was used already or is not the newest; open the one that was printed last.',
  };
  const delay = sessions.delayMs();
  if (delay === 0) return refuse(response, wrong);
  if (held.now >= context.limits.heldAnswers)
    return refuse(response, { status: 429, sentence: 'Too many wrong addresses; wait a moment.' });
  held.now += 1;
  const timer = setTimeout(() => refuse(response, wrong), delay);
  response.once('close', () => {
    held.now -= 1;
    clearTimeout(timer);
  });
}

/** The body as text; null when it is longer than `most`. */
async function readBody(request: IncomingMessage, most: number): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request) {
      length += (part as Buffer).length;
      if (length > most) return null;
      parts.push(part as Buffer);
    }
  } catch {
    return ''; // the client went away in the middle; nobody hears the answer
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, { bytes, type }: BundleFile): void {
  response
    .writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, { status, sentence }: Refusal): void {
  // What is left of a refused request is not read: the connection ends with the answer.
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
    .end(`${sentence}\n`);
}
