import type { Edit } from './edit.ts';

/** A fault and the tests that have to notice it. */
export type Mutant = Edit & {
  subject: string;
  /** vitest or pytest files, the closest first. */
  tests: readonly string[];
  /** Why no test can notice it, where none can: it does the same as the program without it. */
  reason?: string;
};

type Change = { what: string; line: string; instead: string; reason?: string; tests?: readonly string[] };

/** The mutants of one file; `tests` are those of all that name none of their own. */
export type FileOfMutants = { file: string; tests: readonly string[]; mutants: readonly Change[] };

/** A chapter: the mutants of a subject, file by file. */
export const chapter = (subject: string, files: readonly FileOfMutants[]): Mutant[] =>
  files.flatMap(({ file, tests, mutants }) => mutants.map((one) => ({ tests, ...one, subject, file })));

/** Under which a mutant is listed, asked for with `--only` and found again. */
export const nameOf = ({ subject, what }: Pick<Mutant, 'subject' | 'what'>): string => `${subject}: ${what}`;
