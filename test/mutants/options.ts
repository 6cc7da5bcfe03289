import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKOUT } from './edit.ts';

export type Options = {
  /** Taken are mutants whose name or file has this in it, whatever the case. */
  only: string | null;
  workers: number;
  /** Where what came of each mutant is kept. */
  results: string;
  /** Tries mutants anew that have a result. */
  fresh: boolean;
  list: boolean;
};

export const HELP = `npm run mutants -- [options]

Changes one place of the sources at a time, in a copy of them, and asks whether the closest tests notice. What came of each mutant is kept
as it comes, so that a run which was ended goes on where it was; it counts for as long as the mutant, its file and its tests stay the same.

  --only TEXT      mutants whose subject, description or file has this in it
  --workers N      copies that are worked in beside each other (as many as there are processors)
  --results FILE   where results are kept (out/mutants/results.jsonl)
  --fresh          try all of them anew
  --list           print the mutants, and do nothing

Ends with 1 when a mutant survives without a reason, when less than 95 of 100 are noticed, or when a mutant no longer fits its file.
`;

/** @throws an Error with one sentence about what is wrong. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      workers: { type: 'string' },
      results: { type: 'string', default: join(CHECKOUT, 'out/mutants/results.jsonl') },
      fresh: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const workers = values.workers ?? String(availableParallelism());
  if (!/^[1-9]\d{0,2}$/.test(workers))
    throw new Error(`--workers takes a whole number from 1 to 999, not "${workers}".`);
  return {
    only: values.only ?? null,
    workers: Number(workers),
    results: resolve(values.results),
    fresh: values.fresh,
    list: values.list,
  };
}
