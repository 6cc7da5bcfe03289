import type { RunAggregate } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { listSummaries } from './compare.ts';
import { matrixOf } from './matrix.ts';

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
        if (kind !== 'aggregate' || score === null || cell === null) return [];
        return [{ name: score, step, cell, base: step === 0 ? null : (cells[0] ?? null) }];
      });
      return [runId, aggregates];
    }),
  );
}
