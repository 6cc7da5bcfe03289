import { initTRPC, TRPCError } from '@trpc/server';
import { z } from 'zod';
import { Failure, wantedValue } from '../../contract/index.ts';
import { quotable, quotableLines } from '../../core/index.ts';
import { asDiskFailure } from '../../library/index.ts';

/** Characters of what is wrong with an input; it may name a key that is as long as one likes. */
const LONGEST = 300;
const LONGEST_SENTENCE = 2000;

/** The first problem of an input as one sentence. */
function wrongInput(cause: z.ZodError, path: string): Failure {
  const { issues } = cause;
  const [first] = issues;
  const field = quotable(first?.path.join('.') ?? '');
  const what = field === '' ? 'The input' : `The field "${field}"`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more like it)` : '';
  if (first === undefined) return new Failure('usage', `${what} of ${path} is wrong.`, 2, { cause });
  const wanted = quotable(wantedValue(first), LONGEST);
  const why = first.message.endsWith('received undefined') ? `it is missing, and ${wanted}` : wanted;
  return new Failure('usage', `${what} of ${path} is wrong: ${why}${more}.`, 2, { cause });
}

const t = initTRPC.create({
  errorFormatter: ({ shape, error }) => ({
    ...shape,
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

/** A failure the caller can act on keeps its sentence, and what a disk says gets one; anything else stays an internal error. */
export const verb = t.procedure.use(async ({ next, path }) => {
  const result = await next();
  if (result.ok) return result;
  const { cause } = result.error;
  const failure =
    cause instanceof z.ZodError ? wrongInput(cause, path) : asDiskFailure(cause, `A file of ${path}`);
  if (!(failure instanceof Failure)) return result;
  throw new TRPCError({
    code: failure.exitCode === 2 ? 'BAD_REQUEST' : 'PRECONDITION_FAILED',
    // It may quote what was asked for.
    message: quotableLines(failure, LONGEST_SENTENCE),
    cause: failure,
  });
});

/** The part of an input that names a run. */
export const ofRun = z.object({ runId: z.string().min(1) });

/** The part of an input that asks for a page; `cursor` is what the page before returned as `next`. */
export const ofPage = z.object({ cursor: z.string().nullish(), limit: z.int().min(1).max(500).optional() });
