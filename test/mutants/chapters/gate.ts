import { chapter } from '../mutant.ts';

const RANDOM = 'test/electron/core/random.test.ts';
const BATCH = 'test/electron/supervision/review-batch.test.ts';

/** Which items are reviewed, and by whom: a coin for each item and phase that nothing else has a say in. */
export const GATE = chapter('gate', [
  {
    file: 'electron/core/counter-random.ts',
    tests: [RANDOM, BATCH],
    mutants: [
      {
        what: 'the same coin in every step',
        line: "return uniform(seed, 'gate', step, itemKey, phase);",
        instead: "return uniform(seed, 'gate', itemKey, phase);",
      },
      {
        what: 'one coin for all phases of an item',
        line: "return uniform(seed, 'gate', step, itemKey, phase);",
        instead: "return uniform(seed, 'gate', step, itemKey);",
      },
      {
        what: 'one coin for all items of a phase',
        line: "return uniform(seed, 'gate', step, itemKey, phase);",
        instead: "return uniform(seed, 'gate', step, phase);",
      },
      {
        what: 'the coin does not depend on the seed',
        line: "return uniform(seed, 'gate', step, itemKey, phase);",
        instead: "return uniform(0, 'gate', step, itemKey, phase);",
      },
      {
        what: 'the gate opens where its number is above p',
        line: 'return gateNumber(seed, step, itemKey, phase) < p;',
        instead: 'return gateNumber(seed, step, itemKey, phase) > p;',
      },
      {
        what: 'a higher p draws other items instead of more',
        line: 'return gateNumber(seed, step, itemKey, phase) < p;',
        instead: "return uniform(seed, 'gate', step, itemKey, phase, String(p)) < p;",
      },
      {
        what: 'a p outside of 0 to 1 is taken',
        line: 'if (!(p >= 0 && p <= 1))',
        instead: 'if (!(p >= 0))',
      },
      {
        what: "the person's coin is the gate's",
        line: "return uniform(seed, 'person', step, itemKey, phase) < share;",
        instead: "return uniform(seed, 'gate', step, itemKey, phase) < share;",
      },
      {
        what: 'parts of a path run together',
        line: "const digest = createHash('sha256').update(JSON.stringify(parts)).digest();",
        instead: "const digest = createHash('sha256').update(parts.join('')).digest();",
      },
      {
        what: 'draws reach 2 instead of 1',
        line: 'return Number(digest.readBigUInt64BE(0) >> 11n);',
        instead: 'return Number(digest.readBigUInt64BE(0) >> 10n);',
      },
      {
        what: 'a shuffle leaves the first of what is left in its place',
        line: 'const chosen = position + uniformIndex(pool.length - position, seed, ...path, position);',
        instead: 'const chosen = uniformIndex(pool.length, seed, ...path, position);',
      },
      {
        what: 'every place of a weighted sample has the same draw',
        line: 'uniform(seed, ...path, chosen.length),',
        instead: 'uniform(seed, ...path),',
      },
      {
        what: 'items of weight 0 are drawn before others',
        line: 'if (weight === 0) continue;',
        instead: 'if (weight === 0) return index;',
      },
    ],
  },
]);
