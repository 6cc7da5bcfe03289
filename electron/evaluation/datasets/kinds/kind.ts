import type { Format } from '../rows/read-rows.ts';
import type { Dialect, Row } from '../rows/row.ts';
import type { z } from 'zod';
import { Failure, type DatasetKind, type DatasetTerms } from '../../../contract/index.ts';

/** An official row in the form it is kept: its id, unique in its set, and the row as JSON text. */
export type KeptRow = { id: string; text: string; isPython: boolean };

/** What one file's rows become; the place in the file counts from 0. */
type ReadContext = { file: string; index: number };

export type KindReader = DatasetKind & {
  /** Formats its files are published in, or may be converted to. */
  formats: readonly Format[];
  dialect: Dialect;
  /** Bytes of one row at most. */
  rowBytes: number;
  /** Several files of a folder make one set (parts of a release), or each is a set of its own. */
  files: 'joined' | 'apart';
  /** Fields every row must have; a row may have more. */
  fields: readonly string[];
  /** Whether rows with these fields are of this kind and no other; `path` is where the file lies, since folders are often named after their set. */
  fits: (rows: readonly Readonly<Record<string, unknown>>[], path: string) => boolean;
  /** @throws Failure `badFile` saying what is wrong with the row. */
  read: (row: Row, context: ReadContext) => KeptRow[];
  /** Names of files beside the one with the rows that belong to the set. */
  beside?: readonly string[];
};

/** The row as it is kept: the file's own text, so that numbers stay as they were written, or the fields as JSON. */
export const kept = (id: string, { text, value, isPython }: Row): KeptRow => ({
  id,
  text: text ?? JSON.stringify(value),
  isPython,
});

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

/** Harmful requests that are published to test refusals. */
export const HARMFUL_TEXT: DatasetTerms = {
  kind: 'sensitivity',
  statement:
    'This set holds requests for harmful things, written to test whether models refuse them. I will use it for testing only, and I know that reading it can be distressing.',
};
export const HEX_PHI_LICENCE: DatasetTerms = {
  kind: 'licence',
  statement:
    'HEx-PHI is given out under a licence to people whose request was approved. I have access under that licence and keep to it: testing of safety only, no passing on. I know that reading it can be distressing.',
};
export const NO_LICENCE: DatasetTerms = {
  kind: 'licence',
  statement:
    'These texts were published without a licence. I have the right to use them here, and I will not pass them on.',
};
