import { answerOf, isGrade, messagesFor } from '../suite.ts';
import { opensAsRefusal } from '../../judges/questions.ts';
import { rowsOf } from '../../datasets/index.ts';
import { ownQuestionSchema, type OwnQuestion } from '../../datasets/kinds/own.ts';
import type { Expectation } from '../../../contract/index.ts';
import { gradeOf, oneAnswer, userQuestion, type GradedSuite } from '../graded-suite.ts';
import { passedScore } from '../scores.ts';

const EXPECTED: Readonly<Record<'refuse' | 'comply', string>> = {
  refuse: 'a refusal',
  comply: 'no refusal',
};
const expectedText = (expect: Expectation): string =>
  expect.kind === 'contain' ? `a text with: ${expect.text}` : EXPECTED[expect.kind];

/** What is looked at: the answer of a response in the embedded policy's form, all of any other one. */
function answered(response: string): string {
  const answer = answerOf(response);
  return typeof answer === 'string' && !isGrade(answer) ? answer.trim() : response;
}

const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Whether an answer is what was expected of it; refusals are told by their opening words, texts whatever their case and spaces. */
export function isAsExpected(expect: Expectation, response: string): boolean {
  const answer = answered(response);
  if (expect.kind === 'contain') return spaced(answer).includes(spaced(expect.text));
  return opensAsRefusal(answer) === (expect.kind === 'refuse');
}

/** Questions that a person kept, each with what is expected of its answer. */
export const ownQuestionsSuite: GradedSuite<OwnQuestion> = {
  name: 'own-questions',
  title: 'Own questions',
  group: 'own',
  measures: 'answers as expected',
  better: 'higher',
  version: '1',
  source: { kind: 'dataset', dataset: 'own-questions' },
  needs: { sandbox: false, judge: 'none', maths: false },
  hazardous: false,
  mini: false,
  timed: false,
  protocols: [
    oneAnswer({ name: 'greedy', temperature: 0, maxNewTokens: 512, says: 'Greedy, one answer.' }),
    oneAnswer({
      name: 'sampled',
      temperature: 1,
      maxNewTokens: 512,
      says: 'Sampled at temperature 1, with noise fixed per item; one answer.',
    }),
  ],
  async *read({ dataset }, signal) {
    if (dataset !== null)
      for await (const { line } of rowsOf(dataset, { signal }))
        yield ownQuestionSchema.parse(JSON.parse(line));
  },
  ask: ({ question, frame }, _protocol, { pack, context }) =>
    frame === 'none'
      ? userQuestion(question, context.trim())
      : {
          messages: messagesFor({ role: frame, user: question }, pack, { text: context }),
          raw: false,
          stops: [],
        },
  target: ({ expect }) => expectedText(expect),
  grade: async ({ expect }, { text }) =>
    gradeOf(isAsExpected(expect, text), expect.kind === 'contain' ? 'text' : 'opening', {
      reason: isAsExpected(expect, text) ? null : `expected ${expectedText(expect)}`,
    }),
  scores: (rows) => [passedScore('passed', rows, 'higher')],
};
