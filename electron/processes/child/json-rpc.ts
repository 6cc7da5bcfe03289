import { z } from 'zod';
import { failureKindSchema } from '../../contract/index.ts';
import { ProcessFailure, type RemoteError } from './failures.ts';
import { type JsonObject, LinePeer, type LinePeerOptions } from './line-peer.ts';

/*
 * The dialect of JSON-RPC 2.0 that the engine and its processes speak: trainer, supervisor and grader.
 *
 * Framing      one JSON object a line, UTF-8, strict, with a limit on a line's bytes in both directions (LinePeer). No batches.
 * Request      {"jsonrpc": "2.0", "id": 7, "method": "generate", "params": {...}}; ids count up from 1, params are named.
 * Answer       {"jsonrpc": "2.0", "id": 7, "result": {...}}; answers may come in any order.
 * Error        {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "One sentence.", "data": {"kind": "promptTooLong",
 *              "retryable": false, "hint": "What to do.", "detail": {...}}}}. `kind` is what programs compare; `retryable` says
 *              that the very same request may succeed later. id null: a line that could not be read.
 * Event        {"jsonrpc": "2.0", "method": "event/NAME", "params": {...}}, from the process only and never answered.
 * event/heartbeat  every 2 s from the trainer and the supervisor; a process that is silent for longer than its limit is ended.
 * hello        the first request; the process is used only when it has been answered (the handshake).
 * cancel {id}  ends an open request, which answers with what it has or with the kind `cancelled`.
 * shutdown     asks the trainer to end by itself; the others end with their channel.
 *
 * The methods are in trainer-wire.ts, supervisor-wire.ts and grader-client.ts. The sandbox's broker alone writes `{id, op, ...}` and
 * `{id, ok, result | error}` (native/runner/README.md, BROKER in runner-client.ts), over the same lines.
 */

export type Incoming =
  | { type: 'result'; id: number; result: unknown }
  | { type: 'error'; id: number | null; error: RemoteError }
  | { type: 'event'; name: string; params: unknown };

/** How requests and answers are written down. Returns null for a message that fits none of the three forms. */
export type Dialect = {
  encode(id: number, method: string, params: object): object;
  decode(message: JsonObject): Incoming | null;
};

const rpcErrorSchema = z.object({
  code: z.number(),
  message: z.string(),
  data: z
    .object({
      // A kind this program does not know is a surprise; its sentence still says what it was.
      kind: failureKindSchema.catch('internal'),
      retryable: z.boolean().optional(),
      hint: z.string().nullish(),
      detail: z.unknown().optional(),
    })
    .optional(),
});

/** JSON-RPC 2.0; notifications named `event/NAME` are events. */
export const JSON_RPC: Dialect = {
  encode: (id, method, params) => ({ jsonrpc: '2.0', id, method, params }),
  decode: (message) => {
    if (typeof message.method === 'string' && message.method.startsWith('event/')) {
      return { type: 'event', name: message.method.slice('event/'.length), params: message.params };
    }
    const id = typeof message.id === 'number' ? message.id : null;
    if (id !== null && 'result' in message) return { type: 'result', id, result: message.result };
    const error = rpcErrorSchema.safeParse(message.error);
    if (!error.success) return null;
    const { data, message: text } = error.data;
    return {
      type: 'error',
      id,
      error: {
        kind: data?.kind ?? 'internal',
        message: text,
        retryable: data?.retryable,
        hint: data?.hint ?? undefined,
        detail: data?.detail,
      },
    };
  },
};

export type RpcOptions = Omit<LinePeerOptions, 'onMessage'> & {
  dialect: Dialect;
  onEvent(name: string, params: unknown): void;
  /** Called for every well-formed line, before it is handled: a sign of life. */
  onActivity(): void;
};

export type Call = {
  /** Number of the request on the wire; what a `cancel` names. */
  id: number;
  result: Promise<unknown>;
};

type Open = { resolve(value: unknown): void; reject(failure: ProcessFailure): void };

/** Requests and answers over a LinePeer. Answers may come in any order. */
export class RpcConnection {
  readonly #options: RpcOptions;
  readonly #peer: LinePeer;
  readonly #open = new Map<number, Open>();
  #nextId = 1;
  #closed: ProcessFailure | null = null;

  constructor(options: RpcOptions) {
    this.#options = options;
    this.#peer = new LinePeer({ ...options, onMessage: (message) => this.#receive(message) });
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** The request that waits longest for its answer. */
  get oldestRequest(): number | null {
    return this.#open.keys().next().value ?? null;
  }

  /** Sends a request. `result` rejects with the other side's error, or with the failure given to `close`. */
  call(method: string, params: object): Call {
    const id = this.#nextId++;
    const result = new Promise<unknown>((resolve, reject) => {
      if (this.#closed) return reject(this.#closed);
      this.#open.set(id, { resolve, reject });
      this.#peer.send(this.#options.dialect.encode(id, method, params)).catch((error: ProcessFailure) => {
        this.#open.delete(id);
        reject(error);
      });
    });
    return { id, result };
  }

  /** Rejects every open request, and every later one, with this failure. */
  close(failure: ProcessFailure): void {
    this.#closed ??= failure;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const request of open) request.reject(failure);
  }

  #receive(message: JsonObject): void {
    const { dialect, name, onEvent, onActivity, onProtocolError } = this.#options;
    const incoming = dialect.decode(message);
    if (!incoming) {
      const text = JSON.stringify(message).slice(0, 120);
      return onProtocolError(
        new ProcessFailure(name, {
          kind: 'protocol',
          message: `The ${name} sent a message that is no answer, error or event: ${text}`,
        }),
      );
    }
    onActivity();
    if (incoming.type === 'event') {
      try {
        return onEvent(incoming.name, incoming.params);
      } catch (error) {
        // An event of the wrong form is the process's fault; anything else is ours and a surprise.
        if (error instanceof ProcessFailure && error.kind === 'protocol') return onProtocolError(error);
        throw error;
      }
    }
    if (incoming.id === null) {
      // An error without a number answers a line the other side could not read: that line is one of ours, so nothing waits sensibly.
      if (incoming.type === 'error')
        onProtocolError(new ProcessFailure(name, { ...incoming.error, kind: 'protocol' }));
      return;
    }
    const request = this.#open.get(incoming.id);
    // Nothing waits: the answer to a request whose caller was already told that it was lost.
    if (!request) return;
    this.#open.delete(incoming.id);
    if (incoming.type === 'result') request.resolve(incoming.result);
    else request.reject(new ProcessFailure(name, incoming.error));
  }
}

/** Checks an answer against what its method promises; throws `protocol` naming the process, the method and the field. */
export function parseAnswer<T>(name: string, method: string, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue && issue.path.length > 0 ? ` in the field "${issue.path.join('.')}"` : '';
  throw new ProcessFailure(name, {
    kind: 'protocol',
    message: `The ${name}'s answer to ${method} has an unexpected form${where}: ${issue?.message ?? 'unknown'}. The two do not belong to the same version of Anchor Lab.`,
  });
}
