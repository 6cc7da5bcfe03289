import type { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { wellFormed } from './well-formed-text.ts';

/** The record as the contract wants it, ready to be hashed and stored, or a Failure of kind `badRecord` that names the first field that is not. */
export function checkedRecord<T>(schema: z.ZodType<T>, value: T, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return wellFormed(parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.');
  throw new Failure(
    'badRecord',
    `The ${what} cannot be stored: ${field}: ${issue?.message ?? 'invalid'}.`,
    1,
    { cause: parsed.error },
  );
}
