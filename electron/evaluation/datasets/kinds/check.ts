import type { z } from 'zod';
import { Failure } from '../../../contract/index.ts';

/** The row as the schema reads it. @throws Failure `badFile` with the first field that is missing or of another form; never its content, which may be harmful to read. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new Failure(
    'badFile',
    field === '' ? 'the row is of another form' : `its field ${field} is missing or of another form`,
  );
}

/** A row that is refused for a reason of its own. */
export const wrongRow = (why: string): Failure => new Failure('badFile', why);
