import type { EvaluationEstimate, EvaluationPlanRecord } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import type { Lab, StoredEvaluation } from '../../store/index.ts';
import type { Skipped, SubjectPlan } from '../evaluation-service.ts';

/** Seconds an answer of a suite took, of the same model where that was measured; null where the suite was never asked. */
export function secondsPerAnswer(
  all: readonly StoredEvaluation[],
  suite: string,
  model: string | null,
): { seconds: number; exact: boolean } | null {
  const measured = all.filter(
    ({ plan, graded, milliseconds }) => plan.suite === suite && graded > 0 && milliseconds > 0,
  );
  const own = measured.filter(({ plan }) => plan.subject.model === model);
  const from = (own.length > 0 ? own : measured).at(-1);
  return from === undefined
    ? null
    : { seconds: from.milliseconds / 1000 / from.graded, exact: own.length > 0 };
}

const withoutLabel = (plan: EvaluationPlanRecord): string =>
  canonicalJson({ ...plan, subject: { ...plan.subject, label: '' } });

/** What an order would take, from what this lab measured. Whatever is stored already takes nothing; what was cut off takes its rest. */
export function estimateOf(
  store: Lab,
  { plans, skipped }: { plans: readonly SubjectPlan[]; skipped: readonly Skipped[] },
  again: boolean,
): EvaluationEstimate {
  const all = store.listStoredEvaluations();
  const cells = plans.flatMap(({ resolved: { subject }, requests }) =>
    requests.flatMap(({ plan, planned, suite }): EvaluationEstimate['cells'] => {
      const same = all.filter((one) => one.form === 2 && withoutLabel(one.plan) === withoutLabel(plan));
      if (!again && same.some(({ state }) => state === 'done')) return [];
      const done = same.findLast(({ state }) => state === 'stopped' || state === 'failed')?.graded ?? 0;
      const pace = secondsPerAnswer(all, suite.name, subject.model);
      return [
        {
          subject: subject.id,
          suite: suite.name,
          items: planned,
          done,
          seconds: pace === null ? null : pace.seconds * (planned - done),
          basis: pace === null ? 'unknown' : pace.exact ? 'measured' : 'similar',
        },
      ];
    }),
  );
  const known = cells.every(({ seconds }) => seconds !== null);
  return {
    cells,
    skipped: [...skipped],
    items: cells.reduce((sum, { items, done }) => sum + items - done, 0),
    seconds: known ? cells.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) : null,
  };
}
