/**
 * Writes docs/deviations.md: `node test/structure/deviations.ts`. What a paper and a repository say stands here with its source; what this
 * program does by itself and under its presets is asked of the schema, and deviations.test.ts asks whether the page is current.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runConfigSchema, type RunConfigInput } from '../../electron/contract/index.ts';
import { PRESETS } from '../../electron/evolution/index.ts';

export const PAGE = join(import.meta.dirname, '../../docs/deviations.md');
type PresetName = keyof typeof PRESETS;

const ORIGINAL_PRESETS = ['azr-paper', 'azr-paper-branch', 'azr-master'] as const;
const ANCHOR_PRESETS = ['anchor-coder-3b'] as const;

/** `values`: what the key is to be set to for the paper's and for the repository's behaviour, where both can be had. */
export type Deviation = {
  what: string;
  paper: string;
  repository: string;
  key: string;
  values: { paper?: unknown; repository?: unknown };
  /** What holds where the key is absent; `none` when nothing does. */
  absent?: string;
};

const AZR: readonly Deviation[] = [
  {
    what: 'reward of a valid proposal that nobody or everybody solves',
    paper: '0',
    repository: '−0.5 (`rewards/reward_managers.py:393`)',
    key: 'framework.zeroLearnability',
    values: { paper: 'paper', repository: 'repository' },
  },
  {
    what: 'baseline of an advantage',
    paper: 'one for each task type and role',
    repository: 'the same, weighted by tokens (verl `masked_whiten`)',
    key: 'framework.whitening',
    values: { paper: 'sequence', repository: 'token' },
  },
  {
    what: 'which tasks are solved',
    paper: 'those of the last step, filled from the buffer',
    repository: '`max_new`: filled without replacement from the whole buffer (`azr_ray_trainer.py:742`)',
    key: 'framework.taskChoice',
    values: { paper: 'newest-first', repository: 'azr-max-new' },
  },
  {
    what: 'the same, other strategies of the repository',
    paper: 'none',
    repository:
      '`half_new`: half of the batch, rounded down, then the whole buffer; `step`: weight creation step, with replacement',
    key: 'framework.taskChoice',
    values: { repository: 'azr-half-new' },
  },
  {
    what: 'solutions that measure a proposal are sampled',
    paper: 'at temperature 1',
    repository: 'greedily on `master` (`configs/azr_ppo_trainer.yaml:222`), at temperature 1 on `paper`',
    key: 'framework.estimateSampling',
    values: { paper: 'sampled', repository: 'greedy' },
  },
  {
    what: 'how responses are read',
    paper: 'think and answer tags',
    repository:
      'the same at the start of the text; a valid program in a broken form is kept (`custom_evaluate.py:113`)',
    key: 'framework.reader',
    values: { paper: 'strict', repository: 'azr-compat' },
    absent: 'that of the validator',
  },
  {
    what: 'what a valid task is',
    paper: 'it runs, is safe and deterministic',
    repository:
      'custom exceptions and changing results pass with an empty gold, outputs are cut to 400 characters (`python_executor.py:300`, `:351`)',
    key: 'framework.validator',
    values: { paper: 'strict', repository: 'azr-compat' },
  },
  {
    what: 'when values are equal',
    paper: 'not said',
    repository: 'Python’s ==, over evaluated text (`python_executor.py:191`)',
    key: 'framework.verifier',
    values: { repository: 'azr-compat' },
  },
  {
    what: 'reward of an induction answer',
    paper: 'all hidden pairs right',
    repository: 'the same (`code_f_reward_type`)',
    key: 'framework.inductionReward',
    values: { paper: 'binary', repository: 'binary' },
  },
  {
    what: 'prompts in each of six batches',
    paper: '64',
    repository: '64',
    key: 'framework.batchSize',
    values: { paper: 64, repository: 64 },
  },
  {
    what: 'solutions that measure a proposal',
    paper: '8',
    repository: '8 (`n_samples`)',
    key: 'framework.estimateSamples',
    values: { paper: 8, repository: 8 },
  },
  {
    what: 'references shown to a proposer',
    paper: '6',
    repository: '6 (`io_n`)',
    key: 'framework.references',
    values: { paper: 6, repository: 6 },
  },
  {
    what: 'inputs of an induction task',
    paper: '10',
    repository: '10 (`num_inputs`)',
    key: 'framework.inductionInputs',
    values: { paper: 10, repository: 10 },
  },
  {
    what: 'which proposals enter the buffer',
    paper: 'all that are valid',
    repository: 'the same (`valid_program_filter: all`)',
    key: 'framework.bufferFilter',
    values: { paper: 'all', repository: 'all' },
  },
  {
    what: 'distance of a proposal from its references (its reward is off everywhere: `framework.intrinsic.editDistance`)',
    paper: 'not said',
    repository:
      '1 − difflib’s ratio of the JSON texts of both syntax trees, after a formatter (`code_reward.py:143`)',
    key: 'framework.intrinsic.measures',
    values: { repository: 'azr-compat' },
    absent: 'tokens: 1 − edit distance of both programs’ tokens over the longer',
  },
  {
    what: 'which values count as answers, and what an induction task may be rewarded for (`framework.intrinsic.answerDiversity`, `inputDiversity`, `outputDiversity`; off)',
    paper: 'diversity of answers, not how',
    repository:
      'values that a solver looks for, those of this step’s earlier batches included; of an induction task inputs and outputs apart, and nothing else (`reward_managers.py:404`)',
    key: 'framework.intrinsic.measures',
    values: { repository: 'azr-compat' },
    absent: 'tokens: all values of tasks of earlier steps; of an induction task the mean over both as well',
  },
  {
    what: 'rarity of an answer (off)',
    paper: 'not said',
    repository: 'among all answers, or of its type and within it (`hierarchical`, off; `code_reward.py:504`)',
    key: 'framework.intrinsic.surprise',
    values: { repository: 'flat' },
    absent: 'flat',
  },
  {
    what: 'first tasks',
    paper: 'written by the policy itself',
    repository: 'the same, or a file (`scripts/seeding`)',
    key: 'framework.seeds',
    values: { paper: 'own', repository: 'own' },
    absent: 'embedded',
  },
  {
    what: 'longest prompt, tokens',
    paper: '6,144',
    repository: '6,144 (`max_prompt_length`)',
    key: 'generation.maxPromptTokens',
    values: { paper: 6144, repository: 6144 },
  },
  {
    what: 'longest question, tokens; longer ones are drawn again',
    paper: 'not said',
    repository: '5,600 (`content_max_length`, `constructor.py:90`)',
    key: 'generation.maxContentTokens',
    values: { repository: 5600 },
  },
  {
    what: 'longest response, tokens',
    paper: '8,096',
    repository: '8,096 (`max_response_length`)',
    key: 'generation.maxNewTokens',
    values: { paper: 8096, repository: 8096 },
  },
  {
    what: 'learning rate',
    paper: '1e-6',
    repository: '1e-6',
    key: 'train.learningRate',
    values: { paper: 1e-6, repository: 1e-6 },
  },
  {
    what: 'entropy bonus',
    paper: '0.001',
    repository: '0 on `master`, 0.001 on `paper`',
    key: 'train.entropyCoefficient',
    values: { paper: 0.001, repository: 0 },
  },
  {
    what: 'upper clip of the ratio',
    paper: '0.2',
    repository: '0.28 on `master`, 0.2 on `paper`',
    key: 'train.clipHigh',
    values: { paper: 0.2, repository: 0.28 },
  },
  {
    what: 'second clip, of negative advantages',
    paper: 'none',
    repository: '3 on `master`, none on `paper`',
    key: 'train.dualClip',
    values: { paper: null, repository: 3 },
  },
  {
    what: 'weight decay',
    paper: 'not said',
    repository: '0 on `master`, 0.01 on `paper`',
    key: 'train.weightDecay',
    values: { repository: 0 },
  },
  {
    what: 'average of the token losses',
    paper: 'not said',
    repository: 'over each micro-batch of 16, then of these (`dp_actor.py: update_policy`)',
    key: 'train.microBatch',
    values: { repository: 16 },
    absent: 'over all at once',
  },
  {
    what: 'probabilities that the ratio is taken to',
    paper: 'not said',
    repository: 'computed again by the trainer (`old_log_prob`)',
    key: 'train.oldLogprobs',
    values: { repository: 'recompute' },
  },
  {
    what: 'time of one execution, seconds',
    paper: 'not said',
    repository: '10 (`execute_max_timeout`)',
    key: 'sandbox.cpuSeconds',
    values: { repository: 10 },
  },
];

const ANCHOR: readonly Deviation[] = [
  {
    what: 'share of items that are reviewed, of each phase',
    paper: 'all (Section 5)',
    repository: 'none is public',
    key: 'supervision.phases.thought',
    values: { paper: 1 },
  },
  {
    what: 'summary of a batch (Eq. 6)',
    paper: 'by a language model',
    repository: 'none is public',
    key: 'supervision.summary',
    values: { paper: 'model' },
    absent: 'rule',
  },
  {
    what: 'next context (Eq. 7)',
    paper: 'by a language model',
    repository: 'none is public',
    key: 'supervision.merge',
    values: { paper: 'model' },
  },
  {
    what: 'window of the supervisor’s model, tokens',
    paper: '20,000 (`max_model_len`, Appendix B)',
    repository: 'none is public',
    key: 'supervision.windowTokens',
    values: { paper: 20_000 },
    absent:
      '8,192, of which a review beside others has 4,096; beginning and end of what is longer (`supervision.shownCharacters`)',
  },
];

/** What differs and has no key, and why. */
const NAMED: readonly (readonly [what: string, original: string, here: string])[] = [
  [
    'complexity and Halstead (off)',
    'complexipy and radon, which read the tree',
    'counted over tokens, close to these',
  ],
  [
    'distances of syntax trees, where they are asked for',
    'of whatever length, docstrings as the formatter leaves them',
    'none where a tree’s text has more than 100,000 characters or the sandbox’s minute is over; docstrings as written. 300 pairs of the original’s seed programs: the same numbers',
  ],
  ['a buffer that is full', 'drops new tasks', 'drops the oldest (`framework.bufferCap`)'],
  [
    'a task that is too long to be measured',
    'is left out of its buffer',
    'enters it without a rate; is left out with `framework.validator=azr-compat`',
  ],
  [
    'a batch that a small buffer cannot fill',
    'stops with an error',
    'takes tasks twice, under the original’s mixes as well',
  ],
  ['composite functions, a warm-up of the solver alone', 'in the code, off in its scripts', 'not built'],
];

/**
 * Metrics that the repository logs under another name or in another sense; all others of its names are stored as they are (`anchor export`
 * writes them to metrics.csv). `here`: names of what is stored, by which deviations.test.ts looks for them.
 */
export const METRICS: readonly { original: string; here: readonly string[]; how: string }[] = [
  {
    original: '`<batch>/accuracy`, `complexity`, `mean_edit_distance`, `halstead`, `…diversity` of proposals',
    here: ['accuracy', 'mean_edit_distance', 'answer_diversity'],
    how: 'the same names; mean of valid proposals, where the original counts an invalid one as 0. `accuracy`: mean learnability of all, as there',
  },
  {
    original: '`<batch>/num_valid_programs`',
    here: ['num_valid_programs'],
    how: 'of the step; there of this and the step before',
  },
  {
    original: '`<batch>/<batch>/avg_program_lines`',
    here: [],
    how: 'not stored: the lines of the programs of the step’s tasks (`anchor export`)',
  },
  {
    original: '`types/error_types/*`',
    here: ['error_types'],
    how: 'the same name, with `framework.intrinsic.measures=azr-compat`; otherwise names of errors count among `types/output_types`',
  },
  {
    original: '`actor/ppo_kl`',
    here: ['mismatchMetric', 'ratio_max'],
    how: 'one update a step has no policy between, so what is left of it is the sampler’s difference: `actor/logp_mismatch_*`, `actor/ratio_max`',
  },
  {
    original: '`global_seqlen/minmax_diff`, `balanced_min`, `balanced_max`',
    here: ['global_seqlen/min', 'global_seqlen/max', 'global_seqlen/mean'],
    how: '`global_seqlen/max` − `global_seqlen/min`; one device has nothing to balance. Over all trained responses, where the original keeps those of its last batch',
  },
  {
    original: '`timing_s/gen/*`, `timing_s/step`, `timing_s/update_actor`, `timing_s/save_checkpoint`',
    here: ['gen', 'step', 'update_actor', 'save_checkpoint'],
    how: 'timings `gen`, `step`, `update_actor`, `save_checkpoint`, seconds; all batches are one generation',
  },
  {
    original: '`timing_s/reward_fn/*`',
    here: ['validate', 'verify', 'estimate'],
    how: 'timings `validate`, `verify`: seconds with at least one program at work, within `gen` and `estimate`, because answers are still being written meanwhile',
  },
  {
    original: '`timing_s/old_log_prob/*`, `timing_s/adv/*`',
    here: ['update_actor'],
    how: 'within `update_actor`, and not measured',
  },
  {
    original: '`timing_per_token_ms/update_actor`',
    here: ['update_actor', 'global_seqlen/mean'],
    how: '1000 × `update_actor` ÷ (`global_seqlen/mean` × trained responses)',
  },
  {
    original: '`val/test_score/*`, `timing_s/testing`',
    here: [],
    how: 'a planned evaluation (`evaluation.every`) has a table, intervals and times of its own',
  },
];

const get = (tree: unknown, key: string): unknown =>
  key.split('.').reduce((at, part) => (at as Record<string, unknown> | undefined)?.[part], tree);

/** The configuration that has nothing set but this key, as `--set KEY=VALUE` makes it. */
export function having(key: string, value: unknown): RunConfigInput {
  const config = structuredClone(runConfigSchema.parse({})) as Record<string, unknown>;
  const path = key.split('.');
  const owner = path.slice(0, -1).reduce((at, part) => at[part] as Record<string, unknown>, config);
  owner[path.at(-1) as string] = value;
  return config as RunConfigInput;
}

export const valueOf = (config: RunConfigInput, key: string): unknown =>
  get(runConfigSchema.parse(config), key);

const shown = (value: unknown, absent: string): string =>
  value === undefined
    ? absent
    : value === null
      ? 'none'
      : typeof value === 'number'
        ? String(value)
        : `${value as string}`;

function rowOf(
  { what, paper, repository, key, values, absent = 'none' }: Deviation,
  presets: readonly PresetName[],
): string {
  const under = presets.map((name) => shown(valueOf(PRESETS[name], key), absent));
  const set = [...new Set([values.paper, values.repository].filter((value) => value !== undefined))];
  const cells = [
    what,
    paper,
    repository,
    shown(valueOf({}, key), absent),
    new Set(under).size === 1 ? under[0]! : under.join(' / '),
    set.map((value) => `\`${key}=${value === null ? 'null' : String(value)}\``).join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

const tableOf = (rows: readonly Deviation[], presets: readonly PresetName[]): string =>
  [
    `| what | paper | its repository | default here | ${presets.map((name) => `\`${name}\``).join(' / ')} | by this key |`,
    '|---|---|---|---|---|---|',
    ...rows.map((row) => rowOf(row, presets)),
  ].join('\n');

export const DEVIATIONS = [...AZR, ...ANCHOR];

/** The whole page. */
export const pageText = (): string => `# Paper, repository, default, key

Written by \`node test/structure/deviations.ts\`; values of this program are those of its schema and presets. Paths of the repository are below
\`absolute_zero_reasoner/\` of LeapLabTHU/Absolute-Zero-Reasoner at a82124e, \`paper\` is its branch of that name. [fidelity.md](fidelity.md) says
why, and how to read what is measured.

## Absolute Zero

\`azr-paper\` is what the paper's text says, \`azr-paper-branch\` what the code of that branch does, \`azr-master\` the main branch. No preset brings back a
fault (greedy estimates, the validator and verifier of the repository); their keys do.

${tableOf(AZR, ORIGINAL_PRESETS)}

## ANCHOR

${tableOf(ANCHOR, ANCHOR_PRESETS)}

## Without a key

| what | the original | here |
|---|---|---|
${NAMED.map((row) => `| ${row.join(' | ')} |`).join('\n')}

## Metrics

All other metrics have the repository's names and its sense; \`anchor export\` writes them to \`metrics.csv\`, \`<batch>\` is \`gen_code_i\` and the like.

| the original's | here |
|---|---|
${METRICS.map(({ original, how }) => `| ${original} | ${how} |`).join('\n')}
`;

if (import.meta.main) writeFileSync(PAGE, pageText());
