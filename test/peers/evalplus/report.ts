import type { EvalPlusDataset } from '../../../electron/evaluation/code/evalplus/task.ts';

export type Verdict = { base: string; plus: string };
/** One program as both graded it. */
export type Row = {
  id: string;
  dataset: EvalPlusDataset;
  kind: string;
  original: Verdict;
  ours: Verdict & { flags: readonly string[] };
};

const agreesIn =
  (part: keyof Verdict) =>
  ({ original, ours }: Row): boolean =>
    original[part] === ours[part];
const passes = ({ base, plus }: Verdict): boolean => base === 'pass' && plus === 'pass';

/** Why the two differ on a program where that is known and meant; null anywhere else. */
export function reasonOf({ id, kind, original }: Row): string | null {
  if (id.startsWith('HumanEval/32#') && original.base !== 'pass')
    return 'evalplus 0.3.1 records no result for the task judged by roots, so that even its own solution fails; its repository has that repaired, and we follow it';
  if (kind === 'equal by its own rule')
    return 'the expected value is not where the program runs, so an equality of its own cannot be asked; flagged custom-equality';
  return null;
}

/** The figures, the counts of every kind of mutant, then each program on which the two differ. */
export function linesOf(rows: readonly Row[], repeated: number): string[] {
  const share = (some: readonly Row[], test: (row: Row) => boolean): string =>
    `${some.filter(test).length}/${some.length}`;
  const lines = (['humaneval', 'mbpp'] as const).map((dataset) => {
    const some = rows.filter((row) => row.dataset === dataset);
    return `${dataset}: same verdict in base ${share(some, agreesIn('base'))}, in plus ${share(some, agreesIn('plus'))}, same score ${share(some, ({ original, ours }) => passes(original) === passes(ours))}; the original passes ${some.filter(({ original }) => original.base === 'pass').length} in base, ${some.filter(({ original }) => passes(original)).length} in base and plus`;
  });
  lines.push(
    `${repeated} differed the first time and were graded again`,
    '',
    'kind: same in base, same in plus; of them the original lets pass in base, in plus',
  );
  for (const kind of [...new Set(rows.map((row) => row.kind))].toSorted()) {
    const some = rows.filter((row) => row.kind === kind);
    const passed = (part: keyof Verdict): number =>
      some.filter(({ original }) => original[part] === 'pass').length;
    lines.push(
      `${kind}: ${share(some, agreesIn('base'))}, ${share(some, agreesIn('plus'))}; ${passed('base')}, ${passed('plus')}`,
    );
  }
  const apart = rows.filter((row) => !agreesIn('base')(row) || !agreesIn('plus')(row));
  lines.push('', apart.length === 0 ? 'no difference' : 'differences (original, ours):');
  for (const row of apart) {
    const { id, kind, original, ours } = row;
    lines.push(
      `${id} ${kind}: ${original.base}/${original.plus}, ${ours.base}/${ours.plus} ${ours.flags.join()}`.trimEnd(),
      `  ${reasonOf(row) ?? 'UNEXPLAINED'}`,
    );
  }
  lines.push(`${apart.filter((row) => reasonOf(row) === null).length} unexplained`);
  return lines;
}
