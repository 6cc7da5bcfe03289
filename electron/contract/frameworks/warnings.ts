import type { WatchView } from './view.ts';

/** From one iteration to the next: what rose, and what got worse meanwhile. */
export type ViewWarning = {
  iteration: number;
  rose: Change;
  worse: readonly Change[];
};
type Change = { label: string; before: number; after: number };

/** A smaller part of the value before is no change that anybody should be warned of. */
const LEAST_CHANGE = 0.05;

/**
 * The iterations in which a watched metric rose while others got worse, each by a twentieth at least of its mean over the iteration
 * before. Linear in the steps.
 */
export function viewWarnings(
  watches: readonly WatchView[],
  steps: readonly { iteration: number; metrics: Readonly<Record<string, number | null | undefined>> }[],
): ViewWarning[] {
  if (watches.length === 0) return [];
  const iterations = [...Map.groupBy(steps, ({ iteration }) => iteration)].sort(([a], [b]) => a - b);
  const meanOf = (place: number, metric: string): number | null => {
    const values = (iterations[place]?.[1] ?? []).flatMap(({ metrics }) => metrics[metric] ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return iterations.flatMap(([iteration], place) =>
    watches.flatMap(({ rises, worsens }): ViewWarning[] => {
      const changeOf = (metric: string, label: string): Change | null => {
        const [before, after] = [meanOf(place - 1, metric), meanOf(place, metric)];
        return before === null || after === null ? null : { label, before, after };
      };
      const rose = changeOf(rises.metric, rises.label);
      if (rose === null || !hasChanged(rose, 'rises')) return [];
      const worse = worsens.flatMap(({ metric, label, when }) => {
        const change = changeOf(metric, label);
        return change !== null && hasChanged(change, when) ? [change] : [];
      });
      return worse.length === 0 ? [] : [{ iteration, rose, worse }];
    }),
  );
}

function hasChanged({ before, after }: Change, when: 'falls' | 'rises'): boolean {
  const by = when === 'rises' ? after - before : before - after;
  return by > 0 && by >= LEAST_CHANGE * Math.abs(before);
}
