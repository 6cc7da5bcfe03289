import type { GenerationRecord, RolloutRecord } from '../../contract/index.ts';
import { canonicalJson, sha256Hex, type Clock } from '../../core/index.ts';
import type { WeightSet } from '../../models/index.ts';

type Item = Parameters<WeightSet['generate']>[1][number];
type Generated = Omit<GenerationRecord, 'rolloutId'>;

/**
 * Hears what a step sends to its weights and when each response is complete. It stands between the stages and the weights, so that what it
 * notes is what was sent and not what a record says of it.
 */
export class GenerationLog {
  readonly #clock: Clock;
  readonly #generated = new Map<string, Generated>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same weights, heard. */
  heard(weights: WeightSet): WeightSet {
    const generate: WeightSet['generate'] = (opKey, items, sampling, signal, onRollout) => {
      const byKey = new Map(items.map((item) => [item.key, item]));
      return weights.generate(opKey, items, sampling, signal, (rollout) => {
        const item = byKey.get(rollout.key);
        if (item !== undefined) this.#generated.set(nameOf(rollout.key, rollout.index), this.#noted(item));
        onRollout(rollout);
      });
    };
    return new Proxy(weights, {
      get: (target, name): unknown => {
        if (name === 'generate') return generate;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** In the order of the records. A response is asked for by its own id, a measurement by that of the task it measures. */
  of(rollouts: readonly Pick<RolloutRecord, 'id' | 'taskId' | 'sample'>[]): GenerationRecord[] {
    return rollouts.flatMap(({ id, taskId, sample }) => {
      const generated =
        this.#generated.get(nameOf(id, 0)) ?? this.#generated.get(nameOf(taskId ?? id, sample ?? 0));
      return generated === undefined ? [] : [{ rolloutId: id, ...generated }];
    });
  }

  #noted(item: Item): Generated {
    const messages = 'messages' in item ? item.messages : null;
    const sent = messages === null ? { plain: 'plain' in item ? item.plain : null } : { messages };
    return {
      at: this.#clock.now().toISOString(),
      promptSha256: sha256Hex(canonicalJson(sent)),
      system: messages?.find(({ role }) => role === 'system')?.content ?? null,
    };
  }
}

const nameOf = (key: string, index: number): string => `${key}#${index}`;
