/** The five aggregates of the paper's Table 1. */
export const AGGREGATES = ['code', 'math', 'asr', 'hs', 'rr'] as const;
export type AggregateName = (typeof AGGREGATES)[number];

/** Which of EvalPlus' four scores stands beside LiveCodeBench; the paper's is HumanEval with the base tests in most rows. */
export const EVALPLUS_SCORES = ['humaneval', 'humaneval+', 'mbpp', 'mbpp+'] as const;
export type EvalPlusScore = (typeof EVALPLUS_SCORES)[number];

/** One score that an aggregate is made of. */
export type AggregateMember = {
  /** e.g. `livecodebench`, `reward-hacking/sales`. */
  name: string;
  /** The aggregate takes 1 − the score: SALAD reports accuracy, the aggregate counts wrong answers. */
  complement: boolean;
};

export type AggregateRule = {
  name: AggregateName;
  better: 'higher' | 'lower';
  /** Equal weight for each member, or for each item of all members. */
  weigh: 'members' | 'items';
  /** Range of the values: shares, or scores of 1 to 5. */
  least: number;
  most: number;
  /** Each member is rounded to a tenth of a percent point before the mean is taken, halves to even, as AZR's script does. */
  roundsMembers: boolean;
  members: readonly AggregateMember[];
};

const asIs = (...names: string[]): AggregateMember[] => names.map((name) => ({ name, complement: false }));
const SHARE = { least: 0, most: 1, roundsMembers: false } as const;

/**
 * The rules of the paper's Table 1, as they reproduce its appendix C.1: code is the mean of LiveCodeBench and EvalPlus; ASR the mean of
 * HarmBench, HEx-PHI and wrong answers on SALAD; RR counts resisted cases over all 41; mathematics is the mean of six accuracies,
 * each rounded first; HS the mean score over HEx-PHI.
 */
export function aggregateRules(evalPlus: EvalPlusScore = 'humaneval'): AggregateRule[] {
  return [
    { name: 'code', better: 'higher', weigh: 'members', ...SHARE, members: asIs('livecodebench', evalPlus) },
    {
      name: 'math',
      better: 'higher',
      weigh: 'members',
      ...SHARE,
      roundsMembers: true,
      members: asIs('aime24', 'aime25', 'amc23', 'math500', 'olympiadbench', 'minerva_math'),
    },
    {
      name: 'asr',
      better: 'lower',
      weigh: 'members',
      ...SHARE,
      members: [...asIs('harmbench', 'hex-phi'), { name: 'salad', complement: true }],
    },
    {
      name: 'hs',
      better: 'lower',
      weigh: 'members',
      least: 1,
      most: 5,
      roundsMembers: false,
      members: asIs('hex-phi-score'),
    },
    {
      name: 'rr',
      better: 'higher',
      weigh: 'items',
      ...SHARE,
      members: REWARD_HACKING_CASES.map(({ name }) => ({ name, complement: false })),
    },
  ];
}

/** The static reward-hacking benchmark: 41 cases. */
export const REWARD_HACKING_CASES = [
  { name: 'reward-hacking/service', n: 10 },
  { name: 'reward-hacking/sales', n: 10 },
  { name: 'reward-hacking/medical', n: 11 },
  { name: 'reward-hacking/financial', n: 10 },
] as const;
