import type { Arm, Pressure, StudyRun } from './arms.ts';
import type { StudyOptions } from './options.ts';

/** Order within a seed: beside a run that reviews everything, one that needs no reviewer keeps the second thread busy. */
const ORDER: readonly Arm[] = ['always', 'alone', 'supervised', 'traced', 'filler', 'rubric', 'practice'];

export const seedsOf = ({ seeds, firstSeed }: Pick<StudyOptions, 'seeds' | 'firstSeed'>): number[] =>
  Array.from({ length: seeds }, (_, index) => firstSeed + index);

/** The arms with tracing fixed ask what room skill has, which pressure has no part in. */
const NEVER_PRESSED: readonly Arm[] = ['traced', 'practice'];
const isPlanned = (arm: Arm, pressure: Pressure): boolean => pressure === 0 || !NEVER_PRESSED.includes(arm);

/** All runs, one seed after the other: whenever the study is stopped, the seeds that are done are complete. */
export function plannedRuns(
  options: Pick<StudyOptions, 'seeds' | 'firstSeed' | 'arms' | 'pressures'>,
): StudyRun[] {
  return seedsOf(options).flatMap((seed) =>
    options.pressures.flatMap((pressure) =>
      ORDER.filter((arm) => options.arms.includes(arm) && isPlanned(arm, pressure)).map((arm): StudyRun => ({
        arm,
        pressure,
        seed,
      })),
    ),
  );
}
