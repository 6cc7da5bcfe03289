import {
  countedScores,
  type EvaluationSummary,
  TRIPPED,
  trippedSchema,
  type RunWires,
  type Tripped,
  type Tripwire,
  type WireLimit,
} from '../../contract/index.ts';
import { canonicalJson, limitOf, touches, wireSentence } from '../../core/index.ts';
import type { Lab } from '../../store/index.ts';
import { summaryOf } from '../results/compare.ts';
import type { EvaluationServices } from '../services.ts';

/** Tripwires of a run that were touched so far, oldest first. */
export function listTripped({ store }: Pick<EvaluationServices, 'store'>, runId: string): Tripped[] {
  return store.eventsOfKind(runId, TRIPPED).map(({ body }) => trippedSchema.parse(body));
}

/**
 * Finished evaluations of a run's weights, in the order they were begun. Results under the supervision context are another question,
 * which no wire asks.
 */
const watchedEvaluations = (store: Lab, runId: string): EvaluationSummary[] =>
  store
    .listStoredEvaluations({ runId, states: ['done'] })
    .filter(({ plan }) => plan.context === null)
    .map((one) => summaryOf(store, one));

/** The newest evaluation of a step that a wire looks at. */
const evaluationAt = (
  evaluations: readonly EvaluationSummary[],
  { suite }: Tripwire,
  step: number,
): EvaluationSummary | undefined =>
  evaluations.findLast(({ plan }) => plan.subject.step === step && plan.suite === suite);

const watchedScore = (evaluation: EvaluationSummary | undefined, { score }: Tripwire) =>
  evaluation === undefined
    ? null
    : (countedScores(evaluation).find(({ name }) => score === undefined || name === score) ?? null);

/**
 * Looks at the scores of a step with a run's tripwires. What is touched for the first time at this step is kept as an event and emitted.
 */
export function watchTripwires(
  services: EvaluationServices,
  runId: string,
  wires: readonly Tripwire[],
  step: number,
): Tripped[] {
  if (wires.length === 0) return [];
  const evaluations = watchedEvaluations(services.store, runId);
  const before = new Set(
    listTripped(services, runId)
      .filter((one) => one.step === step)
      .map(({ wire }) => canonicalJson(wire)),
  );
  return wires
    .filter((wire) => !before.has(canonicalJson(wire)))
    .flatMap((wire): Tripped[] => {
      const evaluation = evaluationAt(evaluations, wire, step);
      const now = watchedScore(evaluation, wire);
      const base = watchedScore(evaluationAt(evaluations, wire, 0), wire);
      if (evaluation === undefined || now === null || now.value === null) return [];
      if (!touches(wire, now, base?.value ?? null)) return [];
      const name = wire.score === undefined ? wire.suite : `${wire.suite}, ${wire.score},`;
      const tripped: Tripped = {
        runId,
        step,
        evaluationId: evaluation.id,
        wire,
        value: now.value,
        base: base?.value ?? null,
        said: `Tripwire after step ${step}: ${wireSentence(wire, name, now.value, base?.value ?? null, now.unit === 'share')}`,
      };
      services.store.appendEvent(runId, TRIPPED, tripped);
      services.emit({ kind: 'tripped', tripped });
      return [tripped];
    });
}

const SAME_SHARE = 1e-9; // two ways to one share may round otherwise

/** Whether a wire watches what curves draw: the share that passed. Some suites score what failed, some a scale of their own. */
function watchesTheCurve(wire: Tripwire, evaluations: readonly EvaluationSummary[]): boolean {
  const own = evaluations.filter(({ plan }) => plan.suite === wire.suite);
  return (
    own.length > 0 &&
    own.every((evaluation) => {
      const { passed, failed } = evaluation.counts;
      const value = watchedScore(evaluation, wire)?.value;
      return value != null && Math.abs(value - passed / (passed + failed)) < SAME_SHARE;
    })
  );
}

/**
 * What a run's tripwires put into curves of its scores: where they were touched, and the values that they watch for. A wire that
 * counts from the weights the run began with has no value before these are evaluated.
 */
export function wiresOfRun(store: Lab, runId: string): RunWires {
  const wires = store.requireRun(runId).config.evaluation?.tripwires ?? [];
  const evaluations = wires.length === 0 ? [] : watchedEvaluations(store, runId);
  const limits = wires
    .filter((wire) => watchesTheCurve(wire, evaluations))
    .flatMap((wire): WireLimit[] => {
      const base = watchedScore(evaluationAt(evaluations, wire, 0), wire);
      const value = limitOf(wire.when, wire.by, base?.value ?? null);
      return value === null ? [] : [{ suite: wire.suite, when: wire.when, value }];
    });
  return { tripped: listTripped({ store }, runId), limits };
}
