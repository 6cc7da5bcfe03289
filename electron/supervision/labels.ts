import {
  Failure,
  LABEL_AUDITED,
  labelAuditedSchema,
  POSITION_METRICS,
  viewOf,
  type Accuracy,
  type LabelAccuracy,
  type LabelsView,
  type LabelToAudit,
  type LabelVerdict,
} from '../contract/index.ts';
import { sha256Hex, wilsonInterval } from '../core/index.ts';
import type { Lab } from '../store/index.ts';

/** @throws Failure `unknownRun`, and `usage` for a run whose answers a verifier judges. */
function labelsOf(store: Lab, runId: string): LabelsView {
  const { framework } = store.requireRun(runId).config;
  const { labels } = viewOf(framework.name);
  if (labels === null)
    throw new Failure(
      'usage',
      `Run "${runId}" has no labels to look at: under ${framework.name} a verifier judges its answers.`,
      2,
    );
  return labels;
}

/** What persons said, by task; the last word counts. */
const verdictsOf = (store: Lab, runId: string): Map<string, LabelVerdict> =>
  new Map(
    store.eventsOfKind(runId, LABEL_AUDITED).map(({ body }) => {
      const { taskId, verdict } = labelAuditedSchema.parse(body);
      return [taskId, verdict];
    }),
  );

const accuracyOf = (right: number, n: number): Accuracy | null =>
  n === 0 ? null : { right, n, ...wilsonInterval(right, n) };

/** How right the labels are, iteration by iteration; empty for a run without labels. Linear in them and in the steps. */
export function labelAccuracy(store: Lab, runId: string): LabelAccuracy[] {
  const { labels } = viewOf(store.requireRun(runId).config.framework.name);
  if (labels === null) return [];
  const verdicts = verdictsOf(store, runId);
  const series = store.metricSeries(runId, [
    POSITION_METRICS.iteration,
    labels.agreement,
    labels.computable,
    labels.computedRight,
  ]);
  const iterations = new Map(
    (series[POSITION_METRICS.iteration] ?? []).map(({ step, mean }) => [step, mean]),
  );
  const byIteration = (name: string): Map<number | undefined, number[]> => {
    const values = new Map<number | undefined, number[]>();
    for (const { step, mean } of series[name] ?? []) {
      const own = values.get(iterations.get(step)) ?? [];
      values.set(iterations.get(step), own);
      own.push(mean);
    }
    return values;
  };
  const sum = (values: readonly number[] = []): number => values.reduce((all, value) => all + value, 0);
  const [agreements, computable, right] = [labels.agreement, labels.computable, labels.computedRight].map(
    byIteration,
  ) as [ReturnType<typeof byIteration>, ReturnType<typeof byIteration>, ReturnType<typeof byIteration>];
  return [...Map.groupBy(store.labelledTasks(runId, labels.origin), ({ iteration }) => iteration)].map(
    ([iteration, own]) => {
      const agreement = agreements.get(iteration) ?? [];
      const said = own.flatMap(({ id }) => verdicts.get(id) ?? []);
      return {
        iteration,
        labels: own.length,
        agreement: agreement.length === 0 ? null : sum(agreement) / agreement.length,
        computed: accuracyOf(sum(right.get(iteration)), sum(computable.get(iteration))),
        audited: accuracyOf(said.filter((verdict) => verdict === 'right').length, said.length),
      };
    },
  );
}

/** Waiting labels that a person is handed at a time. */
const HANDED = 20;

/**
 * The next labels for a person, in an order that says nothing of them and that more labels do not change, so that those looked at are a
 * random part of all. @throws as `labelsOf`.
 */
export function labelsToAudit(
  store: Lab,
  runId: string,
): { waiting: LabelToAudit[]; audited: number; labels: number } {
  const { origin } = labelsOf(store, runId);
  const verdicts = verdictsOf(store, runId);
  const tasks = store.labelledTasks(runId, origin);
  const open = tasks
    .filter(({ id }) => !verdicts.has(id))
    .map((task) => ({ ...task, place: sha256Hex(`label ${task.id}`) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const waiting = open.slice(0, HANDED).flatMap(({ id, iteration }): LabelToAudit[] => {
    const task = store.getTask(runId, id);
    return task === null
      ? []
      : [{ taskId: id, iteration, question: task.message ?? '', label: task.outputs[0] ?? '' }];
  });
  return { waiting, audited: tasks.length - open.length, labels: tasks.length };
}

/** Records what a person says of a label. @throws as `labelsOf`, and Failure `usage` for a task that is no label of the run. */
export function auditLabel(store: Lab, runId: string, taskId: string, verdict: LabelVerdict): void {
  const { origin } = labelsOf(store, runId);
  if (store.getTask(runId, taskId)?.origin !== origin)
    throw new Failure(
      'usage',
      `Run "${runId}" has no label "${taskId}"; look at the labels it hands out.`,
      2,
    );
  store.appendEvent(runId, LABEL_AUDITED, labelAuditedSchema.parse({ taskId, verdict }));
}
