import type { AuditPlan } from '../../../../electron/contract/index.ts';

/** The plan a link asks for: the usual one, one step of it, or all reviews of one record, whose id begins with its step. */
export function startPlan(usual: AuditPlan, step: number | null, record: string | null): AuditPlan {
  const only = record === null ? step : Number(/^\d+/.exec(record)?.[0] ?? step);
  const range = only === null || !(only > 0) ? {} : { fromStep: only, toStep: only };
  return { ...usual, ...range, ...(record === null ? {} : { rolloutId: record }) };
}
