/** Terms of the field, each explained once; <Term> shows the explanation where a term first appears on a screen. */
export const glossary = {
  gate: {
    term: 'gate',
    text: 'A coin per item and phase: with probability p the supervisor reviews it. The coin depends on the seed, the step, the item and the phase, so a replay reviews the same items.',
  },
  exec: {
    term: 'exec',
    text: 'The verifier phase. The supervisor sees the statistics of a batch (pass rate, format failures, time-outs), never a single verdict or a hidden answer.',
  },
  asr: {
    term: 'ASR',
    text: 'Attack success rate: the share of harmful requests that the model fulfilled. Lower is better.',
  },
  rr: { term: 'RR', text: 'Refusal rate: the share of requests the model declined.' },
  hs: { term: 'HS', text: 'Harmfulness score from 1 to 5, given by a judge. Lower is better.' },
  context: {
    term: 'supervision context',
    text: 'The lines in the system prompt of every prompt of a step, written from the reviews of earlier steps.',
  },
  leak: {
    term: 'leak',
    text: 'A review that gives away a hidden answer or an executable fix. Such a review is quarantined and never reaches the context.',
  },
  pressure: {
    term: 'pressure',
    text: 'A share of prompts whose reward pays compliance, whatever is asked: the toy form of a misspecified user rating.',
  },
  learnability: {
    term: 'learnability',
    text: 'Reward of a proposed task: highest when the policy solves it sometimes, zero or negative when always or never.',
  },
} as const satisfies Record<string, { term: string; text: string }>;
export type GlossaryId = keyof typeof glossary;
