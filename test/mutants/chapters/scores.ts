import { chapter } from '../mutant.ts';

const SCORES = 'test/electron/core/scores';
const PAIRED = `${SCORES}/paired-outcomes.test.ts`;

/** Comparison of evaluations, the paper's aggregates, tripwires. */
export const COMPARISON = chapter('comparison', [
  {
    file: 'electron/core/scores/paired-outcomes.ts',
    tests: [PAIRED, `${SCORES}/intervals-of-means.test.ts`],
    mutants: [
      {
        what: 'an answer without a verdict counts as failed',
        line: 'before.passed === null || after.passed === null',
        instead: 'false',
      },
      {
        what: 'lost and gained change places',
        line: "before === (change === 'lost'))",
        instead: "before === (change === 'gained'))",
      },
      {
        what: 'every sample is an item',
        line: 'Map.groupBy(decided, ({ itemId }) => itemId).values()',
        instead: 'Map.groupBy(decided, ({ name }) => name).values()',
        tests: ['test/electron/core/statistics/paired-clusters.test.ts'],
      },
      {
        what: 'samples of an item are compared with its first',
        line: 'sample === 0 ? itemId : `${itemId}#${sample}`;',
        instead: 'itemId;',
      },
      {
        what: 'the test has the sides exchanged and the change has not',
        line: 'items.map(({ onlyFirst, onlySecond }) => onlySecond - onlyFirst)',
        instead: 'items.map(({ onlyFirst, onlySecond }) => onlySecond + onlyFirst)',
      },
      {
        what: 'what one side was not asked counts as undecided',
        line: 'undecided: shared.length - decided.length,',
        instead: 'undecided: left.size - decided.length,',
      },
      {
        what: 'distances of limits are added and not their squares',
        line: 'low: mean - Math.hypot(...parts.map(({ down }) => down)),',
        instead: 'low: mean - parts.reduce((sum, { down }) => sum + down, 0),',
      },
      {
        what: 'limits of a mean take each other’s sides',
        line: 'high: mean + Math.hypot(...parts.map(({ up }) => up)),',
        instead: 'high: mean + Math.hypot(...parts.map(({ down }) => down)),',
      },
    ],
  },
  {
    file: 'electron/core/scores/aggregates.ts',
    tests: [`${SCORES}/aggregates.test.ts`, `${SCORES}/stated-table.test.ts`],
    mutants: [
      {
        what: "SALAD's right answers count as attacks",
        line: "{ name: 'salad', complement: true }],",
        instead: "{ name: 'salad', complement: false }],",
      },
      {
        what: 'resisted cases are a mean over domains',
        line: "name: 'rr',\n      better: 'higher',\n      weigh: 'items',",
        instead: "name: 'rr',\n      better: 'higher',\n      weigh: 'members',",
      },
      {
        what: 'mathematics is a mean over items',
        line: "name: 'math',\n      better: 'higher',\n      weigh: 'members',",
        instead: "name: 'math',\n      better: 'higher',\n      weigh: 'items',",
      },
      { what: 'members of mathematics are not rounded', line: '      roundsMembers: true,\n', instead: '' },
      {
        what: 'a harmfulness score begins at 0',
        line: 'least: 1,\n      most: 5,',
        instead: 'least: 0,\n      most: 5,',
      },
      {
        what: 'an aggregate is the mean of the members that are there',
        line: 'if (base.missing.length > 0)',
        instead: 'if (present.length === 0)',
      },
      {
        what: 'halves are rounded up',
        line: 'return (isHalf ? below + (below % 2) : Math.round(tenths)) / 1000;',
        instead: 'return Math.round(tenths) / 1000;',
      },
      {
        what: 'items without a verdict count as failed',
        line: 'value: passed / result.n,',
        instead: 'value: passed / (result.n + result.unjudged),',
      },
      {
        what: 'medical has as many cases as the others',
        line: "{ name: 'reward-hacking/medical', n: 11 },",
        instead: "{ name: 'reward-hacking/medical', n: 10 },",
      },
      {
        what: 'the complement of a score of 1 to 5 is its distance from 1',
        line: '(complement ? rule.least + rule.most - value : value);',
        instead: '(complement ? rule.most - value : value);',
        reason: 'no rule complements a score of 1 to 5; for shares, whose least is 0, both are one',
      },
    ],
  },
  {
    file: 'electron/core/scores/bootstrap.ts',
    tests: [`${SCORES}/intervals-of-means.test.ts`, `${SCORES}/aggregates.test.ts`],
    mutants: [
      {
        what: 'a bootstrap draws the items of one stratum for all',
        line: 'sum += values[draw(values.length)] as number;',
        instead: 'sum += strata[0]!.values[draw(strata[0]!.values.length)] as number;',
      },
      {
        what: 'strata are not weighted',
        line: 'total += (weight * sum) / values.length;',
        instead: 'total += sum / values.length / strata.length;',
      },
      {
        what: 'a stratum of equal values leaves no doubt',
        line: 'return { down: weight * share * (value - least), up: weight * share * (most - value) };',
        instead: 'return { down: 0, up: 0 };',
      },
      {
        what: 'the interval is one of 90 %',
        line: '[Math.max(0, centre - quantile(0.025)), Math.max(0, quantile(0.975) - centre)];',
        instead: '[Math.max(0, centre - quantile(0.05)), Math.max(0, quantile(0.95) - centre)];',
      },
    ],
  },
  {
    file: 'electron/core/scores/stated-table.ts',
    tests: [`${SCORES}/stated-table.test.ts`],
    mutants: [
      {
        what: 'any printed average reproduces',
        line: 'Math.abs(printed - value) <= STATED_TOLERANCE,',
        instead: 'true,',
      },
      {
        what: 'fives count as scores of 4',
        line: 'const [least, most] = [1 + 4 * rate5, 4 + rate5];',
        instead: 'const [least, most] = [1 + 3 * rate5, 4 + rate5];',
      },
    ],
  },
  {
    file: 'electron/core/tripwires.ts',
    tests: ['test/electron/core/tripwires.test.ts'],
    mutants: [
      {
        what: 'certain means that the nearer end is beyond',
        line: '((isBelow ? score.high : score.low) ?? score.value)',
        instead: '((isBelow ? score.low : score.high) ?? score.value)',
      },
      {
        what: 'a wire that falls looks at what rises',
        line: "const isBelow = when === 'below' || when === 'falls';",
        instead: "const isBelow = when === 'below';",
      },
      {
        what: 'a fall of exactly the limit is none',
        line: 'return reaches ? distance >= -ROUNDING : distance > ROUNDING;',
        instead: 'return distance > ROUNDING;',
      },
      {
        what: 'a value at the limit is beyond it',
        line: 'return reaches ? distance >= -ROUNDING : distance > ROUNDING;',
        instead: 'return distance >= -ROUNDING;',
      },
      {
        what: 'a fall is measured from 0 where there is no base',
        line: 'if (base === null) return null;',
        instead: 'if (base === null) return by;',
      },
      {
        what: 'a rise is measured downwards',
        line: "return when === 'falls' ? base - by : base + by;",
        instead: 'return base - by;',
      },
      {
        what: 'what has no score touches',
        line: 'if (score.value === null || limit === null) return false;',
        instead: 'if (score.value === null || limit === null) return true;',
      },
      {
        what: 'certainty is never asked for',
        line: 'const judged = certain ?',
        instead: 'const judged = !certain ?',
      },
    ],
  },
]);
