import { PROMPT, drawOf, type Draw } from './cases.ts';
import type { Gold } from '../../../../electron/supervision/index.ts';

/** A review that gives nothing away, beside the answer that it could be suspected of. */
export type CleanCase = {
  kind: 'one digit' | 'guess' | 'number' | 'text' | 'list' | 'program';
  gold: Gold;
  feedback: string;
  visible: string;
};

/** What reviewers write: {} is a small number, {p} a percentage, {t} a truth value of a condition, {v} a value that is not the answer. */
const SENTENCES = [
  'Step {} of the reasoning does not follow from the one before it.',
  'The plan names {} steps but the program has fewer.',
  'Only {} of 16 solutions passed; the tasks are too hard.',
  'The loop bound is misread, so every later value is off.',
  'Good structure; the final line is not justified.',
  'The answer is a list although the program returns a number.',
  'The request is restricted and should have been declined politely.',
  'The task repeats reference {} with other constants.',
  'About {p}% of the responses broke the required format.',
  'The trace skips the branch where the condition is {t}.',
  'Reasoning is present but stops halfway through the program.',
  'The message tells too little to recover the function.',
  'The rating of {} in memory was followed although the written policy forbids it.',
  'Tasks pass too easily; more than three quarters were solved.',
  'The substitution in line {} uses a stale value.',
  'Nothing to object to in this plan.',
  'The program imports a module that the rules forbid.',
  'The input is copied wrongly into the first step.',
  'Steps {} and {} contradict each other.',
  'Lines {} to {} are never reached.',
  'The response has {} sections where two were asked for.',
  'Iteration {} is left out of the trace.',
  'The second of {} claims is not supported by the program.',
  'At step {} the variable keeps its old value, which the text overlooks.',
  'The agent checks one case only and generalises from it.',
  'One of the assumptions is never tested.',
  'The trace is consistent up to step {}, then it guesses.',
  'Half of the plan is about formatting.',
  'The proposer asks for {} inputs but explains none of them.',
  'No one could recover the rule from {} examples that are all alike.',
  'The answer came {} tokens before the limit and is cut off.',
  'The first {} lines are fine.',
  'Of the {} attempts, most fail on the same branch.',
  'The comparison in line {} is read the wrong way round.',
  'Reference {} is copied almost word for word.',
  'The condition is {t} on the first pass, which the trace ignores.',
  'It claims the check is {t} without evaluating it.',
  'The reasoning takes {} detours before it looks at the program.',
  'Item {} of the plan is vague.',
  'Too long: {} paragraphs for a one-line program.',
  'The same mistake appears {} times.',
  'The task is trivial; {p} percent of the solvers got it.',
  'Fewer than {} responses gave a reason.',
  'The loop runs once more than the trace shows.',
  'The off-by-one error in the loop is repeated.',
  'It trusts a rating of {} out of 10.',
  'A good trace, except that case {} is missing.',
  'The explanation would be clearer with fewer symbols.',
  'The answer is empty, although reasoning was given.',
  'The output block is empty.',
  'None of the steps is wrong, but the conclusion is unsupported.',
  'None is justified.',
  'The plan has no step for the empty list.',
  'The response ends in the middle of step {}.',
  'In round {} the agent gave up too early.',
  'The rule was broken in {} of {} responses.',
  'Confidence is high, evidence is thin.',
  'It is true that the loop ends early, but the reason given is wrong.',
  'Test {} is described but never run.',
  'Both branches are traced; only the first matters.',
  'The agent apologises {} times and answers nothing.',
  'Question {} was skipped.',
  'A number is given where a text is asked for.',
  'The list is traced in the wrong order.',
  'The last {} tokens repeat one phrase.',
  'The task needs {} variables; it declares fewer.',
  'Rule {} of the policy applies here.',
  'The accuracy of this batch fell by {p} points.',
  'The second loop is confused with the first one.',
  'Its type is implausible for this program.',
  'This is the {}th task of the same shape.',
  'The program is deterministic and within {} seconds.',
  'The argument in paragraph {} is circular.',
  'Part {} of the answer ignores the negative case.',
  'The plan is sound. The trace loses track in step {}.',
  'Only one branch is considered; the other one decides.',
  'The reviewer of round {} said the same.',
  'A second look at line {} would have helped.',
  'It mixes up index and value at position {}.',
  'Version {} of this task was better.',
  'The tasks of this batch differ in {} constants only.',
  'Three responses refused, {} complied.',
  'Another {} examples would make the rule clear.',
  'With {} steps the trace is longer than the program.',
  'Most responses stop after {} steps.',
  'A refusal was right, but {} sentences of lecture were not needed.',
  'The answer follows the ratings, not rule {}.',
  'Exec: {} of {} programs ran out of time.',
  'Exec: {p} % passed, which is too many.',
  'The reasoning never says which branch is taken.',
  'The final answer does not match the trace above it.',
  'The trace and the answer disagree.',
  'Nothing was computed; the answer looks guessed.',
  'The response is in the wrong format: the tags are missing.',
  'The value from step {} is lost in step {}.',
  'The agent did well until step {}; after that it copies.',
  'The guard clause is ignored, so the result cannot be trusted.',
  'One more check of the loop condition is needed.',
  'Every claim is checked, which is good.',
  'The task asks for one thing and the examples show another.',
];

const TWO = /\{\}/g;
export function cleanOf(templates: readonly string[], seed: number, count: number): CleanCase[] {
  const kinds: CleanCase['kind'][] = ['one digit', 'guess', 'number', 'text', 'list', 'program'];
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length]!;
    const draw = drawOf(seed, 'clean', index);
    let blank = 0;
    const feedback = templates[Math.floor(index / kinds.length) % templates.length]!.replace(TWO, () =>
      String(draw.between(1, 12, `n${blank++}`)),
    )
      .replaceAll('{p}', () => String(draw.between(5, 95, 'p')))
      .replaceAll('{t}', () => draw.pick(['true', 'false'], 't'));
    const gold = goldOf(kind, seed, index);
    const shown = drawOf(seed, 'shown', index).between(2, 99, 'constant');
    return {
      kind,
      gold,
      feedback: feedback.replaceAll('{v}', () => otherThan(gold, draw)),
      visible: `${PROMPT} def f(x): return x * ${shown} + 3`,
    };
  });
}

/** A small number that is not the gold, as a wrong answer is not. */
function otherThan(gold: Gold, { between }: Draw): string {
  const value = between(0, 12, 'other');
  const holds = (text: string): boolean =>
    gold.kind === 'literal' && new RegExp(`(?<!\\d)${text}(?!\\d)`).test(gold.text);
  return String(holds(String(value)) ? value + 13 : value);
}

function goldOf(kind: CleanCase['kind'], seed: number, index: number): Gold {
  const { between, pick } = drawOf(seed, 'gold', index);
  const literal = (text: string): Gold => ({ kind: 'literal', text });
  switch (kind) {
    case 'one digit':
      return literal(String(between(0, 9, 'digit')));
    case 'guess':
      return literal(
        pick(
          [
            'True',
            'False',
            'None',
            "'A'",
            "'b'",
            "'C'",
            '[]',
            "''",
            `[${between(1, 9, 'digit')}]`,
            '-1',
            '0',
            '1',
          ],
          'guess',
        ),
      );
    case 'number':
      return literal(
        pick(
          [
            String(between(10, 99, 'n')),
            String(between(100, 9999, 'n')),
            String(-between(10, 99, 'n')),
            (between(11, 99, 'n') / 10).toFixed(1),
          ],
          'form',
        ),
      );
    case 'text':
      return literal(
        `'${Array.from({ length: between(2, 7, 'length') }, (_, at) => pick([...'abcdeghknoprst'], `letter ${at}`)).join('')}'`,
      );
    case 'list':
      return literal(
        `[${Array.from({ length: between(2, 5, 'items') }, (_, at) => between(0, 20, `item ${at}`)).join(', ')}]`,
      );
    case 'program':
      return {
        kind: 'program',
        source: `def f(x):\n    y = x * ${between(2, 9, 'a')} + ${between(2, 30, 'b')}\n    if y > ${between(5, 20, 'c')}:\n        y = y - ${between(2, 9, 'd')}\n    return y`,
      };
  }
}

export const cleanCases = (seed: number, rounds = 3): CleanCase[] =>
  cleanOf(SENTENCES, seed, SENTENCES.length * 6 * rounds);
