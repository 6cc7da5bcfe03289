import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { LinePeer, type JsonObject } from '../child/line-peer.ts';
import { ProcessFailure } from '../child/failures.ts';

const HEARTBEAT_MS = 2000;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const JSON_RPC_APPLICATION_ERROR = -32000;

/** `tell` sends an event that belongs to the request. */
export type Method = (
  params: unknown,
  signal: AbortSignal,
  tell: (name: string, params: object) => void,
) => Promise<object> | object;

const requestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.int(),
  method: z.string(),
  params: z.unknown(),
});
const cancelSchema = z.object({ id: z.int() });

/**
 * Answers JSON-RPC requests until the stream ends, then ends the process. `cancel {id}` aborts the signal of an open
 * request. Heartbeats come from the event loop, so they also tell that it turns.
 */
export function serve(stream: Duplex, methods: Record<string, Method>): void {
  const open = new Map<number, AbortController>();
  const peer = new LinePeer({
    name: 'engine',
    input: stream,
    output: stream,
    maxLineBytes: MAX_LINE_BYTES,
    onMessage: (message) => void answer(message),
    onProtocolError: (failure) => {
      process.stderr.write(`${failure.message}\n`);
      process.exit(1);
    },
    onEnd: () => process.exit(0),
  });
  const started = performance.now();
  let beats = 0;
  setInterval(() => {
    void peer.send({
      jsonrpc: '2.0',
      method: 'event/heartbeat',
      params: { seq: ++beats, upMs: Math.round(performance.now() - started), open: open.size },
    });
  }, HEARTBEAT_MS);

  async function answer(message: JsonObject): Promise<void> {
    const request = requestSchema.safeParse(message);
    if (!request.success) {
      return peer.send(
        errorAnswer(
          null,
          new ProcessFailure('supervisor', {
            kind: 'badRequest',
            message: 'The supervisor was sent a message that is no request.',
          }),
        ),
      );
    }
    const { id, method, params } = request.data;
    if (method === 'cancel') {
      const controller = open.get(cancelSchema.parse(params).id);
      controller?.abort();
      return peer.send({ jsonrpc: '2.0', id, result: { cancelled: controller !== undefined } });
    }
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const run = methods[method];
      if (!run)
        throw new ProcessFailure('supervisor', {
          kind: 'badRequest',
          message: `The supervisor has no method "${method}".`,
        });
      const result = await run(params, controller.signal, (name, told) => {
        void peer.send({ jsonrpc: '2.0', method: `event/${name}`, params: { id, ...told } });
      });
      await peer.send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      await peer.send(errorAnswer(id, error));
    } finally {
      open.delete(id);
    }
  }
}

function errorAnswer(id: number | null, error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  const data =
    error instanceof Failure
      ? {
          kind: error.kind,
          retryable: error instanceof ProcessFailure && error.retryable,
          detail: error instanceof ProcessFailure ? error.detail : undefined,
        }
      : { kind: 'internal', retryable: false };
  // Surprises belong in the log with their stack: the answer carries one sentence.
  if (!(error instanceof Failure))
    process.stderr.write(`${error instanceof Error ? error.stack : message}\n`);
  return { jsonrpc: '2.0', id, error: { code: JSON_RPC_APPLICATION_ERROR, message, data } };
}
