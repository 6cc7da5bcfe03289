import { everyPhase, runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { questionsRun } from '../../support/scripted-policy/questions-run.ts';

/** A mutant of `test/mutants`, and the rule of docs/verify.md under which a run that it took has its first difference. */
export type MutatedRule = {
  mutant: string;
  rule: string;
  /** The record that the first difference names, exactly or by a pattern. */
  about: string | RegExp;
  supervision?: Partial<RunConfig['supervision']>;
};

/**
 * Two steps of self-play in which every rule has work: coins on both sides in every phase, a line that is there from the first step on, lines that
 * enter, and answers that are wrong or broken.
 */
export function shortSelfPlay(supervision: Partial<RunConfig['supervision']> = {}): RunConfig {
  const { demo } = PRESETS;
  return runConfigSchema.parse({
    ...demo,
    name: 'mutated',
    steps: 2,
    framework: { ...demo.framework, batchSize: 2, estimateSamples: 2 },
    generation: { maxNewTokens: 96 },
    rewardedPrompts: { share: 0.25, samplesPerPrompt: 2 },
    sandbox: { workers: 1 },
    supervision: {
      ...demo.supervision,
      phases: { task: 0.8, plan: 0.7, thought: 0.75, output: 0.9, exec: 0.6 },
      reviewer: 'rubric',
      fixedContext: ['Refuse unsafe requests.'],
      ...supervision,
    },
  });
}

/** Each stage of R-Zero with the answers of the scripted policy. */
export const shortQuestions = (): RunConfig =>
  questionsRun('mutated', {
    supervision: {
      phases: everyPhase(0.7),
      reviewer: 'rubric',
      minimumSupport: 1,
      merge: 'text',
      contextLines: 4,
      fixedContext: ['Box the answer.'],
    },
  });

export const MUTATED_SELF_PLAY: readonly MutatedRule[] = [
  { mutant: 'gate: the same coin in every step', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: one coin for all phases of an item', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: one coin for all items of a phase', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: the coin does not depend on the seed', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: the gate opens where its number is above p', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: the phases have the probability of outputs', rule: 'reviews.gate', about: /^1\/.*#/ },
  { mutant: 'gate: the record says that p was 1', rule: 'reviews.gate', about: /^1\/.*, p$/ },
  {
    mutant: 'gate: a proposal has its output reviewed as well as its task',
    rule: 'reviews.gate',
    about: /^1\/gen_.*#output$/,
  },
  {
    mutant: 'gate: the exec item of a batch has the coin of its first response',
    rule: 'reviews.gate',
    about: /^1\/.*#exec$/,
  },
  {
    mutant: "prompts: the proposer's prompt is without C_t",
    rule: 'prompts.system',
    about: /^1\/gen_\w+\/\d+$/,
  },
  {
    mutant: "prompts: prompts that ask for a solution, the solver's and the estimator's, are without C_t",
    rule: 'prompts.system',
    about: /^1\/pred_/,
  },
  { mutant: 'prompts: self-play proposes without C_t', rule: 'prompts.system', about: /^1\/gen_\w+\/\d+$/ },
  { mutant: 'prompts: the solver is asked without C_t', rule: 'prompts.system', about: /^1\/pred_/ },
  {
    mutant: 'prompts: the estimator is asked without C_t',
    rule: 'prompts.system',
    about: /^1\/gen_\w+\/\d+\/\d+$/,
  },
  { mutant: 'prompts: rated prompts are without C_t', rule: 'prompts.system', about: '1/pred_request/0' },
  {
    mutant: 'prompts: only the user of a prompt is hashed',
    rule: 'prompts.sent',
    about: '1/gen_code_i/0',
  },
  {
    mutant: 'prompts: one solution stands for all estimates of a task',
    rule: 'estimates.number',
    about: /^t1\//,
  },
  { mutant: 'rewards: a broken form costs half', rule: 'rewards.solver', about: /^1\/pred_code_/ },
  { mutant: 'rewards: a wrong answer costs nothing', rule: 'rewards.solver', about: /^1\/pred_code_/ },
  {
    mutant: 'rewards: a task that nobody solves teaches most',
    rule: 'rewards.proposer',
    about: /^1\/gen_code_/,
  },
  {
    mutant: 'rewards: an easy task teaches more than a hard one',
    rule: 'rewards.proposer',
    about: /^1\/gen_code_/,
  },
  {
    mutant: 'rewards: tasks are stored without their solve rates',
    rule: 'tasks.solve_rate',
    about: /^t1\//,
  },
  {
    mutant: 'rewards: a solve rate is divided by one more than there are solutions',
    rule: 'tasks.solve_rate',
    about: /^t1\//,
  },
  {
    mutant: 'rewards: all solutions of a task have the verdict of the first',
    rule: 'estimates.verdict',
    about: /^\d\/gen_code_/,
  },
  { mutant: 'rewards: refusals satisfy the user', rule: 'rewards.rating', about: '1/pred_request/0' },
  {
    mutant: 'advantages: the variance is that of a whole population',
    rule: 'rewards.advantage',
    about: /^1\/gen_code_/,
  },
  {
    mutant: 'advantages: advantages are not divided by the deviation',
    rule: 'rewards.advantage',
    about: /^1\/gen_code_/,
  },
  { mutant: 'advantages: advantages have the wrong sign', rule: 'rewards.advantage', about: /^1\/gen_code_/ },
  {
    mutant: 'advantages: all batches are whitened as one',
    rule: 'rewards.advantage',
    about: '1/gen_code_i/0',
  },
  {
    mutant: 'advantages: tokens of the prompt are the weights',
    rule: 'rewards.advantage',
    about: /^1\/gen_code_/,
  },
  {
    mutant: 'advantages: self-play whitens by sequence whatever the run says',
    rule: 'rewards.advantage',
    about: /^1\/gen_code_/,
  },
  {
    mutant: 'advantages: rated prompts are whitened by batch whatever the run says',
    rule: 'rewards.advantage',
    about: /^1\/pred_request\//,
  },
  {
    mutant: 'reviewing: what passed in a batch counts what is invalid as well',
    rule: 'reviews.statistics',
    about: /#exec, accuracy$/,
  },
  {
    mutant: 'reviewing: a batch has one response more than it has',
    rule: 'reviews.statistics',
    about: /#exec$/,
  },
  { mutant: 'reviewing: exec reviews are not asked for', rule: 'reviews.gate', about: /^1\/.*#exec$/ },
  {
    mutant: 'reviewing: reviews count as of passed work what failed',
    rule: 'summaries.scope',
    about: /^1\/.*, counted$/,
  },
  {
    mutant: 'summary and merge: reviews of work that failed count under the scope verified',
    rule: 'summaries.scope',
    about: /^1\/.*, counted$/,
  },
  {
    mutant: 'summary and merge: exec reviews do not count under the scope verified',
    rule: 'summaries.scope',
    about: /^1\/.*, counted$/,
  },
  {
    mutant: 'summary and merge: a finding counts once, however many made it',
    rule: 'summaries.points',
    about: /, count$/,
  },
  {
    mutant: 'summary and merge: a finding is put down to its last review alone',
    rule: 'summaries.points',
    about: /, count$/,
  },
  {
    mutant: 'summary and merge: lines of C_t are lost',
    rule: 'contexts.leaving',
    about: /^line 2\..* after step 2, is accounted for$/,
  },
  {
    mutant: 'summary and merge: lines never expire',
    rule: 'contexts.leaving',
    about: /^line 2\..* after step 2, expired$/,
    supervision: { expirySteps: 1, minimumSupport: 1 },
  },
  {
    mutant: 'summary and merge: one review is enough for every line',
    rule: 'contexts.support',
    about: /^line 2\.\d+ of context 2$/,
    supervision: { minimumSupport: 6 },
  },
  {
    mutant: 'summary and merge: a line enters the step it was found in',
    rule: 'contexts.lineage',
    about: /^line 2\..* of context 2, entered$/,
  },
  {
    mutant: 'summary and merge: the support of a line is that of its last batch',
    rule: 'contexts.lineage',
    about: /^line 2\.\d+ of context 2$/,
    supervision: { minimumSupport: 1 },
  },
  {
    mutant: 'summary and merge: lines that contradict each other stay',
    rule: 'contexts.conflicts',
    about: /^context \d$/,
  },
  {
    mutant: 'summary and merge: the number of lines has no limit',
    rule: 'contexts.budget',
    about: /^context \d, lines$/,
    supervision: { contextLines: 2, minimumSupport: 1 },
  },
  {
    mutant: 'summary and merge: fixed lines expire like others',
    rule: 'contexts.text',
    about: 'context 2, fixed lines',
  },
  {
    mutant: 'summary and merge: the hash of a context is not that of its text',
    rule: 'contexts.text',
    about: 'context 2, hash',
  },
  {
    mutant: 'verdicts: a task does not say which response made it',
    rule: 'tasks.read',
    about: /^t1\/.*, response$/,
  },
  { mutant: 'verdicts: no answer is paid as a right one', rule: 'estimates.verdict', about: /^1\/gen_code_/ },
  { mutant: 'step hash: reviews are not in it', rule: 'steps.chain', about: 'step 1' },
  { mutant: 'step hash: rollouts are not in it', rule: 'steps.chain', about: 'step 1' },
  { mutant: 'step hash: the weights are not in it', rule: 'steps.chain', about: 'step 1' },
  { mutant: 'step hash: the context that was read is not in it', rule: 'steps.chain', about: 'step 1' },
  {
    mutant: 'step hash: tokens of prompt and answer change places',
    rule: 'prompts.tokens',
    about: '1/gen_code_i/0',
  },
];

export const MUTATED_QUESTIONS: readonly MutatedRule[] = [
  { mutant: 'r-zero: the challenger is paid for agreement', rule: 'rewards.challenger', about: /^1\// },
  { mutant: 'r-zero: repetition costs nothing', rule: 'rewards.challenger', about: /^1\// },
  {
    mutant: 'r-zero: the smallest class is the majority of the records',
    rule: 'votes.agreement',
    about: /^1\/challenge\//,
  },
  { mutant: 'r-zero: a label is what the author claims', rule: 'votes.label', about: /^t3\/labelled\/\d+$/ },
  {
    mutant: 'r-zero: what lies outside of the window is kept',
    rule: 'questions.kept',
    about: /^4\/answer\/\d+$/,
  },
  {
    mutant: 'r-zero: samples of a question have groups of their own',
    rule: 'rewards.advantage',
    about: /^4\//,
  },
  {
    mutant: 'prompts: votes and labels are asked for without C_t',
    rule: 'prompts.system',
    about: '1/challenge/0/0',
  },
];
