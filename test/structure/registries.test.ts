import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  codeBatchName,
  CODE_TASK_TYPES,
  FRAMEWORKS,
  REVIEWER_KINDS,
  type CodeTaskType,
} from '../../electron/contract/index.ts';
import { SUITES } from '../../electron/evaluation/index.ts';
import { definitionOf } from '../../electron/evolution/code-tasks/task-types/registry.ts';
import { frameworkOf } from '../../electron/evolution/index.ts';
import { reviewerMaker } from '../../electron/supervision/index.ts';
import { mentionsEverywhere, mentionsIn, type Kind } from './name-rule.ts';

const electron = join(import.meta.dirname, '../../electron');

const TASK_TYPES: Kind = {
  what: 'task type',
  names: CODE_TASK_TYPES,
  folder: (name) => `evolution/code-tasks/task-types/${name}`,
  registries: ['contract/names.ts', 'evolution/code-tasks/task-types/registry.ts'],
  aliases: (name) => [
    `propose-${name}`,
    `solve-${name}`,
    codeBatchName('propose', name as CodeTaskType),
    codeBatchName('solve', name as CodeTaskType),
    codeBatchName('solve', name as CodeTaskType).slice('pred_'.length),
  ],
  ordinary: { names: ['error'], comparedWith: /task_?type/i },
  exceptions: {
    'experiments/study': 'the published study says which it compares',
    'evaluation/suites': 'a suite asks the questions of a task type',
    'store/migrations': 'what was released is never edited',
  },
};
const BUNDLED_SUITES: Kind = {
  what: 'suite',
  names: SUITES.map(({ name }) => name),
  folder: () => 'evaluation/suites/toy',
  registries: ['evaluation/registry.ts'],
  aliases: (name) => SUITES.filter((suite) => suite.name === name).map(({ file }) => file),
  exceptions: {
    'contract/runs/indicators.ts': 'which of them stand for an indicator in lists of runs',
    'experiments/study': 'the published study says which it compares',
  },
};
const REVIEWERS: Kind = {
  what: 'reviewer',
  names: REVIEWER_KINDS,
  folder: (name) => `supervision/reviewers/${name}`,
  registries: ['contract/names.ts', 'supervision/reviewers/registry.ts'],
  exceptions: {
    'experiments/study': 'the published study says which it compares',
    'supervision/index.ts': 'the door of the room',
    'supervision/raw-item.ts': 'the rubric labels the training records of the embedded supervisor',
    'supervision/findings.ts': 'which facts state what the rubric would name',
    'supervision/reviewers/llama/judge.ts': 'what the rubric computes, a judge words',
    'supervision/reviewers/llama/index.ts': 'what nobody is asked for, the rubric adds',
    'contract/runs/supervision-config.ts': 'the default',
    'cli/commands/demo.ts': 'the default of the demo',
    'store/migrations': 'what was released is never edited',
    'processes/supervisor': 'the library of that name',
  },
};
const FRAMEWORK_FOLDERS: Kind = {
  what: 'framework',
  names: FRAMEWORKS,
  folder: (name) => `evolution/frameworks/${name}`,
  registries: ['contract/frameworks/index.ts', 'evolution/frameworks/registry.ts'],
  exceptions: {
    'contract/frameworks/azr.ts': 'its settings',
    'contract/frameworks/fixed-tasks.ts': 'its settings',
    'contract/frameworks/rzero.ts': 'its settings',
    'contract/frameworks/rzero-view.ts': 'what is to be seen of its runs',
    'contract/runs/older-config.ts': 'configurations of the time when there were two',
    'evaluation/code/livecodebench': 'a protocol of that name: how its models are asked',
    'evaluation/maths': 'the same',
    'evaluation/suites/imported': 'the same',
    'experiments/study': 'the published study says which it compares',
    'store/migrations': 'what was released is never edited',
  },
};
const KINDS = [TASK_TYPES, BUNDLED_SUITES, REVIEWERS, FRAMEWORK_FOLDERS];

describe.each(KINDS.map((kind) => [kind.what, kind] as const))('a %s', (_, kind) => {
  it('is named in its folder and in its registry and nowhere else', () => {
    expect(mentionsEverywhere(kind, electron)).toEqual([]);
  });
  it('is exempt from that only in places that exist', () => {
    for (const place of [...kind.registries, ...Object.keys(kind.exceptions ?? {})])
      expect(existsSync(join(electron, place)), place).toBe(true);
  });
});

it.each([TASK_TYPES, REVIEWERS, FRAMEWORK_FOLDERS])('a $what has a folder of its own', (kind) => {
  for (const name of kind.names)
    expect(existsSync(join(electron, kind.folder(name), 'index.ts')), name).toBe(true);
});

describe('the rule', () => {
  it.each<[string, string, string, Kind]>([
    ['deduction', 'evolution/loop/step.ts', `if (taskType === 'deduction') go();`, TASK_TYPES],
    ['error', 'evolution/loop/step.ts', `if (planned.taskType === 'error') go();`, TASK_TYPES],
    ['error', 'evolution/loop/step.ts', `switch (task.taskType) { case 'error': go(); }`, TASK_TYPES],
    ['induction', 'evolution/loop/step.ts', `const weights = { induction: 2 };`, TASK_TYPES],
    ['error', 'cli/show.ts', `const name = 'gen_code_e';`, TASK_TYPES],
    ['error', 'evolution/code-tasks/prompts.ts', `pack.render('solve-error', {})`, TASK_TYPES],
    [
      'error',
      'evolution/code-tasks/prompts.ts',
      `import { error } from './task-types/error/index.ts';`,
      TASK_TYPES,
    ],
    [
      'deduction',
      'evolution/code-tasks/task-types/abduction/index.ts',
      `import { deduction } from '../deduction/index.ts';`,
      TASK_TYPES,
    ],
    ['toy-error', 'engine/demo.ts', `SUITES.filter(({ name }) => name !== 'toy-error')`, BUNDLED_SUITES],
    ['checklist', 'engine/reviewer.ts', `if (kind === 'checklist') go();`, REVIEWERS],
    [
      'fixed-tasks',
      'evolution/loop/step.ts',
      `if (config.framework.name === 'fixed-tasks') go();`,
      FRAMEWORK_FOLDERS,
    ],
    ['azr', 'evolution/loop/step.ts', `if (config.framework.name === 'azr') go();`, FRAMEWORK_FOLDERS],
  ])('catches %s in %s: %s', (name, file, source, kind) => {
    expect(mentionsIn(kind, file, source)).toContainEqual({ file, names: name });
  });
  it('lets a word be a word', () => {
    expect(
      mentionsIn(
        TASK_TYPES,
        'evolution/loop/step.ts',
        `if (call.status === 'error') throw new Error('no deduction'); // deduction`,
      ),
    ).toEqual([]);
  });
});

describe('a registry', () => {
  it('gives each name the entry that calls itself so', () => {
    expect(CODE_TASK_TYPES.map((name) => definitionOf(name).name)).toEqual(CODE_TASK_TYPES);
    expect(FRAMEWORKS.map((name) => frameworkOf({ name }).name)).toEqual(FRAMEWORKS);
    expect(REVIEWER_KINDS.map((name) => reviewerMaker(name).kind)).toEqual(REVIEWER_KINDS);
    expect(new Set(SUITES.map(({ name }) => name)).size).toBe(SUITES.length);
  });
});
