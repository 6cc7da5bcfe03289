import { countedScores, type CsvTable, type EvaluationSummary } from '../../../../electron/contract/index.ts';

/** Evaluations with their first score, as people corrected it where they did; shares are 0 to 1. */
export const evaluationsTable = (rows: readonly EvaluationSummary[]): CsvTable => ({
  columns: [
    'evaluation',
    'suite',
    'protocol',
    'of',
    'run',
    'step',
    'context_of_step',
    'state',
    'score',
    'value',
    'low',
    'high',
    'unit',
    'n',
    'corrected',
    'answers',
    'planned',
    'judge',
    'seed',
    'time_s',
    'created',
    'weights_sha256',
  ],
  rows: rows.map(
    ({ id, plan, state, scores, corrected, graded, planned, milliseconds, createdAt, ...row }) => {
      const [score] = countedScores({ scores, corrected });
      return [
        id,
        plan.suite,
        plan.protocol.name,
        plan.subject.label,
        plan.subject.runId,
        plan.subject.step,
        plan.context?.step ?? null,
        state,
        score?.name ?? null,
        score?.value ?? null,
        score?.low ?? null,
        score?.high ?? null,
        score?.unit ?? null,
        score?.n ?? null,
        corrected !== null,
        graded,
        planned,
        plan.judge?.name ?? null,
        plan.seed,
        milliseconds === 0 ? null : milliseconds / 1000,
        createdAt,
        row.weightsSha256,
      ];
    },
  ),
});
