import type { PersonConfig } from '../../../contract/index.ts';
import { drawPerson } from '../../../core/index.ts';
import { itemKey } from '../../phase-items.ts';
import type { PersonInLoop } from '../reviewer.ts';
import type { HumanReviewer } from './queue.ts';

/** A person who takes a share of a run's gated items. `queue` must have been made with the time-out of `config`. */
export function personInLoop(config: PersonConfig, seed: number, queue: HumanReviewer): PersonInLoop {
  return {
    kind: queue.kind,
    model: queue.model,
    takes: (item) => drawPerson(seed, item.step, itemKey(item), item.phase, config.share),
    async ask(subject, signal) {
      const result = await queue.review(subject, signal);
      return result.handedOver === true && config.fallback === 'model' ? null : result;
    },
  };
}
