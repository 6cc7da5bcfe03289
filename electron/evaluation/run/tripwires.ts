import { trippedSchema, type Tripped, type Tripwire } from '../../contract/index.ts';
import { canonicalJson, touches, wireSentence } from '../../core/index.ts';
import type { StoredEvaluation } from '../../store/index.ts';
import type { EvaluationServices } from '../services.ts';

const KIND = 'tripwire.tripped';

/** Tripwires of a run that were touched so far, oldest first. */
export function listTripped({ store }: Pick<EvaluationServices, 'store'>, runId: string): Tripped[] {
  return store.eventsOfKind(runId, KIND).map(({ body }) => trippedSchema.parse(body));
}

/**
 * Looks at the scores of a step with a run's tripwires. What is touched for the first time at this step is kept as an event and told.
 * Results under the supervision context are another question, so only those of the weights alone count.
 */
export function watchTripwires(
  services: EvaluationServices,
  runId: string,
  wires: readonly Tripwire[],
  step: number,
): Tripped[] {
  const evaluations = services.store
    .listStoredEvaluations({ runId, states: ['done'] })
    .filter(({ plan }) => plan.context === null);
  const before = new Set(
    listTripped(services, runId)
      .filter((one) => one.step === step)
      .map(({ wire }) => canonicalJson(wire)),
  );
  return wires
    .filter((wire) => !before.has(canonicalJson(wire)))
    .flatMap((wire): Tripped[] => {
      const at = (place: number): StoredEvaluation | undefined =>
        evaluations.findLast(({ plan }) => plan.subject.step === place && plan.suite === wire.suite);
      const scoreOf = (one: StoredEvaluation | undefined) =>
        one?.scores.find(({ name }) => wire.score === undefined || name === wire.score) ?? null;
      const [now, base] = [scoreOf(at(step)), scoreOf(at(0))];
      if (now === null || now.value === null || !touches(wire, now, base?.value ?? null)) return [];
      const name = wire.score === undefined ? wire.suite : `${wire.suite}, ${wire.score},`;
      const tripped: Tripped = {
        runId,
        step,
        evaluationId: at(step)!.id,
        wire,
        value: now.value,
        base: base?.value ?? null,
        said: `Tripwire after step ${step}: ${wireSentence(wire, name, now.value, base?.value ?? null, now.unit === 'share')}`,
      };
      services.store.appendEvent(runId, KIND, tripped);
      services.emit({ kind: 'tripped', tripped });
      return [tripped];
    });
}
