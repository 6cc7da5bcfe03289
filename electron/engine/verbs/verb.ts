import { initTRPC, TRPCError } from '@trpc/server';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';

/** The first problem of an input as one sentence. */
function wrongInput({ issues }: z.ZodError, path: string): string {
  const [first] = issues;
  const field = first?.path.join('.') ?? '';
  const what = field === '' ? 'The input' : `The field "${field}"`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more like it)` : '';
  return `${what} of ${path} is wrong: ${(first?.message ?? 'not valid').replace(/\.$/, '')}${more}.`;
}

const t = initTRPC.create({
  errorFormatter: ({ shape, error, path }) => ({
    ...shape,
    message: error.cause instanceof z.ZodError ? wrongInput(error.cause, path ?? 'a verb') : shape.message,
    data: {
      code: shape.data.code,
      httpStatus: shape.data.httpStatus,
      path: shape.data.path,
      /** Kind of a Failure, so that a window can offer the remedy that fits; null for a surprise. */
      kind: error.cause instanceof Failure ? error.cause.kind : null,
    },
  }),
});

export const { router } = t;

/** A failure the caller can act on keeps its sentence; anything else stays an internal error. */
export const verb = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof Failure) {
    const { message, exitCode } = result.error.cause;
    throw new TRPCError({
      code: exitCode === 2 ? 'BAD_REQUEST' : 'PRECONDITION_FAILED',
      message,
      cause: result.error.cause,
    });
  }
  return result;
});

/** The part of an input that names a run. */
export const ofRun = z.object({ runId: z.string().min(1) });

/** The part of an input that asks for a page; `cursor` is what the page before returned as `next`. */
export const ofPage = z.object({ cursor: z.string().nullish(), limit: z.int().min(1).max(500).optional() });
