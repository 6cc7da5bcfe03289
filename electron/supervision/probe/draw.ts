import { shuffle, uniformIndex } from '../../core/index.ts';

/** The draws that make one pair of items: a path of their own under the seed of the probe, so that no pair moves another. */
export class Draw {
  readonly #seed: number;
  readonly #path: readonly (string | number)[];
  #next = 0;

  constructor(seed: number, ...path: readonly (string | number)[]) {
    this.#seed = seed;
    this.#path = ['judge-probe', ...path];
  }

  below(size: number): number {
    return uniformIndex(size, this.#seed, ...this.#path, this.#next++);
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    return shuffle(list, this.#seed, ...this.#path, this.#next++);
  }
}
