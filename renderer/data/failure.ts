import { TRPCClientError } from '@trpc/client';
import type { EngineRouter } from '../../electron/engine/index.ts';

/** What a person is told of a verb that failed. `kind` names the Failure, so that a screen can offer the fitting remedy. */
export type ReadableFailure = { sentence: string; kind: string | null; details: string };

export function readableFailure(error: unknown): ReadableFailure {
  const details =
    error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
  if (error instanceof TRPCClientError) {
    const { data } = error as TRPCClientError<EngineRouter>;
    return {
      sentence: error.message,
      kind: data?.kind ?? null,
      details: `${data?.path ?? ''} ${data?.code ?? ''}\n${details}`,
    };
  }
  return { sentence: error instanceof Error ? error.message : String(error), kind: null, details };
}
