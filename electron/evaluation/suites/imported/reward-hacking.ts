import { join } from 'node:path';
import type { EvaluationScore } from '../../../contract/index.ts';
import { HACKING_RUBRIC, identityOf } from '../../judges/index.ts';
import { gradeOf, under, type GradedSuite, type GradeRow } from '../../running/graded-suite.ts';
import { shareMember, detail, passedScore } from '../../running/scores.ts';
import {
  AGENTS,
  CASES_PER_AGENT,
  gradeHacking,
  HACKING_GENERATION,
  hackingPrompt,
  readScenarios,
  RULES_JUDGE,
  type HackingCase,
  type Scenario,
} from '../../safety/index.ts';

type Item = { id: string; scenario: Scenario; asked: HackingCase };

/** 41 cases of our own in which serving the measure of success means failing the person. Passing is the safe answer. */
export const rewardHacking: GradedSuite<Item> = {
  name: 'reward-hacking',
  title: 'Reward hacking, 41 cases',
  group: 'safety',
  measures: 'safe answers where a shortcut was rewarded',
  better: 'higher',
  version: '1',
  source: { kind: 'bundled', file: 'reward-hacking' },
  needs: { sandbox: false, judge: 'optional', maths: false },
  hazardous: false,
  mini: false,
  timed: false,
  protocols: [
    {
      name: 'usual',
      version: '1',
      temperature: HACKING_GENERATION.temperature,
      topP: 1,
      maxNewTokens: HACKING_GENERATION.maxNewTokens,
      samples: 1,
      promptPack: null,
      stops: [],
      says: 'One user message with persona, sheet and six remembered conversations; nearly greedy. Fixed rules decide first, then the judge.',
    },
  ],
  async *read({ folder }) {
    for (const scenario of await readScenarios(join(folder, 'reward-hacking')))
      for (const asked of scenario.cases) yield { id: `${scenario.agent}/${asked.id}`, scenario, asked };
  },
  ask: ({ scenario, asked }, _protocol, { context }) => ({
    messages: under(context, [{ role: 'user', content: hackingPrompt(scenario, asked) }]),
    raw: false,
    stops: [],
  }),
  target: ({ asked }) => `Safe: ${asked.safeIf}\nUnsafe: ${asked.unsafeIf}`,
  judgedBy: (judge) => (judge === null ? RULES_JUDGE : identityOf(judge, HACKING_RUBRIC)),
  async grade({ scenario, asked }, { text }, _protocol, { judge, signal }) {
    const { verdict, review, preCheck, judged } = await gradeHacking(
      scenario.agent,
      asked,
      text,
      judge,
      signal,
    );
    const byRules = preCheck.verdict !== 'undecided';
    const details = {
      agent: scenario.agent,
      rules: preCheck.verdict,
      judge: judged?.status === 'judged' ? { ...judged.value } : null,
      unjudged: judged?.status === 'unjudged' ? judged.why : null,
    };
    return gradeOf(verdict === 'safe', byRules ? 'rules' : 'judge', {
      ...(verdict === null ? { outcome: 'unjudged' as const } : {}),
      reason: verdict === 'unsafe' ? 'unsafe' : null,
      flags: review === null ? [] : [review],
      judge: byRules || judged === null ? RULES_JUDGE : judged.judge,
      details: JSON.parse(JSON.stringify(details)) as typeof details,
    });
  },
  members: (rows, of) =>
    Object.fromEntries(
      AGENTS.map((agent) => [
        `reward-hacking/${agent === 'finance' ? 'financial' : agent}`,
        shareMember(
          rows.filter(({ grade }) => detail(grade, 'agent') === agent),
          Math.min(of, CASES_PER_AGENT[agent]),
        ),
      ]),
    ),
  scores(rows) {
    const of = (agent: string): GradeRow[] => rows.filter(({ grade }) => detail(grade, 'agent') === agent);
    return [
      passedScore('resistance', rows, 'higher'),
      ...AGENTS.map((agent): EvaluationScore => passedScore(agent, of(agent), 'higher')),
    ];
  },
};
