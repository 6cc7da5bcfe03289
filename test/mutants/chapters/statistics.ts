import { chapter } from '../mutant.ts';

const CORE = 'test/electron/core';
const INTERVALS = `${CORE}/statistics/intervals.test.ts`;
const CLUSTERS = `${CORE}/statistics/paired-clusters.test.ts`;
const CROSSED = `${CORE}/statistics/crossed-interval.test.ts`;

/** What comparisons print: intervals and tests, each with a slip that looks plausible. */
export const STATISTICS = chapter('statistics', [
  {
    file: 'electron/core/statistics/intervals.ts',
    tests: [INTERVALS],
    mutants: [
      {
        what: "Wilson's centre is shifted twice as far",
        line: 'const centre = rate + (z * z) / (2 * n);',
        instead: 'const centre = rate + (z * z) / n;',
      },
      {
        what: "Wilson's spread is without the square of n",
        line: '(z * z) / (4 * n * n));',
        instead: '(z * z) / (4 * n));',
      },
      {
        what: "Wilson's interval is not scaled",
        line: 'const scale = 1 + (z * z) / n;',
        instead: 'const scale = 1;',
      },
      {
        what: 'the 95 % quantile is that of one side',
        line: 'export const Z_95 = 1.959963984540054;',
        instead: 'export const Z_95 = 1.6448536269514722;',
      },
      {
        what: 'a power of 80 % has the quantile of 90 %',
        line: 'export const Z_POWER = 0.8416212335729143;',
        instead: 'export const Z_POWER = 1.2815515655446004;',
        tests: [CLUSTERS, CROSSED],
      },
      {
        what: '0 of n has a lower limit above 0',
        line: 'low: passed === 0 ? 0 : (centre - spread) / scale,',
        instead: 'low: (centre - spread) / scale,',
      },
      {
        what: '0 of 0 has the interval of 0 of 1',
        line: 'if (n === 0) return { low: 0, high: 1 };\n  const rate',
        instead: 'if (n === 0) return { low: 0, high: 0.79 };\n  const rate',
      },
      {
        what: "Newcombe's limits of two independent shares take each other's sides",
        line: 'low: difference - Math.hypot(rateA - a.low, b.high - rateB),',
        instead: 'low: difference - Math.hypot(a.high - rateA, rateB - b.low),',
      },
      {
        what: 'a change is first minus second',
        line: 'const difference = rateSecond - rateFirst;',
        instead: 'const difference = rateFirst - rateSecond;',
      },
      {
        what: 'pairs are taken for independent',
        line: 'const phi = correlation(e, f, g, h);',
        instead: 'const phi = 0;',
      },
      {
        what: "Newcombe's correlation is not corrected for continuity",
        line: 'const corrected = determinant > n / 2 ? determinant - n / 2 : determinant >= 0 ? 0 : determinant;',
        instead: 'const corrected = determinant;',
      },
      {
        what: 'gains are counted as losses',
        line: "if (second[index]) counts[passed ? 'bothPassed' : 'onlySecond'] += 1;",
        instead: "if (second[index]) counts[passed ? 'bothPassed' : 'onlyFirst'] += 1;",
      },
      {
        what: "McNemar's test has one side",
        line: 'return { exact: Math.min(1, 2 * cumulative), mid:',
        instead: 'return { exact: Math.min(1, cumulative), mid:',
      },
      {
        what: "McNemar's mid-p takes off half of what it should",
        line: 'mid: Math.min(1, 2 * cumulative - observed) };',
        instead: 'mid: Math.min(1, 2 * cumulative - observed / 2) };',
      },
      {
        what: "McNemar's test counts from the more frequent side",
        line: 'const fewer = Math.min(onlyFirst, onlySecond);',
        instead: 'const fewer = Math.max(onlyFirst, onlySecond);',
      },
      {
        what: "McNemar's test leaves out the observed table",
        line: 'for (let k = 1; k <= fewer; k += 1) {',
        instead: 'for (let k = 1; k < fewer; k += 1) {',
      },
      {
        what: 'a binomial coefficient grows by one too many',
        line: 'logTerm += Math.log((n - k + 1) / k);',
        instead: 'logTerm += Math.log((n - k) / k);',
      },
      {
        what: 'a bootstrap takes its values without replacement',
        line: 'sum += values[uniformIndex(values.length, seed, ...path, resample, draw)] as number;',
        instead: 'sum += values[draw] as number;',
      },
      {
        what: 'a bootstrap interval is one of 90 %',
        line: 'return { low: quantile(0.025), high: quantile(0.975) };',
        instead: 'return { low: quantile(0.05), high: quantile(0.95) };',
      },
      {
        what: 'pass@k is the share of right answers to the k',
        line: 'for (let drawn = n - c + 1; drawn <= n; drawn += 1) noneRight *= 1 - k / drawn;',
        instead: 'noneRight = (1 - c / n) ** k;',
        tests: [`${CORE}/statistics/pass-at-k.test.ts`],
      },
      {
        what: 'pass@k is certain one answer too early',
        line: 'if (n - c < k) return 1;',
        instead: 'if (n - c <= k) return 1;',
        tests: [`${CORE}/statistics/pass-at-k.test.ts`],
      },
      {
        what: 'pass@k is taken of tasks that have enough answers alone',
        line: 'if (tasks.length === 0 || tasks.some(({ n }) => n < k)) return null;',
        instead: 'if (tasks.length === 0) return null;',
        tests: [`${CORE}/statistics/pass-at-k.test.ts`],
      },
    ],
  },
  {
    file: 'electron/core/statistics/paired-clusters.ts',
    tests: [CLUSTERS],
    mutants: [
      {
        what: 'the sign test has one side',
        line: 'const sum = Math.abs(2 * k - all);',
        instead: 'const sum = 2 * k - all;',
      },
      {
        what: 'the sign test leaves out the observed sum',
        line: 'exact: Math.min(1, beyond + equal),',
        instead: 'exact: Math.min(1, beyond),',
      },
      {
        what: 'the sign test counts all of the observed sum in its mid-p',
        line: 'mid: Math.min(1, beyond + equal / 2) };',
        instead: 'mid: Math.min(1, beyond + equal) };',
      },
      {
        what: "an item's net change counts once, however large",
        line: 'const sizes = net.map(Math.abs).filter((size) => size > 0);',
        instead: 'const sizes = net.map(Math.sign).map(Math.abs).filter((size) => size > 0);',
      },
      {
        what: 'samples are items of their own',
        line: 'return Math.min(most, Math.max(1, clustered / single));',
        instead: 'return 1;',
      },
      {
        what: 'samples that differ make an interval narrower than items of their own',
        line: 'return Math.min(most, Math.max(1, clustered / single));',
        instead: 'return Math.min(most, clustered / single);',
      },
      {
        what: 'the design effect is that of two items more',
        line: 'const clustered = (items.length / (items.length - 1)) *',
        instead: 'const clustered = (items.length / (items.length + 1)) *',
      },
      {
        what: 'the smallest change found is one that is found for certain',
        line: 'Z_95 * Math.sqrt(differing) + Z_POWER *',
        instead: 'Z_95 * Math.sqrt(differing) + 3 * Z_POWER *',
      },
      {
        what: 'the smallest change found has no power',
        line: 'Z_POWER * Math.sqrt(Math.max(0, differing - change ** 2)) <=',
        instead: '0 * Math.sqrt(Math.max(0, differing - change ** 2)) <=',
      },
      {
        what: 'the smallest change found is that of all answers as items',
        line: 'detectableChange((total.onlyFirst + total.onlySecond) / n, n / effect),',
        instead: 'detectableChange((total.onlyFirst + total.onlySecond) / n, n),',
      },
      {
        what: 'five pairs are enough to find a change',
        line: 'if (n < 6 || !isFound(1)) return null;',
        instead: 'if (n < 1 || !isFound(1)) return null;',
      },
      {
        what: 'counts keep their number under a design effect',
        line: 'bothFailed: total.bothFailed / effect,',
        instead: 'bothFailed: total.bothFailed,',
      },
    ],
  },
  {
    file: 'electron/core/statistics/crossed-interval.ts',
    tests: [CROSSED],
    mutants: [
      {
        what: 'rows have one degree of freedom more',
        line: '/ size, df: runs - 1 },',
        instead: '/ size, df: runs },',
      },
      {
        what: 'five runs are taken for the only ones',
        line: '{ variance: Math.max(ofRuns / (runs - 1), rest) / size, df: runs - 1 },',
        instead: '{ variance: rest / size, df: runs - 1 },',
      },
      {
        what: 'items are taken for the only ones',
        line: '{ variance: Math.max(0, ofItems / (items - 1) - rest) / size, df: items - 1 },',
        instead: '',
      },
      {
        what: 'the remainder has the degrees of freedom of all',
        line: '/ ((runs - 1) * (items - 1));',
        instead: '/ (runs * items - 1);',
      },
      {
        what: "Satterthwaite's degrees of freedom do not square the parts",
        line: 'part.variance ** 2 / part.df, 0);',
        instead: 'part.variance / part.df, 0);',
      },
      {
        what: 'an interval of few runs is the normal one',
        line: '? [studentQuantile(df), studentQuantile(df, POWER_LEVEL)]',
        instead: '? [Z_95, Z_POWER]',
      },
      {
        what: 'the smallest difference found has no power',
        line: 'return within(limit * error, (limit + power) * error);',
        instead: 'return within(limit * error, limit * error);',
      },
      {
        what: 'values that are all equal leave no doubt',
        line: 'return within(wilsonInterval(0, items).high, null);',
        instead: 'return within(0, null);',
      },
      {
        what: 'a single run is divided by its items and not by one less',
        line: 'Math.sqrt(squares(columnMeans) / Math.max(1, items - 1) / items),',
        instead: 'Math.sqrt(squares(columnMeans) / items / items),',
      },
      {
        what: "Student's quantile is that of one side",
        line: 'const inside = (t: number): number => 1 - incompleteBeta(',
        instead: 'const inside = (t: number): number => 1 - 0.5 * incompleteBeta(',
      },
    ],
  },
  {
    file: 'electron/core/statistics/contingency.ts',
    tests: [
      `${CORE}/statistics/chi-squared.test.ts`,
      'test/electron/supervision/findings.test.ts',
      'test/electron/supervision/probe-scoring.test.ts',
    ],
    mutants: [
      {
        what: "Fisher's test leaves out the observed table",
        line: 'surplus += first.passed - least;',
        instead: 'surplus += first.passed - least + 1;',
      },
      {
        what: 'homogeneity has a degree of freedom for each group',
        line: 'return { chiSquared, degrees: used.length - 1 };',
        instead: 'return { chiSquared, degrees: used.length };',
      },
      {
        what: 'homogeneity leaves out the misses',
        line: '/ (group.n * rate * (1 - rate)),',
        instead: '/ (group.n * rate),',
      },
      {
        what: 'groups without trials count',
        line: 'const used = groups.filter(({ n }) => n > 0);',
        instead: 'const used = groups;',
      },
    ],
  },
  {
    file: 'electron/core/statistics/agreement.ts',
    tests: [`${CORE}/statistics/agreement.test.ts`],
    mutants: [
      {
        what: 'kappa is the raw agreement',
        line: 'const kappa = (observed - chance) / (1 - chance);',
        instead: 'const kappa = observed;',
      },
      {
        what: 'chance agreement takes the first rater for both',
        line: 'sum + at(rows, index) * at(columns, index), 0);',
        instead: 'sum + at(rows, index) * at(rows, index), 0);',
      },
      {
        what: "kappa's interval is that of a larger table",
        line: '(n * (1 - chance) ** 2);',
        instead: '(n * n * (1 - chance) ** 2);',
      },
      {
        what: 'perfect agreement leaves no doubt',
        line: 'low: (wilsonInterval(n, n, z).low - chance) / (1 - chance), high: 1 };',
        instead: 'low: 1, high: 1 };',
      },
    ],
  },
]);
