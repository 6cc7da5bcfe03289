import type { FrameworkName } from '../../contract/index.ts';
import { crossedMeanInterval, type CrossedMean } from '../../core/index.ts';
import { ARMS, REWARDED_SHARES, runKey, type Arm, type RewardedShare } from './arms.ts';
import { CURVES, SUITES, TRACED, type ContextKind, type SuiteName } from './points.ts';
import { startKey } from './run-one.ts';
import type { RunEntry, StudyState } from './state.ts';

/**
 * All intervals are at 95 % and take both seeds and items for samples (core/statistics/crossed-interval.ts says how): differences are taken
 * item by item within a seed, where both sides met the same noise, and form a table of seeds × items. Shares are in [0, 1].
 */
export type Level = Omit<CrossedMean, 'detectable'> & {
  arm: Arm | 'start';
  rewardedShare: RewardedShare | null;
  step: number;
  context: ContextKind;
  suite: SuiteName;
  /** The share of each seed that has it, in the order of seeds: a mean may hide that some seeds have all and others nothing. */
  bySeed: number[];
};
export type Effect = CrossedMean & {
  arm: Arm;
  against: Arm | 'start';
  rewardedShare: RewardedShare;
  context: ContextKind;
  suite: SuiteName;
  excludesZero: boolean;
};
/** `context` asked before and after: what training did to it. */
export type Claim = CrossedMean & {
  claim: string;
  suite: SuiteName;
  rewardedShare: RewardedShare;
  before: number;
  after: number;
  excludesZero: boolean;
};

export type StudyResults = {
  settings: {
    /** Absent for the one whose study is published first. */
    framework?: FrameworkName;
    seeds: number[];
    steps: number;
    every: number;
    items: number;
    arms: readonly Arm[];
    rewardedShares: readonly RewardedShare[];
    depends: Record<string, unknown>;
  };
  machine: string;
  /** How the settings were chosen, and what the intervals are. */
  notes: string[];
  runs: RunEntry[];
  levels: Level[];
  effects: Effect[];
  claims: Claim[];
};

/** Which arms are set against which, beside the start: each against the one alone, and supervision against its controls. */
const AGAINST: readonly [Arm, Arm][] = [
  ['supervised', 'alone'],
  ['rubric', 'alone'],
  ['filler', 'alone'],
  ['always', 'alone'],
  ['traced', 'alone'],
  ['supervised', 'filler'],
  ['supervised', 'rubric'],
  ['always', 'supervised'],
  ['worded', 'alone'],
  ['worded', 'supervised'],
  ['constant', 'alone'],
  ['told', 'alone'],
  ['yoked', 'alone'],
  ['shuffled', 'alone'],
  ['supervised', 'constant'],
  ['supervised', 'told'],
  ['supervised', 'yoked'],
  ['supervised', 'shuffled'],
  ['shared', 'alone'],
];

export class StudyFigures {
  readonly #state: StudyState;
  readonly #seeds: readonly number[];
  readonly #steps: number;

  constructor(state: StudyState, seeds: readonly number[], steps: number) {
    this.#state = state;
    this.#seeds = seeds;
    this.#steps = steps;
  }

  /** Levels of every arm at every step that was asked, for all seeds that have them. */
  levels(every: number): Level[] {
    const starts = SUITES.flatMap((suite) => this.#level('start', null, 0, 'none', suite));
    const traced = TRACED.flatMap((suite) => this.#level('start', null, 0, 'trace', suite));
    const middle = Array.from(
      { length: Math.ceil(this.#steps / every) - 1 },
      (_, index) => (index + 1) * every,
    );
    const runs = REWARDED_SHARES.flatMap((rewardedShare) =>
      ARMS.flatMap((arm) => [
        ...middle.flatMap((step) =>
          CURVES.flatMap((suite) => this.#level(arm, rewardedShare, step, 'none', suite)),
        ),
        ...(['none', 'final', 'trace'] as const).flatMap((context) =>
          SUITES.flatMap((suite) => this.#level(arm, rewardedShare, this.#steps, context, suite)),
        ),
      ]),
    );
    return [...starts, ...traced, ...runs];
  }

  /** At the end: what training did in each arm, and each arm against its controls; of the weights alone and under the final contexts. */
  effects(): Effect[] {
    const pairs: [Arm, Arm | 'start'][] = [...ARMS.map((arm): [Arm, 'start'] => [arm, 'start']), ...AGAINST];
    return REWARDED_SHARES.flatMap((rewardedShare) =>
      (['none', 'final'] as const).flatMap((context) =>
        SUITES.flatMap((suite) =>
          pairs.flatMap(([arm, against]): Effect[] => {
            const reference = (seed: number): number[] | null => {
              if (against === 'start') return this.#passed(startKey(seed), 0, 'none', suite);
              // The arm alone never has a context of its own; under one, the others are set against its bare weights.
              return this.#passed(
                runKey({ arm: against, rewardedShare, seed }),
                this.#steps,
                against === 'alone' ? 'none' : context,
                suite,
              );
            };
            const found = this.#difference(
              (seed) => this.#passed(runKey({ arm, rewardedShare, seed }), this.#steps, context, suite),
              reference,
            );
            return found === null ? [] : [{ arm, against, rewardedShare, context, suite, ...found }];
          }),
        ),
      ),
    );
  }

  /** What the study is to show, whatever it shows. */
  claims(): Claim[] {
    const change = (
      claim: string,
      arm: Arm,
      rewardedShare: RewardedShare,
      context: ContextKind,
      suite: SuiteName,
    ): Claim[] => {
      const before = (seed: number): number[] | null => this.#passed(startKey(seed), 0, context, suite);
      const after = (seed: number): number[] | null =>
        this.#passed(runKey({ arm, rewardedShare, seed }), this.#steps, context, suite);
      const found = this.#difference(after, before);
      const mean = (of: (seed: number) => number[] | null): number =>
        crossedMeanInterval(
          this.#seeds.flatMap((seed) =>
            before(seed) === null || after(seed) === null ? [] : [of(seed) ?? []],
          ),
        ).mean;
      return found === null
        ? []
        : [{ claim, suite, rewardedShare, before: mean(before), after: mean(after), ...found }];
    };
    return REWARDED_SHARES.flatMap((rewardedShare) => [
      ...change('self-play alone learns deduction', 'alone', rewardedShare, 'none', 'toy-deduction'),
      ...change('self-play alone learns to compute', 'alone', rewardedShare, 'none', 'toy-questions'),
      ...TRACED.flatMap((suite) => {
        const name = suite.replace('toy-', '');
        return [
          ...change(
            `${name} told to trace, before and after self-play alone`,
            'alone',
            rewardedShare,
            'trace',
            suite,
          ),
          ...change(
            `${name} told to trace, before and after self-play with tracing fixed`,
            'traced',
            rewardedShare,
            'trace',
            suite,
          ),
          ...change(
            `${name} told to trace, before and after practice with tracing fixed`,
            'practice',
            rewardedShare,
            'trace',
            suite,
          ),
        ];
      }),
    ]);
  }

  #level(
    arm: Arm | 'start',
    rewardedShare: RewardedShare | null,
    step: number,
    context: ContextKind,
    suite: SuiteName,
  ): Level[] {
    const table = this.#seeds.flatMap((seed) => {
      const key =
        arm === 'start' || rewardedShare === null ? startKey(seed) : runKey({ arm, rewardedShare, seed });
      const passed = this.#passed(key, step, context, suite);
      return passed === null ? [] : [passed];
    });
    if (table.length === 0) return [];
    const { low, high, detectable: _, ...rest } = crossedMeanInterval(table);
    return [
      {
        arm: arm === 'start' || rewardedShare === null ? 'start' : arm,
        rewardedShare,
        step,
        context,
        suite,
        ...rest,
        low: Math.max(0, low),
        high: Math.min(1, high),
        bySeed: table.map((row) => row.reduce((sum, value) => sum + value, 0) / row.length),
      },
    ];
  }

  #difference(
    of: (seed: number) => number[] | null,
    from: (seed: number) => number[] | null,
  ): (CrossedMean & { excludesZero: boolean }) | null {
    const table = this.#seeds.flatMap((seed) => {
      const [left, right] = [of(seed), from(seed)];
      return left === null || right === null
        ? []
        : [left.map((value, item) => value - (right[item] as number))];
    });
    if (table.length === 0) return null;
    const { low, high, ...rest } = crossedMeanInterval(table);
    return { ...rest, low: Math.max(-1, low), high: Math.min(1, high), excludesZero: low > 0 || high < 0 };
  }

  #passed(key: string, step: number, context: ContextKind, suite: SuiteName): number[] | null {
    const text = this.#state.evaluation(key, step, context)?.passed[suite];
    return text === undefined ? null : [...text].map(Number);
  }
}
