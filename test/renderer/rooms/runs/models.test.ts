import { describe, expect, it } from 'vitest';
import { runConfigSchema, type RunConfig, type RunCurve } from '../../../../electron/contract/index.ts';
import { english, type MessageId, type MessageValues } from '../../../../renderer/i18n/catalogue.tsx';
import {
  bands,
  compareSearch,
  lines,
  runLabels,
  sections,
  setUpLabels,
} from '../../../../renderer/rooms/runs/model/compare.ts';
import { demoConfigs, demoDefaults } from '../../../../electron/experiments/demo/demo.ts';
import { comparedScores, configRows, setUps } from '../../../../electron/figures/index.ts';
import { groupCount, parseFilter, runsSearch } from '../../../../renderer/rooms/runs/model/filter.ts';

describe('the filter of the list', () => {
  it.each([
    ['', {}],
    ['status:running', { states: ['setting-up', 'stepping', 'pausing'] }],
    ['status:done state:queued', { states: ['done', 'queued'] }],
    [
      'model:7b sup:>0 step:>=10 seed:3',
      {
        model: '7b',
        supervision: { is: '>', value: 0 },
        step: { is: '>=', value: 10 },
        seed: { is: '=', value: 3 },
      },
    ],
    ['sup:<=0.25', { supervision: { is: '<=', value: 0.25 } }],
    [
      'tag:"figure 2" reviewer:rubric framework:fixed-tasks preset:demo',
      { tag: 'figure 2', reviewer: 'rubric', framework: 'fixed-tasks', preset: 'demo' },
    ],
    ['is:archived', { archived: 'only' }],
    ['is:any', { archived: 'all' }],
    ['first light "in one go"', { words: ['first', 'light', 'in one go'] }],
    ['MODEL:Qwen', { model: 'Qwen' }],
  ])('the filter reads %s', (text, filter) => {
    expect(parseFilter(text)).toEqual({ filter, problems: [] });
  });

  it.each([
    'status:sleeping',
    'sup:often',
    'sup:',
    'colour:red',
    'is:gone',
    'framework:ppo',
    'step:>',
    'seed:-1',
  ])('says that %s means nothing instead of ignoring it', (term) => {
    expect(parseFilter(`keep ${term}`)).toEqual({ filter: { words: ['keep'] }, problems: [term] });
  });

  it('a state group counts the runs of all its states', () => {
    expect([
      groupCount('running', { stepping: 2, pausing: 1, done: 9 }),
      groupCount('finished', { done: 9 }),
      groupCount('failed', {}),
    ]).toEqual([3, 9, 0]);
  });
});

describe('addresses', () => {
  it('the address of the list survives nonsense and keeps a number that was searched for', () => {
    expect(runsSearch.parse({ q: 42, by: 'colour', picked: 'a,,b,a', state: 'asleep' })).toEqual({
      q: '42',
      by: 'created',
      order: 'down',
      picked: ['a', 'b'],
      state: undefined,
    });
  });

  it('the address of a comparison names each run once', () => {
    expect(compareSearch.parse({ runs: 'b,a,b', axis: 'tokens', measure: 'nothing' })).toMatchObject({
      runs: ['b', 'a'],
      axis: 'tokens',
      measure: 'passRate',
      show: 'different',
    });
  });
});

describe('comparing configurations', () => {
  const one = runConfigSchema.parse({ name: 'one', seed: 1 });
  const other = runConfigSchema.parse({
    name: 'other',
    seed: 2,
    train: { kl: { coefficient: 0.1, estimator: 'k3' } },
    supervision: { phases: { task: 0, plan: 0, thought: 0.3, output: 0, exec: 0 }, human: {} },
  });

  it('a comparison finds the keys that differ, folds those that always do, and shows what only one run has', () => {
    const different = configRows([one, other]).filter(({ differs }) => differs);
    expect(different.filter(({ folded }) => folded).map(({ path }) => path.join('.'))).toEqual([
      'name',
      'seed',
    ]);
    expect(
      different.filter(({ folded }) => !folded).map(({ path, values }) => [path.join('.'), values]),
    ).toEqual([
      ['train.kl', ['not set', null]],
      ['supervision.phases.thought', ['0', '0.3']],
      ['train.kl.coefficient', [null, '0.1']],
      ['train.kl.estimator', [null, 'k3']],
      ['supervision.human.share', [null, '0.1']],
      ['supervision.human.timeoutSeconds', [null, '300']],
      ['supervision.human.fallback', [null, 'model']],
    ]);
  });

  it('a comparison tells runs of one name apart by day, minute or id, and leaves other names alone', () => {
    const named = (id: string, name: string, at: string) => ({
      run: { id, createdAt: `2026-11-${at}:00`, config: { name } },
    });
    const labelsOf = (...runs: ReturnType<typeof named>[]) => [...runLabels(runs).values()];
    const [a, b] = [named('a', 'demo', '20T12:00'), named('b', 'demo', '21T12:00')];
    expect(labelsOf(a, b, named('c', 'alone', '20T12:00'))).toEqual([
      'demo · 20 Nov 2026',
      'demo · 21 Nov 2026',
      'alone',
    ]);
    expect(labelsOf(a, named('d', 'demo', '20T12:07'))).toEqual([
      'demo · 20 Nov 2026, 12:00',
      'demo · 20 Nov 2026, 12:07',
    ]);
    expect(labelsOf(a, named('e', 'demo', '20T12:00'))).toEqual(['demo · a', 'demo · e']);
  });

  it('a comparison keeps nested keys under their section', () => {
    const names = sections(configRows([one])).map(({ section }) => section);
    expect(names).toEqual([
      '',
      'framework',
      'policy',
      'generation',
      'train',
      'rewardedPrompts',
      'supervision',
      'sandbox',
      'checkpoints',
    ]);
  });
});

/** The catalogue's text with its values in place. */
const t = (id: MessageId, values: MessageValues = {}): string =>
  english[id].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

describe('runs that are the same but for their seed', () => {
  const demo = demoDefaults('azr');
  const arms = (options: Partial<typeof demo> = {}) => demoConfigs({ ...demo, ...options });
  const told = (configs: readonly RunConfig[]): string[] => [
    ...setUpLabels(
      t,
      configs.map((config, index) => ({ run: { id: String(index), config } })),
    ).values(),
  ];
  const [first, second] = [arms({ seed: 1 }), arms({ seed: 2 })];
  const { supervised } = first;

  it('are one set-up each, whatever they are called, and those of the other arm another', () => {
    const configs = [supervised, first.alone, second.supervised, { ...second.alone, name: 'again' }];
    expect(setUps(configs)).toEqual([0, 1, 0, 1]);
    expect(told(configs)).toEqual([
      'supervised up to 0.3',
      'unsupervised',
      'supervised up to 0.3',
      'unsupervised',
    ]);
  });

  it('are no more one where anything else differs that they were told, and are called by it', () => {
    const others: RunConfig[] = [
      demoConfigs({ ...demoDefaults('rzero'), seed: 2 }).supervised,
      arms({ seed: 2, steps: demo.steps + 1 }).supervised,
      { ...second.supervised, supervision: { ...supervised.supervision, reviewer: 'rubric' } },
      { ...second.supervised, policy: { ...supervised.policy, model: '/models/Coder-3B' } },
      {
        ...second.supervised,
        supervision: {
          ...supervised.supervision,
          phases: { ...supervised.supervision.phases, exec: 0 },
        },
      },
    ];
    for (const other of others) {
      expect(setUps([supervised, second.supervised, other])).toEqual([0, 0, 1]);
      const [one, same, different] = told([supervised, second.supervised, other]);
      expect(same).toBe(one);
      expect(different).not.toBe(one);
    }
    const labels = told([supervised, second.supervised, ...others]);
    expect(labels[0]).toBe(labels[1]);
    expect(new Set(labels).size).toBe(1 + others.length);
    expect(told([supervised, others[2]!])).toEqual([
      'supervised up to 0.3 · reviewer llama',
      'supervised up to 0.3 · reviewer rubric',
    ]);
  });
});

const curve = (runId: string, hours: number[], values: number[]): RunCurve => ({
  runId,
  step: hours.map((_, index) => index + 1),
  hours,
  reviews: hours,
  tokens: hours,
  values,
});

describe('curves over each other', () => {
  it('compared curves are drawn over the chosen axis', () => {
    const [line] = lines([curve('a', [0.5, 1], [1, 2])], 'hours', () => 'A');
    expect(line).toMatchObject({ id: 'a', label: 'A', x: [0.5, 1], y: [1, 2] });
  });

  it('a group is drawn as median and range, as far as all of its runs reach', () => {
    const [band] = bands(
      [curve('a', [0, 10], [0, 10]), curve('b', [0, 10], [10, 20]), curve('c', [2, 6], [5, 5])],
      'hours',
      () => 'all',
    );
    expect([band?.runs, band?.x[0], band?.x.at(-1)]).toEqual([3, 2, 6]);
    expect([band?.low[0], band?.middle[0], band?.high[0]]).toEqual([2, 5, 12]);
    expect([band?.low.at(-1), band?.middle.at(-1), band?.high.at(-1)]).toEqual([5, 6, 16]);
  });

  it('scores of a run are a pair with intervals; those of a group are a median over the steps all were asked at, and its range', () => {
    const scored = (runId: string, shares: Record<number, number>, contextHash: string | null = null) => ({
      runId,
      scores: Object.entries(shares).map(([step, share]) => ({
        id: `${runId} ${step}`,
        suite: 's',
        step: Number(step),
        passed: share * 10,
        n: 10,
        overridden: 0,
        contextHash,
        isOwnContext: true,
        interval: { low: share - 0.1, high: share + 0.1 },
      })),
    });
    const draw = (runs: Parameters<typeof comparedScores>[0], groupOf: (id: string) => string) =>
      comparedScores(
        runs,
        's',
        (runId, step) => (runId === 'gone' ? null : step * 2),
        groupOf,
        (group, n, told) => `${group} ${n}${told ? ' + C' : ''}`,
      );
    const both = { ...scored('a', { 0: 0.5, 4: 0.2 }) };
    both.scores.push(...scored('a', { 4: 0.9 }, 'c').scores);
    expect(draw([both], (id) => id).map(({ label, x, y, look }) => [label, x, y, look])).toEqual([
      ['a 1', [0, 8], [0.5, 0.2], { color: 0, dash: 0 }],
      ['a 1 + C', [8], [0.9], { color: 0, dash: 1 }],
    ]);
    const [group] = draw(
      [
        scored('a', { 0: 0.5, 4: 0.2 }),
        scored('b', { 0: 0.5, 2: 0.4, 4: 0.6 }),
        scored('c', { 0: 0.5, 4: 0.3 }),
      ],
      () => 'all',
    );
    expect(group).toMatchObject({
      label: 'all 3',
      x: [0, 8],
      y: [0.5, 0.3],
      band: { low: [0.5, 0.2], high: [0.5, 0.6] },
    });
    expect(draw([scored('gone', { 0: 0.5 })], (id) => id)[0]?.x).toEqual([]);
  });

  it('runs without a value make no band', () => {
    expect(bands([curve('a', [], [])], 'step', () => 'all')).toEqual([]);
  });
});
