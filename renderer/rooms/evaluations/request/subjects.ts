import type { EvaluationSubject } from '../../../../electron/contract/index.ts';

/** A policy that can be a column, as the engine offers it. `base`: the weights a run began with; `kept`: its files are still there. */
export type SubjectChoice = EvaluationSubject & {
  runName: string | null;
  base: boolean;
  kept: boolean;
  sample: boolean;
  evaluations: number;
};

/** The policies of one run, or those of the library; `runId` is null for the library. */
export type SubjectGroup = { runId: string | null; name: string; sample: boolean; subjects: SubjectChoice[] };

/** By run, in the order the engine gives; what a person typed narrows the runs and models to those whose name holds it. */
export function subjectGroups(
  subjects: readonly SubjectChoice[],
  typed: string,
  libraryName: string,
): SubjectGroup[] {
  const needle = typed.trim().toLowerCase();
  const groups = Map.groupBy(subjects, ({ runId }) => runId);
  return [...groups].flatMap(([runId, own]): SubjectGroup[] => {
    const name = runId === null ? libraryName : (own[0]?.runName ?? runId);
    const found =
      needle === '' || name.toLowerCase().includes(needle)
        ? own
        : own.filter(({ label, model }) => `${label} ${model}`.toLowerCase().includes(needle));
    return found.length === 0 ? [] : [{ runId, name, sample: own[0]?.sample ?? false, subjects: found }];
  });
}

/** Columns a table begins with when none was chosen: wider ones are a choice, not a surprise. */
const FIRST_COLUMNS = 6;

/** The columns of the address that exist, or else those with figures: bases before their checkpoints, as the engine lists them. */
export function shownColumns(chosen: readonly string[], subjects: readonly SubjectChoice[]): string[] {
  if (chosen.length > 0) return [...chosen];
  return subjects
    .filter(({ evaluations }) => evaluations > 0)
    .slice(0, FIRST_COLUMNS)
    .map(({ id }) => id);
}

/** A column more or less; the order is that of choosing. */
export const toggled = (columns: readonly string[], id: string): string[] =>
  columns.includes(id) ? columns.filter((other) => other !== id) : [...columns, id];
