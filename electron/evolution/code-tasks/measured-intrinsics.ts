import type { AzrConfig } from '../../contract/index.ts';
import type { IntrinsicValues } from '../../core/index.ts';
import type { RunState, StepContext } from '../loop/run-state.ts';
import { intrinsicValues, measuresAsOriginal } from './intrinsic.ts';
import type { CodeTaskState, ScoredCodeTask } from './scoring.ts';

/**
 * The intrinsic values of a step's valid proposals, by request. As the original measures them, proposals of one type are held against the
 * answers of the types before it as well, whose tasks have been counted by then, and edit distances are those of syntax trees, which the
 * sandbox reads. A program without a reference, or with one that is too long to be compared, has no distance.
 * @param leftOut tasks that no buffer takes.
 */
export async function measureIntrinsics(
  { config: { framework }, state }: RunState<AzrConfig, CodeTaskState>,
  { runner }: Pick<StepContext, 'runner'>,
  proposals: readonly ScoredCodeTask[],
  leftOut: ReadonlySet<string>,
): Promise<ReadonlyMap<string, IntrinsicValues>> {
  const { intrinsic: rules, taskTypes } = framework;
  const isOriginal = measuresAsOriginal(rules);
  const counters = isOriginal ? state.counters.copy() : state.counters;
  const values = new Map<string, IntrinsicValues>();
  for (const taskType of taskTypes) {
    const valid = proposals.flatMap(({ request, found: { newTask } }) =>
      newTask === null || request.taskType !== taskType ? [] : [{ request, task: newTask }],
    );
    for (const { request, task } of valid)
      values.set(
        request.id,
        intrinsicValues(task.taskType, task, isOriginal ? [] : request.detail.references, counters, rules),
      );
    if (isOriginal) counters.add(valid.map(({ task }) => task).filter(({ id }) => !leftOut.has(id)));
  }
  if (!isOriginal) return values;
  const distances = await Promise.all(
    proposals.map(({ request, found: { newTask } }) =>
      newTask === null
        ? []
        : runner.distances(
            newTask.program,
            request.detail.references.map(({ program }) => program),
          ),
    ),
  );
  for (const [place, { request }] of proposals.entries()) {
    const known = values.get(request.id);
    if (known !== undefined)
      values.set(request.id, { ...known, editDistance: meanOf(distances[place] ?? []) });
  }
  return values;
}

function meanOf(distances: readonly (number | null)[]): number | null {
  const known = distances.filter((distance) => distance !== null);
  if (known.length === 0 || known.length < distances.length) return null;
  return known.reduce((sum, distance) => sum + distance, 0) / known.length;
}
