import { chapter } from '../mutant.ts';
import { SUPERVISED_STEP } from './tests.ts';

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
  {
    file: 'electron/supervision/review-batch.ts',
    tests: [BATCH, 'test/electron/supervision/controls.test.ts', ...SUPERVISED_STEP],
    mutants: [
      {
        what: 'the phases have the probability of outputs',
        line: 'itemKey(item), item.phase, config.phases[item.phase]))',
        instead: 'itemKey(item), item.phase, config.phases.output))',
      },
      {
        what: "a yoked control tosses its own run's coins",
        line: '!drawGate(reviewer.gateSeed ?? seed, step,',
        instead: '!drawGate(seed, step,',
      },
      {
        what: 'the record says that p was 1',
        line: 'gateProbability: config.phases[item.phase],',
        instead: 'gateProbability: 1,',
      },
      {
        what: 'shuffled reviews keep their items',
        line: 'const { record } = (drawn[index] as (typeof drawn)[number]).one;',
        instead: 'const { record } = place;',
      },
      {
        what: 'shuffled reviews go to any phase',
        line: 'Map.groupBy(ordered.filter(hasAnswer), ({ item }) => item.phase)',
        instead: 'Map.groupBy(ordered.filter(hasAnswer), () => 0)',
      },
      {
        what: 'every step shuffles alike',
        line: "draw: uniform(seed, 'shuffle', step, itemKey(one.item), one.item.phase) }))",
        instead: "draw: uniform(seed, 'shuffle', itemKey(one.item), one.item.phase) }))",
      },
      {
        what: "a shuffled review is not held against its new item's golds",
        line: '...findLeaks(record.feedback, golds, visibleTo(item))])];',
        instead: '])];',
      },
      {
        what: 'reviews that come after the budget are written all the same',
        line: 'if (budget.exhausted()) return finish(item, skippedResult(), golds);',
        instead: '',
      },
    ],
  },
  {
    file: 'electron/supervision/phase-items.ts',
    tests: [BATCH],
    mutants: [
      {
        what: 'a proposal has its output reviewed as well as its task',
        line: "if (!proposal) phases.push('output');",
        instead: "phases.push('output');",
      },
      {
        what: 'measurements are reviewed',
        line: "if (rollout.purpose === 'estimate') return [];",
        instead: '',
      },
      {
        what: 'blank parts are reviewed',
        line: "const written = (text: string | null): boolean => text !== null && text.trim() !== '';",
        instead: 'const written = (text: string | null): boolean => text !== null;',
      },
      {
        what: 'the exec item of a batch has the coin of its first response',
        line: "item.phase === 'exec' ? `${item.batch}/exec` : `${item.batch}/${item.index}`;",
        instead: '`${item.batch}/${item.index}`;',
        tests: [BATCH, ...SUPERVISED_STEP],
      },
      {
        what: "a solver's review is told whether its answer passed",
        line: 'validity: proposal ? validity : null,',
        instead: 'validity,',
        reason: 'stages give a validity with proposals alone, so that both read the same',
      },
      {
        what: 'the exec review of a batch comes before its others',
        line: "(item.phase === 'exec' ? Infinity : item.index)",
        instead: "(item.phase === 'exec' ? -1 : item.index)",
      },
    ],
  },
  {
    file: 'electron/evolution/loop/supervision.ts',
    tests: ['test/electron/evolution/step-queue.test.ts', ...SUPERVISED_STEP],
    mutants: [
      {
        what: 'a limit of reviews takes the same places in every step',
        line: "config.seed, 'review-cap', step, phase);",
        instead: "config.seed, 'review-cap', phase);",
      },
      {
        what: 'a limit of reviews is for all phases together',
        line: 'const isDrawn = this.#drawn.get(item.phase)?.has(itemKey(item)) === true;',
        instead: "const isDrawn = this.#drawn.get('output')?.has(itemKey(item)) === true;",
      },
      {
        what: 'a limit of reviews is not kept',
        line: 'offer: (items) => queue.push(cap.admitted(items)),',
        instead: 'offer: (items) => queue.push(items),',
      },
    ],
  },
]);
