import { z } from 'zod';
import { judges } from '../../evaluation/index.ts';
import type { Lab } from '../../store/index.ts';

const BEGUN = 'app.judgeCalibrationBegun';

const rest = {
  judge: judges.judgeIdentitySchema,
  attempts: z.int().nonnegative(),
  milliseconds: z.number().nonnegative(),
};
const verdictSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('judged'), value: z.boolean(), ...rest }),
  z.strictObject({ status: z.literal('unjudged'), why: z.string(), ...rest }),
]);
const begunSchema = z.strictObject({ key: z.string(), verdicts: z.array(verdictSchema) });

/**
 * Verdicts of the calibration that was begun last, kept one by one, so that asking for the same one again goes on where it was
 * cut off. `key` names all that decides a verdict: the set, its part, the judge's file and its wording.
 */
export class BegunCalibration {
  readonly #store: Lab;
  readonly #key: string;
  readonly verdicts: judges.Judged<boolean>[];

  constructor(store: Lab, key: string) {
    this.#store = store;
    this.#key = key;
    const kept = begunSchema.safeParse(store.getSetting(BEGUN));
    this.verdicts = kept.success && kept.data.key === key ? kept.data.verdicts : [];
  }

  keep(verdict: judges.Judged<boolean>): void {
    this.verdicts.push(verdict);
    this.#store.setSetting(BEGUN, { key: this.#key, verdicts: this.verdicts });
  }

  end(): void {
    this.#store.setSetting(BEGUN, null);
  }
}
