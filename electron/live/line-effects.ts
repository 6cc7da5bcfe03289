import type { ContextRecord } from '../contract/index.ts';
import { differenceInterval, type Interval } from '../core/index.ts';
import type { Lab } from '../store/index.ts';

/** A line of the context over the whole run. Contexts are named by the step that saw them: C_t by t. */
export type LineLife = {
  id: string;
  text: string;
  key: string | null;
  firstContext: number;
  lastContext: number;
  support: number;
  sources: number;
  /** Contexts in which new reviews spoke for it, the first entry among them. */
  supports: { context: number; reviews: number }[];
  /** First context without it, and why; null while it is there. */
  left: { context: number; reason: ContextRecord['removed'][number]['reason'] } | null;
};

/** Every line that ever stood in the run's context, in order of entry, and the newest context there is. */
export function lineLives(store: Lab, runId: string): { newestContext: number; lines: LineLife[] } {
  const departures = new Map(store.lineDepartures(runId).map((each) => [each.id, each]));
  const supports = Map.groupBy(store.lineSupports(runId), ({ id }) => id);
  const committed = store.getRun(runId)?.committedSteps ?? 0;
  return {
    newestContext: committed + 1,
    lines: store.contextLines(runId).map((line) => {
      const left = departures.get(line.id);
      return {
        ...line,
        supports: (supports.get(line.id) ?? []).map(({ context, reviews }) => ({ context, reviews })),
        left: left === undefined ? null : { context: left.context, reason: left.reason },
      };
    }),
  };
}

/** What the trained rollouts of a few steps came to; of those that a user rated how many satisfied the user, of others how many passed. */
export type Outcomes = {
  fromStep: number;
  toStep: number;
  n: number;
  passed: number | null;
  satisfied: number | null;
  formatFailures: number;
};
/** After minus before, with its 95 % interval (Newcombe): what chance alone may make of so few rollouts. */
export type Change = Interval & { difference: number };
/** The steps before and after a change of the context, by role; null where there are no such steps. */
export type Around = {
  role: string;
  before: Outcomes | null;
  after: Outcomes | null;
  passChange: Change | null;
  satisfiedChange: Change | null;
  formatFailureChange: Change | null;
}[];

/**
 * Outcomes of the `window` steps before and after step `at`, the first step under the changed context. Counts, no verdict: the
 * weights and the tasks change at the same time.
 */
export function outcomesAround(store: Lab, runId: string, at: number, window: number): Around {
  const rows = store.stepOutcomes(runId, at - window, at + window - 1);
  const sum = (role: string, isInPart: (step: number) => boolean): Outcomes | null => {
    const part = rows.filter((row) => row.role === role && isInPart(row.step));
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) return null;
    const total = (of: 'n' | 'formatFailures'): number => part.reduce((all, row) => all + row[of], 0);
    const judged = (of: 'passed' | 'satisfied'): number | null =>
      part.reduce<number | null>((all, row) => (row[of] === null ? all : (all ?? 0) + row[of]), null);
    return {
      fromStep: first.step,
      toStep: last.step,
      n: total('n'),
      passed: judged('passed'),
      satisfied: judged('satisfied'),
      formatFailures: total('formatFailures'),
    };
  };
  const roles = [...new Set(rows.map(({ role }) => role))].sort();
  return roles.map((role) => {
    const [before, after] = [sum(role, (step) => step < at), sum(role, (step) => step >= at)];
    const change = (of: 'passed' | 'satisfied' | 'formatFailures'): Change | null => {
      const [was, is] = [before?.[of] ?? null, after?.[of] ?? null];
      return before === null || after === null || was === null || is === null
        ? null
        : differenceInterval({ passed: is, n: after.n }, { passed: was, n: before.n });
    };
    return {
      role,
      before,
      after,
      passChange: change('passed'),
      satisfiedChange: change('satisfied'),
      formatFailureChange: change('formatFailures'),
    };
  });
}
