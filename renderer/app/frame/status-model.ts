import type { ChildState } from '../../../electron/contract/index.ts';

/** From best to worst; the strip tells the worst of each kind. */
const SEVERITY: Record<ChildState['state'], number> = { ready: 0, busy: 1, silent: 2, lost: 3 };

export type ChildSummary = { child: ChildState['child']; count: number; worst: ChildState };

/**
 * One line per kind of process that is there: how many, and how the worst of them is doing.
 * @param states what was read once and what was told since, the later one of a process last.
 */
export function summarizeChildren(
  states: readonly ChildState[],
  atWork: ReadonlySet<string>,
): ChildSummary[] {
  const newest = new Map(states.map((state) => [`${state.child} ${state.runId ?? ''}`, state]));
  // What was told of a run that has ended since is history.
  const present = [...newest.values()].filter(({ runId }) => runId === null || atWork.has(runId));
  return (['trainer', 'supervisor', 'runner'] as const).flatMap((child) => {
    const own = present
      .filter((state) => state.child === child)
      .sort((a, b) => SEVERITY[b.state] - SEVERITY[a.state]);
    return own[0] === undefined ? [] : [{ child, count: own.length, worst: own[0] }];
  });
}
