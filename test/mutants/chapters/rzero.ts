import { chapter } from '../mutant.ts';
import { ITERATION } from './tests.ts';

const COMPAT = 'test/electron/evolution/rzero/compat.test.ts';
const RATED = 'test/electron/evolution/rzero/rated.test.ts';
const VOTES = 'test/electron/core/votes.test.ts';
const CLUSTERS = 'test/electron/core/text-clusters.test.ts';
const RZERO = 'electron/evolution/frameworks/rzero';

/** R-Zero: rewards, votes, groups of repeated texts, windows, places. */
export const RZERO_MUTANTS = chapter('r-zero', [
  {
    file: `${RZERO}/rewards.ts`,
    tests: [COMPAT, ...ITERATION],
    mutants: [
      {
        what: 'the challenger is paid for agreement',
        line: 'Math.min(agreement, 1 - agreement);',
        instead: 'Math.max(agreement, 1 - agreement);',
      },
      {
        what: 'the challenger is paid for what nobody answers',
        line: 'agreement === null ? 0 :',
        instead: 'agreement === null ? 0.5 :',
      },
      {
        what: 'repetition is paid',
        line: 'return isQuestion ? uncertainty - silent - repeated : BROKEN - repeated;',
        instead: 'return isQuestion ? uncertainty - silent + repeated : BROKEN + repeated;',
      },
      {
        what: 'repetition costs nothing',
        line: 'const repeated = repetition.weight * clusterShare;',
        instead: 'const repeated = 0 * clusterShare;',
      },
      {
        what: 'abstentions cost nothing',
        line: "abstentions === 'outside' ? abstentionPenalty * abstained : 0;",
        instead: '0 * abstained * abstentionPenalty;',
      },
      {
        what: "the paper's reward is not twice the uncertainty",
        line: 'Math.max(0, 2 * uncertainty - silent - repeated)',
        instead: 'Math.max(0, uncertainty - silent - repeated)',
      },
      {
        what: "the paper's reward may be negative",
        line: 'Math.max(0, 2 * uncertainty - silent - repeated)',
        instead: '(2 * uncertainty - silent - repeated)',
      },
      {
        what: 'a text that is no question is paid like a question',
        line: ': BROKEN - repeated;',
        instead: ': uncertainty - repeated;',
      },
      {
        what: 'the solver is paid for its form',
        line: "if (rule === 'agreement') return Number(agrees);",
        instead: '',
      },
      {
        what: 'form and agreement weigh alike',
        line: 'return 0.9 * Number(agrees) + 0.1 *',
        instead: 'return 0.5 * Number(agrees) + 0.5 *',
      },
    ],
  },
  {
    file: 'electron/core/votes.ts',
    tests: [VOTES, ...ITERATION],
    mutants: [
      {
        what: 'of equally large classes the last wins',
        line: 'one.places.length > best.places.length ? one : best',
        instead: 'one.places.length >= best.places.length ? one : best',
      },
      {
        what: 'agreement is a share of all samples',
        line: 'biggest.places.length / (answers.length - abstained.length),',
        instead: 'biggest.places.length / answers.length,',
      },
      {
        what: 'an empty answer votes',
        line: "if (answer === null || answer.trim() === '') {",
        instead: 'if (answer === null) {',
      },
      {
        what: 'answers are the same in one direction alone',
        line: ' || (await same(one.first, answer)))',
        instead: ')',
      },
      {
        what: 'answers are compared as texts alone',
        line: 'if (one.first === answer || (await same(answer, one.first)) || (await same(one.first, answer)))',
        instead: 'if (one.first === answer)',
      },
      {
        what: 'the majority is the first answer of all',
        line: 'majority: biggest?.first ?? null,',
        instead: 'majority: found[0]?.first ?? null,',
      },
    ],
  },
  {
    file: 'electron/core/text-clusters.ts',
    tests: [CLUSTERS],
    mutants: [
      {
        what: 'groups are joined by their nearest members',
        line: '(ofGone * (distances[far] as number) + ofKept * (distances[near] as number)) / (ofGone + ofKept);',
        instead: 'Math.min(distances[far] as number, distances[near] as number);',
      },
      {
        what: 'groups are joined by their farthest members',
        line: '(ofGone * (distances[far] as number) + ofKept * (distances[near] as number)) / (ofGone + ofKept);',
        instead: 'Math.max(distances[far] as number, distances[near] as number);',
      },
      {
        what: 'large groups weigh as much as small ones',
        line: '(ofGone * (distances[far] as number) + ofKept * (distances[near] as number)) / (ofGone + ofKept);',
        instead: '((distances[far] as number) + (distances[near] as number)) / 2;',
      },
      {
        what: 'what lies at the cut is joined',
        line: 'if (least < cut) parent[gone] = kept;',
        instead: 'if (least <= cut) parent[gone] = kept;',
      },
    ],
  },
  {
    file: 'electron/core/bleu.ts',
    tests: [CLUSTERS],
    mutants: [
      {
        what: 'a short text is not held to be short',
        line: 'hypothesis > reference ? 1 : Math.exp(1 - reference / hypothesis);',
        instead: '1;',
      },
      { what: 'n-grams up to three words count', line: 'const LONGEST = 4;', instead: 'const LONGEST = 3;' },
      {
        what: 'what does not match counts as 1',
        line: 'const UNMATCHED = 0.1;',
        instead: 'const UNMATCHED = 1;',
      },
      {
        what: 'an n-gram counts as often as the other text has it',
        line: 'sum += own < other ? own : other;',
        instead: 'sum += other;',
      },
      {
        what: 'precision is divided by the words of the reference',
        line: 'Math.max(1, hypothesis - n + 1)',
        instead: 'Math.max(1, reference - n + 1)',
      },
    ],
  },
  {
    file: `${RZERO}/state.ts`,
    tests: [...ITERATION, COMPAT],
    mutants: [
      {
        what: 'the window leaves out its ends',
        line: 'solveRate >= low - ROUNDING && solveRate <= high + ROUNDING,',
        instead: 'solveRate > low + ROUNDING && solveRate < high - ROUNDING,',
      },
      {
        what: 'what lies outside of the window is kept',
        line: 'solveRate >= low - ROUNDING && solveRate <= high + ROUNDING,',
        instead: '!(solveRate >= low - ROUNDING && solveRate <= high + ROUNDING),',
      },
      { what: 'what everybody agrees on is kept', line: '&& solveRate <= high + ROUNDING,', instead: ',' },
      {
        what: 'the window grows on one side',
        line: '[window[0] - widened * widenBy, window[1] + widened * widenBy];',
        instead: '[window[0], window[1] + widened * widenBy];',
      },
      {
        what: 'the window grows without a limit',
        line: 'if (tasks.length >= needed || widened === widenTimes)',
        instead: 'if (tasks.length >= needed || widened === 50)',
      },
      {
        what: 'labels of the iteration before stay',
        line: 'if (stageStep === 1) Object.assign(state, { posed: [], labelled: [] });',
        instead: 'if (stageStep === 1) Object.assign(state, { posed: [] });',
      },
      {
        what: 'questions of earlier steps are not remembered',
        line: 'for (const task of tasks) state.seen.add(questionKey(questionOf(task)));',
        instead: '',
      },
    ],
  },
  {
    file: `${RZERO}/schedule.ts`,
    tests: ITERATION,
    mutants: [
      {
        what: 'an iteration begins one step late',
        line: 'const iteration = Math.ceil(step / length);',
        instead: 'const iteration = Math.ceil((step - 1) / length);',
      },
      {
        what: 'a last part of questions is left out',
        line: 'Math.ceil(pose.questions / pose.perStep);',
        instead: 'Math.floor(pose.questions / pose.perStep);',
      },
      {
        what: 'stages that learn nothing count as training',
        line: 'if (isLearning) trained += lengths[stage];',
        instead: 'trained += lengths[stage];',
      },
    ],
  },
  {
    file: `${RZERO}/voting.ts`,
    tests: [...ITERATION, COMPAT],
    mutants: [
      {
        what: 'what differs from the most agrees',
        line: 'const verdict = verdictOf(agreeing.has(sample), answer);',
        instead: 'const verdict = verdictOf(!agreeing.has(sample), answer);',
      },
      {
        what: 'the smallest class is the majority of the records',
        line: 'one.length > most.length ? one : most), []);',
        instead: 'most.length === 0 || one.length < most.length ? one : most), []);',
      },
      {
        what: 'the order in which answers arrive decides ties',
        line: 'const ordered = rollouts.toSorted((a, b) => a.index - b.index);',
        instead: 'const ordered = rollouts;',
      },
      {
        what: 'nobody abstains',
        line: 'abstained: abstained.length / ordered.length,',
        instead: 'abstained: 0,',
      },
      {
        what: "the original's class of unboxed answers becomes a label",
        line: 'majority: majority === NONE && !isOutside ? null : majority,',
        instead: 'majority,',
      },
      {
        what: 'answers with "no" are the same to everybody',
        line: "(equality === 'rzero-compat' && one.includes('no ')",
        instead: "(one.includes('no ')",
      },
    ],
  },
  {
    file: `${RZERO}/stages/solve.ts`,
    tests: [...ITERATION, COMPAT, RATED],
    mutants: [
      {
        what: 'answers that a user rates count among those to questions',
        line: 'const own = trained.filter(({ batch }) => batch === BATCH);',
        instead: 'const own = trained;',
      },
      {
        what: 'a pass repeats the order of the pass before',
        line: "sampleWithoutReplacement(kept, kept.length, seed, 'kept', iteration, pass);",
        instead: "sampleWithoutReplacement(kept, kept.length, seed, 'kept', iteration);",
      },
      {
        what: 'every step trains on the first questions',
        line: 'const place = (stageStep - 1) * prompts + index;',
        instead: 'const place = index;',
      },
      {
        what: 'samples of a question have groups of their own',
        line: 'group: `${run.step}/${BATCH}/g${Math.floor(index / samples)}`,',
        instead: 'group: `${run.step}/${BATCH}/g${index}`,',
      },
      {
        what: 'the solver is whitened over the batch',
        line: "deviationFloor : 0, scope: 'group' }),",
        instead: "deviationFloor : 0, scope: 'batch' }),",
      },
      {
        what: 'the floor of a deviation is not kept',
        line: "groupNormalized({ floor: advantages === 'floored' ? deviationFloor : 0, scope",
        instead: 'groupNormalized({ floor: 0, scope',
      },
      {
        what: 'groups that are all alike are those that differ',
        line: 'group.every(({ accuracy }) => accuracy === (which ?? group[0]?.accuracy)),',
        instead: 'group.some(({ accuracy }) => accuracy !== (which ?? group[0]?.accuracy)),',
      },
    ],
  },
  {
    file: `${RZERO}/stages/challenge.ts`,
    tests: [...ITERATION, COMPAT],
    mutants: [
      {
        what: 'a cluster is a share of the clusters',
        line: '(sizes[of] as number) / texts.length);',
        instead: '(sizes[of] as number) / sizes.length);',
      },
      {
        what: 'the votes are cast by the challenger',
        line: 'role: solver,\n      settings: framework.vote,',
        instead: 'role: challenger,\n      settings: framework.vote,',
      },
      {
        what: 'every response is paid for the repetition of the first',
        line: 'clusterShare: clusterShares[place] as number,',
        instead: 'clusterShare: clusterShares[0] as number,',
      },
      {
        what: 'a question is paid for the votes of another',
        line: 'const vote = votes.get(id);\n      return challengeReward(',
        instead: 'const vote = [...votes.values()][0];\n      return challengeReward(',
      },
      {
        what: 'questions are whitened in groups of a step',
        line: 'challenge/g${Math.floor(index / samples)}`',
        instead: 'challenge/g0`',
      },
    ],
  },
  {
    file: `${RZERO}/stages/pose.ts`,
    tests: ITERATION,
    mutants: [
      { what: 'duplicates of the same step are kept', line: '      seen.add(key);\n', instead: '' },
      {
        what: 'duplicates of earlier steps are kept',
        line: "new Set(framework.duplicates === 'removed' ? state.seen : []);",
        instead: 'new Set<string>();',
      },
      {
        what: 'the last part of questions is as large as the others',
        line: 'return Math.min(perStep, questions - (placeOf(framework, step).stageStep - 1) * perStep);',
        instead: 'return perStep;',
      },
    ],
  },
  {
    file: `${RZERO}/stages/label.ts`,
    tests: [...ITERATION, COMPAT],
    mutants: [
      {
        what: 'every step labels the first part',
        line: 'state.posed.slice((stageStep - 1) * perStep, stageStep * perStep);',
        instead: 'state.posed.slice(0, perStep);',
      },
      {
        what: 'a label is what the author claims',
        line: 'outputs: [majority], solveRate: agreement },',
        instead: 'outputs: task.outputs, solveRate: agreement },',
      },
      {
        what: 'a question without answers is labelled',
        line: 'if (vote.majority === null || isLeftOut(framework, vote)) return [];',
        instead: 'if (isLeftOut(framework, vote)) return [];',
      },
    ],
  },
  {
    file: 'electron/core/boxed.ts',
    tests: [COMPAT, ...ITERATION],
    mutants: [
      {
        what: 'the first box is the answer',
        line: 'let start = text.lastIndexOf(mark);',
        instead: 'let start = text.indexOf(mark);',
      },
    ],
  },
  {
    file: `${RZERO}/parsing.ts`,
    tests: [COMPAT, ...ITERATION],
    mutants: [
      {
        what: 'the first question block counts',
        line: 'if (close < 0) return last;',
        instead: 'if (close < 0 || last !== null) return last;',
      },
      {
        what: 'a box in front of the question is its answer',
        line: 'const claimed = lastBoxed(text.slice(block.end));',
        instead: 'const claimed = lastBoxed(text);',
      },
      {
        what: 'an empty box answers',
        line: "const answer = box === null || box.content === '' ? null : box.content;",
        instead: 'const answer = box === null ? null : box.content;',
      },
      {
        what: 'the case of a question makes it another',
        line: '    .toLowerCase()\n    .replace(/\\s+/g',
        instead: '    .replace(/\\s+/g',
      },
    ],
  },
]);
