import { SUITES } from '../../evaluation/index.ts';
import { pressureItemSchema, seedRecordSchema } from '../../evolution/index.ts';

/** A form of JSON Lines that the program can use, and what is wrong with a row that is not of it. */
type DatasetKind = { name: string; objection: (row: unknown) => string | null };

const passes =
  (parse: (row: unknown) => unknown): DatasetKind['objection'] =>
  (row) => {
    try {
      parse(row);
      return null;
    } catch {
      return 'it is not of the form of the lines before it';
    }
  };

/** The forms in the order they are tried: a suite's items name their suite, so they are told first. */
const KINDS: readonly DatasetKind[] = [
  ...SUITES.map((suite): DatasetKind => ({ name: suite.name, objection: passes((row) => suite.parse(row)) })),
  { name: 'pressure', objection: passes((row) => pressureItemSchema.parse(row)) },
  { name: 'tasks', objection: passes((row) => seedRecordSchema.parse(row)) },
];

/** The kind of a file by one of its rows; null when the program knows no such form. */
export function datasetKindOf(row: unknown): DatasetKind | null {
  const named = (row as { suite?: unknown } | null)?.suite;
  return (
    KINDS.find(({ name, objection }) => (named === undefined || named === name) && objection(row) === null) ??
    null
  );
}
