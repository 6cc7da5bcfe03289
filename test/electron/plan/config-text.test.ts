import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  fixedTasksConfigSchema,
  runConfigSchema,
  type RunConfig,
  type RunConfigInput,
} from '../../../electron/contract/index.ts';
import { buildRunConfig } from '../../../electron/cli/commands/run.ts';
import { commandOf, configFromYaml, configToYaml } from '../../../electron/plan/config-text.ts';
import { PRESET_NAMES, PRESETS, type PresetName } from '../../../electron/evolution/frameworks/registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-config-text-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const preset = (name: PresetName, change: (config: RunConfig) => void = () => {}): RunConfig => {
  const config = structuredClone(runConfigSchema.parse(PRESETS[name]));
  change(config);
  return runConfigSchema.parse(config);
};

/** What a POSIX shell makes of a line: words, with single quotes taken away. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'\\]|\\.|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(.)/g,
      (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
    ),
  );
}

/** Reads a command as the terminal does. */
function configOf(command: string): RunConfig {
  const [anchor, run, flag, name, ...rest] = shellWords(command);
  expect([anchor, run, flag]).toEqual(['anchor', 'run', '--preset']);
  expect(rest.filter((_, index) => index % 2 === 0).every((word) => word === '--set')).toBe(true);
  return buildRunConfig(
    PRESETS[name as PresetName],
    null,
    rest.filter((_, index) => index % 2 === 1),
  );
}

const ODD: [string, RunConfig][] = [
  ...PRESET_NAMES.map((name): [string, RunConfig] => [`the preset ${name}`, preset(name)]),
  ['no preset at all', runConfigSchema.parse({ name: 'from nothing' })],
  [
    'a name with quotes, a dollar and a line break',
    preset('demo', (config) => {
      config.name = `it's "quoted" $HOME\nand: more`;
    }),
  ],
  [
    'names that look like other things',
    preset('demo', (config) => {
      config.name = '007';
      config.policy.model = 'true';
      config.supervision.model = 'null';
    }),
  ],
  [
    'a path with a space',
    preset('workstation', (config) => {
      config.policy.model = '/models/my model (3B)';
    }),
  ],
  [
    'another gate',
    preset('demo', (config) => {
      config.supervision.phases = { task: 0, plan: 0.05, thought: 1, output: 0.3, exec: 1e-3 };
    }),
  ],
  [
    'a KL term where there was none, and a null',
    preset('azr-master', (config) => {
      config.train.kl = { coefficient: 0.01, estimator: 'k3' };
      config.train.dualClip = null;
    }),
  ],
  [
    'an adapter in the place of every parameter',
    preset('workstation', (config) => {
      config.train.lora = { rank: 16, alpha: 32, targets: 'attention' };
    }),
  ],
  [
    'lists',
    preset('demo', (config) => {
      Object.assign(config.framework, { taskTypes: ['deduction'], bannedModules: [] });
      config.supervision.fixedContext = ['Trace every step.', 'a, b: [c] # d'];
    }),
  ],
  [
    'settings of its own',
    preset('demo', (config) => {
      config.framework = fixedTasksConfigSchema.parse({
        name: 'fixed-tasks',
        tasks: '/data/tasks file.jsonl',
      });
    }),
  ],
  [
    'a person in the loop',
    runConfigSchema.parse({
      ...PRESETS.demo,
      supervision: { ...PRESETS.demo.supervision, human: { share: 0.2 } },
    } satisfies RunConfigInput),
  ],
];

/** Without the key a run asks of every plan, as with it. */
const inFull = (config: RunConfig): unknown => ({
  ...config,
  supervision: { nothingToCompare: 'ask', ...config.supervision },
});

describe('the command line of a configuration', () => {
  it.each(ODD)('starts the same run in a terminal: %s', (_what, config) => {
    expect(inFull(configOf(commandOf(config)))).toEqual(inFull(config));
  });

  it('of a run that asked of every plan, before its preset did otherwise, says so', () => {
    const before = preset('demo');
    delete before.supervision.nothingToCompare;
    expect(commandOf(before)).toBe('anchor run --preset demo --set supervision.nothingToCompare=ask');
  });

  it('names nothing but what differs from the preset', () => {
    expect(commandOf(preset('demo'))).toBe('anchor run --preset demo');
    expect(
      commandOf(
        preset('demo', (config) => {
          config.steps = 8;
          config.supervision.phases.exec = 1;
        }),
      ),
    ).toBe('anchor run --preset demo --set steps=8 --set supervision.phases.exec=1');
  });
});

describe('a configuration as YAML', () => {
  it.each(ODD)('reads back to the same: %s', (_what, config) => {
    expect(configFromYaml(configToYaml(config))).toEqual(config);
  });

  it('is short: what has its default is left out', () => {
    expect(configToYaml(runConfigSchema.parse({ name: 'short', steps: 3 }))).toBe(
      'name: short\npreset: custom\nseed: 1\nsteps: 3\n',
    );
  });

  it.each([
    ['no mapping', '- a\n- b', /must hold keys and values/],
    ['no YAML', 'a: [1', /not valid YAML/],
    ['an unknown key', 'azr:\n  batchsize: 3', /unknown key "framework.batchsize"/],
    [
      'a value out of range',
      'supervision:\n  phases: { task: 2, plan: 0, thought: 0, output: 0, exec: 0 }',
      /"supervision.phases.task" in line 2 is not valid: it must be at most 1\./,
    ],
  ])('is refused with a sentence when it is %s', (_what, text, sentence) => {
    expect(() => configFromYaml(text)).toThrow(sentence);
  });

  it('with some of the probabilities takes the others from the preset it names, else from the defaults', () => {
    const phases = (text: string): unknown => configFromYaml(text).supervision.phases;
    const { plan: _, ...others } = runConfigSchema.parse(PRESETS.demo).supervision.phases;
    expect(phases('preset: demo\nsupervision:\n  phases: { plan: 0.9 }\n')).toEqual({ plan: 0.9, ...others });
    expect(phases('supervision: { phases: { plan: 0.9 } }')).toEqual({
      task: 0,
      plan: 0.9,
      thought: 0,
      output: 0,
      exec: 0,
    });
  });

  it('is refused with everything that is wrong in the order of its lines', () => {
    const text = [
      'preset: demo',
      'steps: zero',
      'azr:',
      '  batchsize: 1',
      'train:',
      '  learningRate: 1e9',
      '  momentum: 3',
      'evaluation:',
      '  every: 5',
    ].join('\n');
    expect(() => configFromYaml(text)).toThrow(
      'The configuration has 5 things to correct: line 2: "steps" is not valid: it must be a number; line 4: unknown key "framework.batchsize"; line 6: "train.learningRate" is not valid: it is at most 1, because AdamW moves every weight by about the learning rate, and weights are smaller than 1; line 7: unknown key "train.momentum"; line 8: a value for "evaluation.suites" is missing: it must be a list.',
    );
    expect(() => configFromYaml('steps: 3\nstep: 4')).toThrow('unknown key "step" in line 2;');
  });

  it('says the line of a file only of what stands in the file', () => {
    const file = join(folder, 'run.yaml');
    writeFileSync(file, 'seed: 1\nsteps: 3\ntrain:\n  epochs: 0\n');
    expect(() => buildRunConfig({}, file, ['steps=zero'])).toThrow(
      'correct: "steps" is not valid: it must be a number; line 4: "train.epochs" is not valid: it must be above 0.',
    );
  });
});
