import { PHASES, type CsvTable, type RunRow, type RunScore } from '../../../../electron/contract/index.ts';

const scoreName = ({ suite, withContext }: RunScore): string => (withContext ? `${suite} + context` : suite);

/** What is told of a suite that a run was asked: the share passed with the ends of its 95 % interval, of how many, at which step. */
const SCORE_COLUMNS = ['share', 'low', 'high', 'n', 'step', 'overridden'] as const;

const scoreCells = ({ passed, n, intervals, step, overridden }: RunScore): (number | null)[] =>
  n === 0
    ? [null, null, null, n, step, overridden]
    : [passed / n, intervals.passed.low, intervals.passed.high, n, step, overridden];

/** Runs as a list shows them, a row each. Every suite that one of them was asked has columns of its own. */
export function runsTable(rows: readonly RunRow[]): CsvTable {
  const suites = [...new Set(rows.flatMap(({ scores }) => scores.map(scoreName)))].sort();
  return {
    columns: [
      'run',
      'name',
      'created_at',
      'state',
      'reason',
      'preset',
      'framework',
      'policy',
      'seed',
      'steps',
      'stored_steps',
      ...PHASES.map((phase) => `p_${phase}`),
      'reviewer',
      'supervisor',
      'rewarded_share',
      'reviews',
      'time_s',
      'time_per_step_s',
      'checkpoints',
      'checkpoints_bytes',
      'tripwires_touched',
      'tags',
      'notes',
      'archived',
      ...suites.flatMap((suite) => SCORE_COLUMNS.map((column) => `${suite}: ${column}`)),
    ],
    rows: rows.map((row) => {
      const scores = new Map(row.scores.map((score) => [scoreName(score), score]));
      return [
        row.id,
        row.name,
        row.createdAt,
        row.state,
        row.reason,
        row.preset,
        row.framework,
        row.policyModel,
        row.seed,
        row.steps,
        row.committedSteps,
        ...PHASES.map((phase) => row.phases[phase]),
        row.reviewer,
        row.supervisorModel,
        row.rewardedShare,
        row.reviews,
        row.seconds,
        row.secondsPerStep,
        row.checkpoints,
        row.checkpointBytes,
        row.tripped.join('; '),
        row.annotation.tags.join('; '),
        row.annotation.notes,
        row.annotation.archived,
        ...suites.flatMap((suite) => {
          const score = scores.get(suite);
          return score === undefined ? SCORE_COLUMNS.map(() => null) : scoreCells(score);
        }),
      ];
    }),
  };
}
