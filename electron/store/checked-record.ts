import type { z } from 'zod';
import { Failure } from '../contract/index.ts';

/**
 * The same data with every lone surrogate replaced by U+FFFD. Model text cut in the middle of a character can hold one; SQLite
 * stores UTF-8, where none exists, so the hash taken before storing would differ from the hash of what is read back.
 * Returns the value itself when nothing had to change.
 */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => wellFormed(item));
    return (items.every((item, index) => item === value[index]) ? value : items) as T;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(
      ([key, item]) => [wellFormed(key), wellFormed(item), item] as const,
    );
    const same = entries.every(([key, item, before]) => item === before && key.isWellFormed());
    return (same ? value : Object.fromEntries(entries.map(([key, item]) => [key, item]))) as T;
  }
  return value;
}

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
