import type { EvaluationSummary } from '../../contract/index.ts';
import { GRADED_SUITES } from '../running/catalogue.ts';
import { overridden } from '../running/scores.ts';
import type { AnyGradedSuite, GradeRow } from '../running/graded-suite.ts';
import type { Lab, StoredEvaluation, StoredEvaluationFilter } from '../../store/index.ts';

/** The evaluation that stands for each column and suite. */
export type Chosen = ReadonlyMap<string, ReadonlyMap<string, EvaluationSummary>>;

/** The suite of a stored evaluation; null when this program does not know it. */
export const suiteOf = (name: string): AnyGradedSuite | null =>
  GRADED_SUITES.find((suite) => suite.name === name) ?? null;

/** Verdicts with people's word in the place of the program's. */
export function correctedRows(store: Lab, id: string): GradeRow[] {
  const words = new Map(store.listOverrides(id).map(({ ordinal, outcome }) => [ordinal, outcome]));
  return store.listGrades(id).map((row) => {
    const outcome = words.get(row.ordinal);
    return outcome === undefined ? row : overridden(row, outcome);
  });
}

/** An evaluation as windows see it: with what its suite says of older ones, and with the scores that people's overrides lead to. */
export function summaryOf(store: Lab, stored: StoredEvaluation): EvaluationSummary {
  const suite = suiteOf(stored.plan.suite);
  const isOverridden = stored.counts.overridden > 0 && suite !== null && stored.state === 'done';
  const corrected = isOverridden ? suite.scores(correctedRows(store, stored.id), stored.plan.seed) : null;
  if (stored.form === 2 || suite === null) return { ...stored, corrected };
  return {
    ...stored,
    corrected,
    plan: { ...stored.plan, group: suite.group },
    scores: stored.scores.map((score) => ({ ...score, better: suite.better })),
  };
}

/** In the order they were begun. */
export function listSummaries(
  store: Lab,
  filter: StoredEvaluationFilter & { subject?: string } = {},
): EvaluationSummary[] {
  const { subject, ...stored } = filter;
  return store
    .listStoredEvaluations(stored)
    .filter(({ plan }) => subject === undefined || plan.subject.id === subject)
    .map((one) => summaryOf(store, one));
}

export const requireSummary = (store: Lab, id: string): EvaluationSummary =>
  summaryOf(store, store.requireStoredEvaluation(id));
