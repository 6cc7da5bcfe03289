import { describe, expect, it } from 'vitest';
import {
  aggregationOf,
  codeBatchName,
  runConfigSchema,
  type RolloutRecord,
} from '../../../../electron/contract/index.ts';
import { isPresetName, PRESET_NAMES, PRESETS } from '../../../../electron/evolution/index.ts';
import { batchMetrics, sequenceMetrics } from '../../../../electron/evolution/loop/metrics.ts';
import {
  AnswerCounters,
  cognitiveComplexity,
  DiversityCounter,
  intrinsicValues,
  literalType,
} from '../../../../electron/evolution/code-tasks/intrinsic.ts';
import type { IntrinsicValues } from '../../../../electron/core/index.ts';
import { proposalMetrics, typeMetrics } from '../../../../electron/evolution/code-tasks/metrics.ts';

const lines = (...parts: string[]): string => parts.join('\n');

describe('answer diversity', () => {
  const counter = new DiversityCounter();
  for (const literal of ['1', '1', '1', '2', "'a'", "'a'", "'a'", "'a'"]) counter.add(literal);

  it.each([
    ['1', 0.625, 0.375],
    ['2', 0.875, 0.625],
    ['9', 1, 0.75],
    ["'a'", 0.5, 0.25],
    ['[1]', 1, 1],
  ])('%s: flat %s, hierarchical %s', (literal, flat, hierarchical) => {
    expect(counter.surprise(literal, 'flat')).toBeCloseTo(flat, 12);
    expect(counter.surprise(literal, 'hierarchical')).toBeCloseTo(hierarchical, 12);
  });
  it('is full surprise before anything was counted', () =>
    expect(new DiversityCounter().surprise('1', 'hierarchical')).toBe(1));
  it('knows the types of Python', () => {
    expect(["1, 'a'", 'None', 'True', '1.5', "b''", 'set()', '{}', 'no literal'].map(literalType)).toEqual([
      'tuple',
      'NoneType',
      'bool',
      'float',
      'bytes',
      'set',
      'dict',
      'str',
    ]);
  });
});

describe('complexity', () => {
  const nested = lines(
    'def f(x):',
    '  for i in x:',
    '    if i > 1 and i < 5 and i != 3:',
    '      while i:',
    '        i -= 1',
    '    elif i or x:',
    '      pass',
    '    else:',
    '      pass',
    '  return x',
  );
  it('grows with branches and more with nested ones', () => {
    expect(cognitiveComplexity('def f(x):\n return x + 1')).toBe(0);
    expect(cognitiveComplexity(lines('def f(x):', '  if x:', '    return 1', '  return 2'))).toBe(1);
    // for 1, if 2, its `and` run 1, while 3, elif 1, or 1, else 1
    expect(cognitiveComplexity(nested)).toBe(10);
    expect(cognitiveComplexity(lines('def f(x):', '  s = "if for while"  # if', '  return s'))).toBe(0);
  });

  it('and difference from references are 0 for a copy and larger for another program', () => {
    const counters = new AnswerCounters();
    const values = (references: string[], program = nested): IntrinsicValues =>
      intrinsicValues(
        'deduction',
        { program, inputs: ['1'], outputs: ['2'] },
        references.map((text) => ({ program: text })),
        counters,
      );
    expect(values([]).editDistance).toBeNull();
    expect(values([nested]).editDistance).toBe(0);
    expect(values([nested.replace('for i in x:', 'for i in x:  # another comment')]).editDistance).toBe(0);
    expect(values(['def f(x):\n return x']).editDistance).toBeGreaterThan(0.5);
    expect(values([]).complexity).toBeCloseTo(10 / 15, 12);
    expect(values([]).halstead).toBeGreaterThan(values([], 'def f(x):\n return x').halstead ?? 1);
  });

  it('diversity looks at what the solver must find', () => {
    const counters = new AnswerCounters();
    const known = {
      id: 's',
      step: 0,
      origin: 'seed' as const,
      taskType: 'deduction' as const,
      rolloutId: null,
      program: '',
      inputs: ['1'],
      outputs: ['2'],
      message: null,
      imports: [],
      solveRate: null,
    };
    counters.add([known, { ...known, origin: 'pressure', inputs: ['7'] }]);
    const task = { program: 'def f(x):\n return 2*x', inputs: ['1'], outputs: ['9'] };
    expect(intrinsicValues('abduction', task, [], counters).answerDiversity).toBe(0);
    expect(intrinsicValues('deduction', task, [], counters).answerDiversity).toBe(1);
    expect(intrinsicValues('induction', task, [], counters).answerDiversity).toBe(0.5);
    expect(typeMetrics(counters)).toMatchObject({
      'types/input_types/distinct_types': 1,
      'types/output_types/int/total_count': 1,
      'types/input_types/total_instances': 1,
    });
  });
});

function rollout(index: number, changes: Partial<RolloutRecord> = {}): RolloutRecord {
  return {
    id: `1/gen_code_o/${index}`,
    step: 1,
    batch: 'gen_code_o',
    index,
    sample: null,
    purpose: 'propose',
    role: 'proposer',
    taskType: 'deduction',
    taskId: null,
    contextHash: '0'.repeat(64),
    user: '',
    text: '',
    plan: null,
    thought: null,
    answer: null,
    formatOk: true,
    finish: 'stop',
    promptTokens: 10,
    newTokens: 20,
    logpMean: -1,
    verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L2' },
    reward: 0.5,
    advantage: 0.125,
    ...changes,
  };
}

describe('metrics under the names of the original', () => {
  const limits = { maxNewTokens: 40, maxPromptTokens: 100 };
  const intrinsic: IntrinsicValues = {
    complexity: 0.2,
    editDistance: null,
    halstead: 0.4,
    answerDiversity: 1,
    inputDiversity: 0.3,
    outputDiversity: 0.7,
  };

  it('of proposals: accuracy is the mean learnability, solve_rate the mean solve rate', () => {
    const rollouts = [
      rollout(0),
      rollout(1),
      rollout(2, {
        formatOk: false,
        reward: -1,
        verdict: { outcome: 'invalid', reason: 'bad-format', accuracy: 0, sandboxLevel: null },
      }),
    ];
    const proposals = [
      { rolloutId: rollouts[0]!.id, solveRate: 0.25, intrinsic },
      { rolloutId: rollouts[1]!.id, solveRate: 0, intrinsic },
    ];
    const metrics = {
      ...batchMetrics('gen_code_o', rollouts, limits),
      ...proposalMetrics('deduction', rollouts, proposals, 'one-minus'),
    };
    expect(metrics).toMatchObject({
      'gen_code_o/accuracy': 0.25,
      'gen_code_o/solve_rate': 0.125,
      'gen_code_o/num_valid_programs': 2,
      'gen_code_o/answer_diversity': 1,
      'gen_code_o/complexity': 0.2,
      'gen_code_o/critic/rewards/min': -1,
      'gen_code_o/critic/advantages/mean': 0.125,
      'gen_code_o/response_length/mean': 20,
    });
    expect(metrics['gen_code_o/format_score']).toBeCloseTo(2 / 3, 12);
    expect(metrics['gen_code_o/mean_edit_distance']).toBeNull();
    const inductions = rollouts.map((one) => ({
      ...one,
      id: one.id.replace('code_o', 'code_f'),
      batch: 'gen_code_f',
    }));
    const ofInductions = proposals.map((one, index) => ({ ...one, rolloutId: inductions[index]!.id }));
    expect(proposalMetrics('induction', inductions, ofInductions, 'one-minus')).toMatchObject({
      'gen_code_f/input_answer_diversity': 0.3,
      'gen_code_f/output_answer_diversity': 0.7,
    });
  });

  it('of solutions: accuracy, lengths by outcome, clipped and reflecting responses', () => {
    const failed = { outcome: 'failed', reason: 'died', accuracy: 0, sandboxLevel: 'L2' } as const;
    const rollouts = [
      rollout(0, { purpose: 'solve', text: 'wait, let me check again' }),
      rollout(1, { purpose: 'solve', newTokens: 40, verdict: failed }),
    ];
    expect(batchMetrics('pred_code_o', rollouts, limits)).toMatchObject({
      'pred_code_o/accuracy': 0.5,
      'pred_code_o/none_count': 1,
      'pred_code_o/none_ratio': 0.5,
      'pred_code_o/response_length/clip_ratio': 0.5,
      'pred_code_o/response_length/reflect_ratio': 0.5,
      'pred_code_o/response_length/correct_reflect_ratio': 1,
      'pred_code_o/correct_response_length/mean': 20,
      'pred_code_o/incorrect_response_length/mean': 40,
    });
    expect(sequenceMetrics(rollouts)).toEqual({
      'global_seqlen/mean': 40,
      'global_seqlen/max': 50,
      'global_seqlen/min': 30,
    });
  });

  it('are finite numbers and none for an empty batch', () => {
    expect(batchMetrics('gen_code_i', [], limits)).toEqual({});
    expect(proposalMetrics('abduction', [], [], 'one-minus')).toEqual({});
    const metrics = batchMetrics('gen_code_i', [rollout(0, { reward: null, advantage: null })], limits);
    for (const [name, value] of Object.entries(metrics)) expect(Number.isFinite(value), name).toBe(true);
    expect(codeBatchName('propose', 'deduction')).toBe('gen_code_o');
  });
});

describe('presets', () => {
  it.each(PRESET_NAMES)('%s is a valid configuration that knows its name', (name) => {
    expect(runConfigSchema.parse(PRESETS[name])).toMatchObject({ preset: name, name });
    expect(isPresetName(name)).toBe(true);
  });
  it('reproduce no fault of the original and use rewarded prompts in demos only', () => {
    for (const name of PRESET_NAMES) {
      const { framework, rewardedPrompts } = runConfigSchema.parse(PRESETS[name]);
      const isOfPrograms = 'verifier' in framework && 'estimateSampling' in framework;
      if (isOfPrograms)
        expect(framework).toMatchObject({
          verifier: 'strict',
          validator: 'strict',
          estimateSampling: 'sampled',
        });
      // Which texts count as an answer is a rule of the original; the values behind them are compared and checked soundly.
      expect(JSON.stringify({ ...framework, reader: undefined })).not.toMatch(/-compat/);
      expect(rewardedPrompts.share).toBe(/\bdemo$/.test(name) ? 0.25 : 0);
    }
    expect(isPresetName('azr')).toBe(false);
  });
  it('differ where paper and repository differ', () => {
    const [paper, branch, master] = [
      runConfigSchema.parse(PRESETS['azr-paper']),
      runConfigSchema.parse(PRESETS['azr-paper-branch']),
      runConfigSchema.parse(PRESETS['azr-master']),
    ];
    expect(paper.train).toMatchObject({
      entropyCoefficient: 0.001,
      clipLow: 0.2,
      clipHigh: 0.2,
      weightDecay: 0.01,
      learningRate: 1e-6,
    });
    expect(branch.train).toMatchObject({ entropyCoefficient: 0.001, clipHigh: 0.2, weightDecay: 0.01 });
    for (const { framework, train, generation } of [branch, master]) {
      expect(framework).toMatchObject({
        zeroLearnability: 'repository',
        whitening: 'token',
        taskChoice: 'azr-max-new',
        reader: 'azr-compat',
      });
      expect(aggregationOf(train)).toEqual({ micro: 16 });
      expect(generation.maxContentTokens).toBe(5600);
    }
    expect(aggregationOf(paper.train)).toBe('token-mean');
    expect(master.train).toMatchObject({
      entropyCoefficient: 0,
      clipLow: 0.2,
      clipHigh: 0.28,
      weightDecay: 0,
      dualClip: 3,
    });
    expect(paper.framework).toMatchObject({ zeroLearnability: 'paper', whitening: 'sequence' });
    expect(master.framework).toMatchObject({ zeroLearnability: 'repository', whitening: 'token' });
    expect(paper.framework).toMatchObject({
      batchSize: 64,
      estimateSamples: 8,
      references: 6,
      inductionInputs: 10,
    });
  });
  it('the demo is 24 supervised steps of the embedded policy', () => {
    const demo = runConfigSchema.parse(PRESETS.demo);
    expect(demo).toMatchObject({
      steps: 24,
      policy: { promptPack: 'compact' },
      framework: { name: 'azr', batchSize: 8, estimateSamples: 4 },
      train: { learningRate: 2e-4 },
    });
    expect(Object.values(demo.supervision.phases)).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
  });
});
