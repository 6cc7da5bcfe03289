import type { MatrixCell } from '../../contract/index.ts';
import type { AggregateName } from '../../core/index.ts';
import type { Lab } from '../../store/index.ts';
import { listSummaries } from './compare.ts';
import { matrixOf } from './matrix.ts';

/** One of the paper's aggregates at a run's last evaluated checkpoint, by the rules of the matrix. Toy suites are no part of any. */
export type RunAggregate = {
  name: AggregateName;
  step: number;
  cell: MatrixCell;
  /** Of the weights the run began with; null where those were not asked the same. */
  base: MatrixCell | null;
};

/** The aggregates of runs that have any, by run. */
export function runAggregates(store: Lab, runIds: readonly string[]): Record<string, RunAggregate[]> {
  const last = new Map<string, number>();
  for (const { plan, state } of listSummaries(store)) {
    const { runId, step } = plan.subject;
    if (runId === null || step === null || !runIds.includes(runId)) continue;
    if (plan.group === 'toy' || plan.group === 'own' || state !== 'done' || plan.context !== null) continue;
    last.set(runId, Math.max(last.get(runId) ?? 0, step));
  }
  return Object.fromEntries(
    [...last].map(([runId, step]) => {
      const subjects = step === 0 ? [`${runId}@0`] : [`${runId}@0`, `${runId}@${step}`];
      const { rows } = matrixOf(store, { subjects, seed: null, limit: null, context: null, judge: null });
      const aggregates = rows.flatMap(({ kind, score, cells }): RunAggregate[] => {
        const cell = cells.at(-1) ?? null;
        if (kind !== 'aggregate' || cell === null) return [];
        return [{ name: score as AggregateName, step, cell, base: step === 0 ? null : (cells[0] ?? null) }];
      });
      return [runId, aggregates];
    }),
  );
}
