import { rowsOf } from '../../datasets/index.ts';
import { LOAD_AFFECTED, type DatasetKindName } from '../../../contract/index.ts';
import { gradeOf, under, oneAnswer, type GradedSuite, type SuiteProtocol } from '../graded-suite.ts';
import { shareMember, flagScore, passedScore } from '../scores.ts';
import { gradeMaths } from '../../maths/grade.ts';
import {
  mathsPrompt,
  MATHS_PROTOCOLS,
  type MathsProtocol,
  type MathsTemplate,
} from '../../maths/protocol.ts';
import { MATHS_SUITES, type MathsSuite, readMathsLine, type MathsItem } from '../../maths/suites.ts';

type Item = { id: string; item: MathsItem };

const SAYS: Readonly<Record<MathsTemplate, string>> = {
  'qwen-boxed':
    'A system message, steps and a boxed result; for base and chat models alike. Greedy, at most 16,000 tokens.',
  azr: 'AZR’s dialogue, for models trained on it; the answer is read from its tags. Greedy, at most 16,000 tokens.',
  azr_boxed: 'AZR’s dialogue with a boxed result, for its coder models. Greedy, at most 16,000 tokens.',
};
const TEMPLATES: readonly MathsTemplate[] = ['qwen-boxed', 'azr', 'azr_boxed'];

const published = (template: MathsTemplate): SuiteProtocol =>
  oneAnswer({ name: template, temperature: 0, maxNewTokens: 16_000, says: SAYS[template] });
/** The same without the published damage to some answers and golds. */
const repaired = (template: MathsTemplate): SuiteProtocol => ({
  ...published(template),
  name: `${template}-repaired`,
  says: `${SAYS[template]} Graded without the published damage to some answers.`,
});

function protocolNamed(name: string): MathsProtocol {
  const template = TEMPLATES.find((each) => name === each || name === `${each}-repaired`) ?? 'qwen-boxed';
  const protocol = MATHS_PROTOCOLS[template];
  return name.endsWith('-repaired') ? { ...protocol, mode: 'repaired' } : protocol;
}

const KINDS: Readonly<Record<MathsSuite, DatasetKindName>> = {
  aime24: 'aime24-set',
  aime25: 'aime25-set',
  amc23: 'amc23-set',
  math500: 'math500-set',
  olympiadbench: 'olympiadbench-set',
  minerva_math: 'minerva-math-set',
};

/** The six sets of mathematics: exact text, then exact numbers, then math-verify in a process that may be killed; which it was stays with each verdict. */
export const MATHEMATICS: readonly GradedSuite<Item>[] = MATHS_SUITES.map(
  ({ name, title }): GradedSuite<Item> => ({
    name,
    title,
    group: 'maths',
    measures: 'problems answered rightly',
    better: 'higher',
    // 1: repaired answers were compared in their repaired form alone; compatible ones by JavaScript's white space and digits.
    version: '2',
    source: { kind: 'dataset', dataset: KINDS[name] },
    needs: { sandbox: false, judge: 'none', maths: true },
    hazardous: false,
    mini: false,
    timed: false,
    protocols: [published('qwen-boxed'), ...TEMPLATES.slice(1).map(published), ...TEMPLATES.map(repaired)],
    async *read({ dataset }, signal) {
      if (dataset !== null)
        for await (const { id, line, ordinal } of rowsOf(dataset, { signal }))
          yield { id, item: readMathsLine(line, name, `Row ${ordinal + 1}`) };
    },
    ask({ item }, protocol, { context }) {
      const { messages, stops } = mathsPrompt(item, protocolNamed(protocol.name));
      return { messages: under(context, messages), raw: false, stops };
    },
    target: ({ item }) => item.gold.repaired,
    async grade({ item }, { text }, protocol, { maths }) {
      if (maths === null) throw new Error('Mathematics needs the process that compares it.');
      const { passed, method, extracted, gold, milliseconds, problem, loadAffected } = await gradeMaths(
        item,
        text,
        protocolNamed(protocol.name),
        maths,
      );
      return gradeOf(passed, method, {
        reason: passed ? null : (REASONS[method] ?? 'wrong'),
        flags: [
          ...(method === 'no-gold' || method === 'timeout' ? [method] : []),
          ...(loadAffected ? [LOAD_AFFECTED] : []),
        ],
        details: { extracted, gold, milliseconds, problem, labels: { ...item.labels } },
      });
    },
    members: (rows, of) => ({ [name]: shareMember(rows, of) }),
    scores: (rows) => [passedScore('accuracy', rows, 'higher'), flagScore('timeout', rows)],
  }),
);

const REASONS: Readonly<Record<string, string>> = {
  'no-answer': 'no-answer',
  'no-gold': 'no-gold',
  timeout: 'comparison-timeout',
  lost: 'comparison-lost',
  'too-long': 'answer-too-long',
};
