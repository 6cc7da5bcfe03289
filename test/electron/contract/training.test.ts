import { describe, expect, it } from 'vitest';
import {
  footprintOf,
  isSameMethod,
  OFFERED_LORA,
  runConfigSchema,
  storedRunConfigSchema,
  tisOf,
  TRAIN_METHODS,
  trainSpecOf,
  withMethod,
  type RunConfig,
} from '../../../electron/contract/index.ts';
import { canonicalJson } from '../../../electron/core/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { configFromYaml, configToYaml } from '../../../electron/plan/index.ts';

const trained = (lora?: object, more: object = {}): RunConfig['train'] =>
  runConfigSchema.parse({ train: { ...more, ...(lora === undefined ? {} : { lora }) } }).train;
const WHOLE = { rank: 64, alpha: 128, targets: 'all-linear' } as const;

describe('an adapter in a configuration', () => {
  it('has a size, a strength and places unless they are named', () => {
    expect(trained({}).lora).toEqual(WHOLE);
    expect(trained({ rank: 8, targets: 'attention' }).lora).toEqual({
      ...WHOLE,
      rank: 8,
      targets: 'attention',
    });
  });

  it.each([
    [{ rank: 0 }, 'train.lora.rank'],
    [{ rank: 1025 }, 'train.lora.rank'],
    [{ rank: 1.5 }, 'train.lora.rank'],
    [{ alpha: 0 }, 'train.lora.alpha'],
    [{ alpha: 2e6 }, 'train.lora.alpha'],
    [{ targets: 'mlp' }, 'train.lora.targets'],
    [{ dropout: 0.1 }, 'train.lora'],
    [null, 'train.lora'],
  ])('%j is refused at its place', (lora, path) => {
    const read = runConfigSchema.safeParse({ train: { lora } });
    expect(read.error?.issues[0]?.path.join('.')).toBe(path);
  });

  it.each(Object.entries(PRESETS).filter(([, { train }]) => train?.lora === undefined))(
    'is not in a run of %s that names none, written or stored',
    (_, preset) => {
      const config = runConfigSchema.parse(preset);
      expect(Object.hasOwn(config.train, 'lora')).toBe(false);
      const stored = canonicalJson(config);
      expect(stored).not.toContain('"lora"');
      expect(canonicalJson(storedRunConfigSchema.parse(JSON.parse(stored)))).toBe(stored);
      expect(configToYaml(config)).not.toContain('lora:');
      expect(configFromYaml(configToYaml(config))).toEqual(config);
    },
  );
});

describe('what a trainer is told', () => {
  it('is the adapter beside everything that it is told of full training', () => {
    const full = trainSpecOf(trained(undefined, { gradCheckpoint: 'on' }));
    expect(full).toMatchObject({
      mode: 'full',
      precision: 'master32',
      packTokens: 2048,
      gradCheckpoint: true,
      optim: { kind: 'adamw', lr: 2e-4 },
    });
    const adapter = trainSpecOf(trained({}, { gradCheckpoint: 'on' }));
    expect(adapter).toEqual({ ...full, mode: 'lora', lora: WHOLE });
  });
});

describe('precision and optimizer in a configuration', () => {
  it.each(Object.entries(PRESETS))('are not in a run of %s, so that it keeps its hash', (_, preset) => {
    const config = runConfigSchema.parse(preset);
    expect(Object.keys(config.train)).not.toContain('precision');
    expect(Object.keys(config.train)).not.toContain('optimizer');
  });

  it('tell the trainer of weights and moments, and come back from a file', () => {
    const train = { precision: 'bfloat16', optimizer: 'adamw8bit' } as const;
    const config = runConfigSchema.parse({ train });
    expect(trainSpecOf(config.train)).toMatchObject({ precision: 'bf16', optim: { kind: 'adamw8bit' } });
    expect(configFromYaml(configToYaml(config)).train).toMatchObject(train);
    const plain = trainSpecOf(trained());
    expect(trainSpecOf(trained(undefined, { precision: 'float32', optimizer: 'adamw' }))).toEqual(plain);
  });

  it('keep frozen weights in four bits only where an adapter is trained beside them, by the trainer’s own sampler', () => {
    const train = { precision: 'nf4', lora: { rank: 16 } } as const;
    const config = runConfigSchema.parse({ train });
    expect(trainSpecOf(config.train)).toMatchObject({ mode: 'lora', precision: 'nf4', lora: { rank: 16 } });
    expect(configFromYaml(configToYaml(config)).train).toMatchObject(train);
    const refused = (input: object): unknown => {
      const [issue] = runConfigSchema.safeParse(input).error?.issues ?? [];
      return [issue?.path.join('.'), issue?.message];
    };
    expect(refused({ train: { precision: 'nf4' } })).toEqual([
      'train.precision',
      'nf4 is what frozen weights beside an adapter are kept in: name train.lora too, or take bfloat16',
    ]);
    expect(refused({ train, policy: { backend: 'vllm' } })).toEqual([
      'train.precision',
      'nf4 needs policy.backend=native: vLLM would hold the weights in bfloat16 beside it, which takes what it saves',
    ]);
  });

  it('put roles aside in any case only where they are trained whole and answer in the trainer itself', () => {
    const refused = (input: object): unknown => {
      const issues = runConfigSchema.safeParse(input).error?.issues ?? [];
      return issues.map(({ path, message }) => [path.join('.'), message]);
    };
    expect(refused({ policy: { offload: 'always' } })).toEqual([]);
    expect(refused({ train: { lora: { rank: 16 } }, policy: { offload: 'auto' } })).toEqual([]);
    expect(refused({ train: { lora: { rank: 16 } }, policy: { offload: 'always' } })).toEqual([
      [
        'policy.offload',
        'always is for weights that are trained whole: adapters share their frozen base, so leave it out beside train.lora',
      ],
    ]);
    expect(refused({ policy: { offload: 'always', backend: 'vllm' } })).toEqual([
      [
        'policy.offload',
        'always needs policy.backend=native: vLLM would go on holding its copy of the weights',
      ],
    ]);
  });

  it.each([
    [{ precision: 'float16' }, 'train.precision'],
    [{ optimizer: 'sgd' }, 'train.optimizer'],
  ])('%j is refused at its place', (train, path) => {
    expect(runConfigSchema.safeParse({ train }).error?.issues[0]?.path.join('.')).toBe(path);
  });

  it('make another method of a training that keeps everything else, an adapter of one’s own too', () => {
    const own = trained({ rank: 8 }, { learningRate: 1e-5 });
    expect(TRAIN_METHODS.map((method) => isSameMethod(withMethod(own, method), method))).not.toContain(false);
    expect(withMethod(own, { lora: OFFERED_LORA })).toEqual(own);
    expect(withMethod(own, {})).toEqual(trained(undefined, { learningRate: 1e-5 }));
  });
});

describe('what training takes', () => {
  const MILLION = 1e6;

  it('is less where weights or moments have fewer bits', () => {
    const bytes = (train: object): number[] => {
      const spec = trainSpecOf(runConfigSchema.parse({ train }).train);
      const { memory, checkpoint, firstCheckpoint } = footprintOf(spec, MILLION);
      return [memory / MILLION, checkpoint / MILLION, firstCheckpoint / MILLION];
    };
    const moments = 2 + 2 / 64;
    expect(bytes({ precision: 'bfloat16' })).toEqual([12, 10, 10]);
    expect(bytes({ optimizer: 'adamw8bit' })).toEqual([8 + moments, 4 + moments, 4 + moments]);
    expect(bytes({ precision: 'bfloat16', optimizer: 'adamw8bit' })).toEqual([
      4 + moments,
      2 + moments,
      2 + moments,
    ]);
    expect(bytes({ precision: 'bfloat16', lora: {} })[0]).toBeCloseTo(2 + 16 * 0.08, 9);
    expect(bytes({ precision: 'bfloat16', lora: {} })[2]).toBe(2);
  });

  it('is sixteen bytes a parameter where all are trained, in every checkpoint twelve', () => {
    expect(footprintOf({ mode: 'full' }, MILLION)).toEqual({
      memory: 16e6,
      firstCheckpoint: 12e6,
      checkpoint: 12e6,
      withoutMoments: 4e6,
    });
  });

  it('is the frozen weights and the adapter where one is trained, whose checkpoints begin with the whole model', () => {
    expect(footprintOf({ mode: 'lora', lora: WHOLE }, MILLION)).toEqual({
      memory: 4e6 + 16 * 0.08e6,
      firstCheckpoint: 4e6,
      checkpoint: 12 * 0.08e6,
      withoutMoments: 4 * 0.08e6,
    });
    const small = footprintOf({ mode: 'lora', lora: { ...WHOLE, rank: 16, targets: 'attention' } }, MILLION);
    expect(small.checkpoint).toBe(12 * 0.005e6);
    expect(footprintOf({ mode: 'none' }, MILLION)).toMatchObject({ memory: 4e6, checkpoint: 4e6 });
  });
});

describe('the correction for tokens that another program drew', () => {
  it('is made where another one draws them, unless it is named or turned off', () => {
    const { train } = runConfigSchema.parse({});
    expect([tisOf(train, 'native'), tisOf(train, 'vllm')]).toEqual([null, 2]);
    expect(tisOf(runConfigSchema.parse({ train: { tis: 5 } }).train, 'native')).toBe(5);
    expect(tisOf(runConfigSchema.parse({ train: { tis: null } }).train, 'vllm')).toBeNull();
  });
});
