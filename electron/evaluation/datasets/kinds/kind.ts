import type { DatasetKind } from '../../../contract/index.ts';
import type { Format } from '../rows/read-rows.ts';
import type { Dialect, Row } from '../rows/row.ts';

/** An official row in the form it is kept: its id, unique in its set, and the row as JSON text. */
export type KeptRow = { id: string; text: string; isPython: boolean };

/** What one file's rows become; the place in the file counts from 0. */
export type ReadContext = { file: string; index: number };

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
