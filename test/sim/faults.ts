import { Draws } from './world.ts';

/** Everything that can go wrong, and the most often that it does where it is switched on. */
const FAULTS = {
  'dies at start': 0.1,
  'does not answer its start': 0.1,
  'dies before its work': 0.03,
  'dies in its work': 0.02,
  'dies before its answer': 0.02,
  'dies at every try': 0.05,
  'dies within its answer': 0.02,
  'does not heed SIGTERM': 0.5,
  hangs: 0.01,
  'never answers': 0.005,
  'answers late': 0.1,
  'answers twice': 0.2,
  'answers another question': 0.1,
  'answers wrongly': 0.005,
  'answers in pieces': 0.3,
  'refuses without need': 0.005,
  'prints garbage': 0.02,
  'cuts a line': 0.01,
  'says an event twice': 0.2,
  'the disk is full': 0.01,
  'the disk fails': 0.01,
  'the engine dies': 0.02,
  'the engine dies at a write': 0.01,
  'the engine dies at a deletion': 0.1,
  'the engine dies within a transaction': 1,
  'the disk fills up': 0.02,
  'the database is deleted': 0.03,
  'the database is replaced': 0.03,
  'the log is deleted': 0.03,
  'the lock is deleted': 0.01,
  'a bit of a checkpoint flips': 0.05,
  'a checkpoint is exchanged': 0.05,
  'forgets a request': 0.02,
} as const;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/**
 * The faults of one seed. Each seed switches on some kinds only, each at a rate of its own: where everything fails all the time, what
 * fails rarely is never reached.
 */
export class Faults {
  readonly rates: ReadonlyMap<FaultName, number>;
  readonly #seed: number;
  /** How often each has struck. */
  readonly struck = new Map<FaultName, number>();
  /** False while the world is asked to do its work undisturbed. */
  on = true;
  onStrike: (fault: FaultName, where: string) => void = () => {};

  constructor(seed: number, kinds: readonly FaultName[] | 'drawn') {
    this.#seed = seed;
    const draws = new Draws(seed, 'faults');
    const share = draws.next();
    this.rates = new Map(
      FAULT_NAMES.map((name) => {
        const isOn = draws.chance(share);
        const rate = draws.spread(0.05, 1) * FAULTS[name];
        return [name, (kinds === 'drawn' ? isOn : kinds.includes(name)) ? rate : 0] as const;
      }),
    );
  }

  drawsOf(who: string): Draws {
    return new Draws(this.#seed, 'of', who);
  }

  strikes(name: FaultName, draws: Draws, where: string): boolean {
    const rate = this.rates.get(name) as number;
    if (!this.on || rate === 0 || !draws.chance(rate)) return false;
    this.note(name, where);
    return true;
  }

  /** It has struck. */
  note(name: FaultName, where: string): void {
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
    this.onStrike(name, where);
  }
}
