// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  everyPhase,
  FRAMEWORKS,
  OFFERED_LORA,
  TRAIN_METHODS,
  type Job,
  runConfigSchema,
} from '../../../../electron/contract/index.ts';
import { AZR_PRESETS as PRESETS } from '../../../../electron/evolution/frameworks/azr/presets.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import type { Only } from '../../../../renderer/rooms/new-run/model/draft.ts';
import type { Estimate, MethodPlan } from '../../../../renderer/rooms/new-run/model/estimate.ts';
import { entriesOf, RUN_ENTRIES } from '../../../../renderer/rooms/new-run/model/schema.ts';
import { valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';
import { EstimatePanel } from '../../../../renderer/rooms/new-run/parts/estimate-panel.tsx';
import { ModelPicker } from '../../../../renderer/rooms/new-run/parts/field.tsx';
import { ParameterList } from '../../../../renderer/rooms/new-run/parts/parameter-list.tsx';
import { PhaseEditor } from '../../../../renderer/rooms/new-run/parts/phase-editor.tsx';
import { SupervisionCost } from '../../../../renderer/rooms/new-run/steps/supervision-step.tsx';
import { PlanActions } from '../../../../renderer/rooms/new-run/plan-frame.tsx';
import { BaseStep, TrainingStep } from '../../../../renderer/rooms/new-run/steps/base-step.tsx';
import { EvaluationStep } from '../../../../renderer/rooms/new-run/steps/evaluation-step.tsx';
import { ReviewStep } from '../../../../renderer/rooms/new-run/steps/review-step.tsx';
import { show } from '../../ui/show.tsx';
import { demo, now, WithFields } from './with-fields.tsx';

afterEach(cleanup);

const UNASKED = { methods: null, isAsking: false, problem: null, onAsk: () => {} };
const measured = (value: number) => ({
  value,
  source: 'measured' as const,
  from: { kind: 'run' as const, runId: 'r', name: 'alone' },
  at: '2026-11-20T10:00:00.000Z',
  n: 8,
  load: null,
});
const estimate: Estimate = {
  trained: 64,
  proposals: 24,
  mostEstimates: 96,
  items: { task: 24, plan: 64, thought: 64, output: 40, exec: 8 },
  plans: measured(1),
  thoughts: measured(0.5),
  reviewSeconds: {
    task: measured(0.1),
    plan: measured(0.1),
    thought: measured(0.2),
    output: measured(0.1),
    exec: measured(0.5),
  },
  waited: null,
  load: null,
  stepSeconds: measured(10),
  stages: [],
  checkpointBytes: measured(30e6),
  checkpointsKept: 5,
  firstCheckpointBytes: 30e6,
  memory: {
    trainer: measured(700e6),
    supervisor: { value: 150e6, source: 'estimated', from: { kind: 'rule' }, at: null, n: 0, load: null },
    totalBytes: 25e9,
    freeBytes: 15e9,
  },
  freeDiskBytes: 70e9,
  cores: 8,
};

describe('what supervision costs', () => {
  const said = (p: number, known: Estimate = estimate, change: object = {}): string => {
    const config = runConfigSchema.parse({ supervision: { phases: everyPhase(p), ...change } });
    const { container } = show(
      <SupervisionCost config={config} estimate={known} now={new Date('2026-11-20T11:00:00.000Z')} />,
    );
    const text = container.textContent ?? '';
    cleanup();
    return text;
  };
  const untimed = {
    ...estimate,
    reviewSeconds: { task: null, plan: null, thought: null, output: null, exec: null },
  };

  it('is the reviews to expect with their sum, the time of one with where it was measured, and what they add', () => {
    const text = said(0.5);
    expect(text).toContain('Reviews to expect84');
    expect(text).toContain(
      'task 0.5 × 24 + plan 0.5 × 64 + thought 0.5 × 64 × 0.50 + output 0.5 × 40 + exec 0.5 × 8 = 84',
    );
    expect(text).toMatch(/Time of a review138 msmeasured.*alone/);
    expect(text).toContain('Added to a step1.6 s – 12 s');
    expect(text).toContain('No run of this kind has told');
    expect(said(1)).toContain('Reviews to expect168');
  });

  it('is the number of reviews alone where no review was timed here, with what would time one', () => {
    const text = said(0.5, untimed, { model: 'judge.gguf' });
    expect(text).toContain('Reviews to expect84');
    expect(text).toContain('not measured on this machine yet');
    expect(text).toContain('“anchor judge probe judge.gguf” measures it');
    expect(text).toContain('Added to a stepnot measured yet');
    // A model that only words lines is no judge to be probed.
    expect(said(0.5, untimed, { reviewer: 'rubric', merge: 'model' })).not.toContain('anchor judge probe');
  });

  it('names the judge probe it goes by', () => {
    const probed = { ...measured(2), from: { kind: 'judge-probe' as const }, n: 120 };
    const text = said(0.5, {
      ...estimate,
      reviewSeconds: { task: probed, plan: probed, thought: probed, output: probed, exec: probed },
    });
    expect(text).toContain('2.0 smeasured, 120 reviews of the judge probe');
  });

  it('is nothing where nothing is reviewed', () => {
    expect(said(0)).toBe('');
  });
});

describe('the phase editor', () => {
  const editor = () =>
    show(
      <WithFields>
        {(fields) => (
          <PhaseEditor
            fields={fields}
            estimate={estimate}
            runs={[{ id: 'r', name: 'earlier', phases: { ...everyPhase(0), exec: 0.7 } }]}
          />
        )}
      </WithFields>,
    );
  const values = (): number[] =>
    screen.getAllByRole('slider').map((slider) => Number(slider.getAttribute('aria-valuenow')));

  it('the phase editor has a slider and a number for each of the five, with what the supervisor sees and what it comes to', () => {
    editor();
    expect(screen.getAllByRole('slider').map((slider) => slider.getAttribute('aria-label'))).toEqual(
      ['Task', 'Plan', 'Thought', 'Answer text (output)', 'Verifier result (exec)'].map(
        (name) => `Review probability of ${name}`,
      ),
    );
    expect(values()).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
    expect(screen.getByText('≈ 19 reviews/step')).toBeTruthy();
    expect(screen.getByText('of 64 items, 50 % write one')).toBeTruthy();
    expect(screen.getByText(/No single verdict/)).toBeTruthy();
  });

  it('a slider moves with the arrow keys, and its number and reviews with it', () => {
    editor();
    fireEvent.keyDown(screen.getAllByRole('slider')[0] as HTMLElement, { key: 'ArrowRight' });
    expect(valueAt(now(), 'supervision.phases.task')).toBeCloseTo(0.35, 9);
    expect((screen.getByLabelText('Review probability of Task, as a number') as HTMLInputElement).value).toBe(
      '0.35',
    );
    expect(screen.getByText('≈ 8.4 reviews/step')).toBeTruthy();
  });

  it('one probability moves all five where they are held together', () => {
    editor();
    fireEvent.click(screen.getByLabelText('Same for all phases'));
    fireEvent.change(screen.getByLabelText('Review probability of Plan, as a number'), {
      target: { value: '0.55' },
    });
    expect(values()).toEqual([0.55, 0.55, 0.55, 0.55, 0.55]);
  });

  it('holding them together makes them one at once, and lasts while a person is at another step of the plan', () => {
    const { unmount } = editor();
    const together = (): HTMLInputElement => screen.getByLabelText('Same for all phases');
    if (together().checked) fireEvent.click(together());
    fireEvent.change(screen.getByLabelText('Review probability of Task, as a number'), {
      target: { value: '0.6' },
    });
    fireEvent.click(together());
    expect(values()).toEqual([0.6, 0.6, 0.6, 0.6, 0.6]);
    unmount();
    editor();
    expect(together().checked).toBe(true);
    fireEvent.click(together());
  });

  it('a wrong probability stays in its box, with what is wrong about it', () => {
    editor();
    fireEvent.change(screen.getByLabelText('Review probability of Task, as a number'), {
      target: { value: '1.4' },
    });
    expect(screen.getByText('It must be at most 1.')).toBeTruthy();
    expect((screen.getByLabelText('Review probability of Task, as a number') as HTMLInputElement).value).toBe(
      '1.4',
    );
  });

  it.each([
    ['Off', [0, 0, 0, 0, 0]],
    ['All 1.0', [1, 1, 1, 1, 1]],
    ['Middle, 0.4', [0.4, 0.4, 0.4, 0.4, 0.4]],
    ['Exec only', [0, 0, 0, 0, 1]],
  ])('the preset %s sets all five probabilities', (name, wanted) => {
    editor();
    fireEvent.click(screen.getByRole('button', { name }));
    expect(values()).toEqual(wanted);
    expect(screen.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true');
  });

  it('the phase editor leaves one phase out, and takes over the probabilities of a run', () => {
    editor();
    fireEvent.click(screen.getByRole('button', { name: /Leave one out/ }));
    fireEvent.click(screen.getByRole('menuitem', { name: 'Without Thought' }));
    expect(values()).toEqual([0.3, 0.3, 0, 0.3, 0.3]);
    fireEvent.click(screen.getByRole('button', { name: /From a run/ }));
    fireEvent.click(screen.getByRole('menuitem', { name: /earlier/ }));
    expect(values()).toEqual([0, 0, 0, 0, 0.7]);
  });
});

describe('a field', () => {
  it('a field says at once what is wrong, that it was changed and from what, and goes back', () => {
    show(
      <WithFields>{(fields) => <TrainingStep fields={fields} config={null} methods={UNASKED} />}</WithFields>,
    );
    const steps = screen.getByLabelText('Steps');
    fireEvent.change(steps, { target: { value: '0' } });
    expect(screen.getByText('It must be above 0.')).toBeTruthy();
    expect(screen.getByText('Changed; was 24')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Set Steps back to 24' }));
    expect((steps as HTMLInputElement).value).toBe('24');
    expect(screen.queryByText('It must be above 0.')).toBeNull();
  });

  it('a field cannot be changed in a plan that may differ in its gate only', () => {
    show(
      <WithFields only="gate">
        {(fields) => <TrainingStep fields={fields} config={null} methods={UNASKED} />}
      </WithFields>,
    );
    expect((screen.getByLabelText('Steps') as HTMLInputElement).disabled).toBe(true);
  });
});

describe('the ways to train', () => {
  const planOfMethod = (needed: number, free: number): MethodPlan['plan'] => ({
    fits: needed <= free,
    device: 'cpu',
    freeBytes: free,
    neededBytes: needed,
    phases: { rollout: { weights: needed / 2 }, update: { weights: needed }, optimizer: { weights: needed } },
    maxConcurrent: 12,
    rows: 12,
    gradCheckpoint: true,
    offloads: false,
    disk: { first: needed, each: needed / 2, parked: 0 },
    obstacle: null,
    suggestions: [],
  });
  const methodsFor = (free: number): MethodPlan[] => {
    const needs = [16e9, 12e9, 10e9, 6e9, 4e9, 2e9, 1.5e9];
    const suggested = needs.findIndex((needed) => needed <= free);
    return TRAIN_METHODS.map((method, at) => ({
      method,
      plan: {
        ...planOfMethod(needs[at] ?? 0, free),
        obstacle: method.precision === 'nf4' ? 'nf4 needs a library.' : null,
      },
      stepSeconds: at === 0 ? measured(95) : null,
      isSuggested: at === suggested,
    }));
  };
  const table = (free: number, only: Only = null) =>
    show(
      <WithFields only={only}>
        {(fields) => (
          <TrainingStep
            fields={fields}
            config={runConfigSchema.parse(now())}
            methods={{ ...UNASKED, methods: methodsFor(free) }}
          />
        )}
      </WithFields>,
    );

  it('are compared when somebody asks, since a trainer is started for it', () => {
    const onAsk = vi.fn();
    show(
      <WithFields>
        {(fields) => (
          <TrainingStep
            fields={fields}
            config={runConfigSchema.parse(demo)}
            methods={{ ...UNASKED, onAsk, problem: 'There is no model "x".' }}
          />
        )}
      </WithFields>,
    );
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.getByRole('alert').textContent).toBe('There is no model "x".');
    fireEvent.click(screen.getByRole('button', { name: 'Compare on this machine' }));
    expect(onAsk).toHaveBeenCalledOnce();
  });

  it('stand with memory by phase, disk and time, and with why one is suggested', () => {
    table(11e9);
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      'Every parameter, float32needs 16.0 GB, 11.0 GB free8.0 GB16.0 GB16.0 GB8.0 GB1 min 35 smeasured',
      'Every parameter, bfloat16needs 12.0 GB, 11.0 GB free6.0 GB12.0 GB12.0 GB6.0 GBnot measured yet',
      'Every parameter, float32, moments in 8 bitssuggested5.0 GB10.0 GB10.0 GB5.0 GBnot measured yet',
      'Every parameter, bfloat16, moments in 8 bits3.0 GB6.0 GB6.0 GB3.0 GBnot measured yet',
      'An adapter of rank 16, float322.0 GB4.0 GB4.0 GB2.0 GBnot measured yet',
      'An adapter of rank 16, bfloat161.0 GB2.0 GB2.0 GB1.0 GBnot measured yet',
      'An adapter of rank 16, NF4nf4 needs a library.750 MB1.5 GB1.5 GB750 MBnot measured yet',
    ]);
    expect(
      screen.getByText(
        'Every parameter, float32, moments in 8 bits is the nearest that fits: Every parameter, bfloat16 would need 12.0 GB, and 11.0 GB are free.',
      ),
    ).toBeTruthy();
    cleanup();
    table(1e9);
    expect(screen.getByText(/None of them fits into the 1\.0 GB/)).toBeTruthy();
    cleanup();
    table(20e9);
    expect(screen.getByText(/fits into the 20\.0 GB that are free, so nothing/)).toBeTruthy();
  });

  it('are chosen by their row, which sets no more than the method', () => {
    table(11e9);
    fireEvent.click(screen.getByRole('radio', { name: /bfloat16, moments in 8 bits/ }));
    const before = runConfigSchema.parse(demo);
    expect(runConfigSchema.parse(now()).train).toEqual({
      ...before.train,
      precision: 'bfloat16',
      optimizer: 'adamw8bit',
    });
    fireEvent.click(screen.getByRole('radio', { name: /An adapter of rank 16, float32/ }));
    expect(runConfigSchema.parse(now()).train).toEqual({ ...before.train, lora: OFFERED_LORA });
    fireEvent.click(
      screen.getByRole('radio', { name: /Every parameter, float32needs|Every parameter, float32$/ }),
    );
    expect(runConfigSchema.parse(now())).toEqual(before);
    cleanup();
    table(11e9, 'gate');
    expect(screen.getAllByRole('radio').every((radio) => (radio as HTMLInputElement).disabled)).toBe(true);
  });
});

describe('the framework', () => {
  it('the framework brings its own fields to the training step, and no JSON is written to set it', () => {
    show(
      <WithFields>
        {(fields) => (
          <>
            <BaseStep
              fields={fields}
              presets={['demo']}
              preset="demo"
              onPreset={() => {}}
              policies={[]}
              frameworks={FRAMEWORKS}
              onLibrary={() => {}}
              isLocked={false}
            />
            <TrainingStep fields={fields} config={null} methods={UNASKED} />
          </>
        )}
      </WithFields>,
    );
    expect(screen.getByLabelText('Solutions per proposal')).toBeTruthy();
    expect(screen.queryByLabelText('Task file')).toBeNull();
    fireEvent.change(screen.getByLabelText('Framework'), { target: { value: 'fixed-tasks' } });
    expect(screen.queryByLabelText('Solutions per proposal')).toBeNull();
    fireEvent.change(screen.getByLabelText('Task file'), { target: { value: '/data/tasks.jsonl' } });
    fireEvent.change(screen.getByLabelText('Prompts per batch'), { target: { value: '5' } });
    expect(valueAt(now(), 'framework')).toMatchObject({
      name: 'fixed-tasks',
      tasks: '/data/tasks.jsonl',
      batchSize: 5,
    });
    expect(runConfigSchema.parse(now()).framework).toEqual(valueAt(now(), 'framework'));
    fireEvent.click(
      screen.getByRole('button', { name: 'Set Framework back to AZR: proposes its own tasks' }),
    );
    expect(now()).toEqual(demo);
  });
});

describe('every value of the schema', () => {
  it('every value of the schema is shown with its path, meaning and default, and found by word', () => {
    show(
      <WithFields>
        {(fields) => <ParameterList entries={fields.entries} fields={fields} searchable />}
      </WithFields>,
    );
    for (const entry of entriesOf(RUN_ENTRIES, demo))
      expect(screen.queryByText(entry.path) ?? screen.queryByLabelText(entry.path), entry.path).toBeTruthy();
    expect(screen.getByText(/Longest response\. Default 192/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Find a parameter'), { target: { value: 'penalty' } });
    expect(screen.queryByLabelText('framework.batchSize')).toBeNull();
    expect(screen.getByText('train.kl')).toBeTruthy();
  });

  it('values that come together are switched on and off together', () => {
    show(
      <WithFields>
        {(fields) => (
          <ParameterList entries={fields.entries.filter(({ path }) => path === 'train.kl')} fields={fields} />
        )}
      </WithFields>,
    );
    fireEvent.click(screen.getByLabelText('Use it'));
    expect(valueAt(now(), 'train.kl')).toEqual({ coefficient: 0.1, estimator: 'k1' });
    fireEvent.change(screen.getByLabelText('train.kl.coefficient'), { target: { value: '1e-3' } });
    expect(valueAt(now(), 'train.kl.coefficient')).toBe(0.001);
    expect((screen.getByLabelText('train.kl.coefficient') as HTMLInputElement).value).toBe('1e-3');
    fireEvent.click(screen.getByLabelText('Use it'));
    expect(valueAt(now(), 'train.kl')).toBeNull();
  });

  it('an adapter is switched on with its own values, edited, told to be wrong and switched off without a trace', () => {
    show(
      <WithFields>
        {(fields) => (
          <ParameterList
            entries={fields.entries.filter(({ path }) => path === 'train.lora')}
            fields={fields}
          />
        )}
      </WithFields>,
    );
    expect(screen.getByText(/^Trains a small adapter beside frozen weights \(LoRA\)/)).toBeTruthy();
    expect(screen.queryByLabelText('train.lora.rank')).toBeNull();
    fireEvent.click(screen.getByLabelText('Use it'));
    expect(valueAt(now(), 'train.lora')).toEqual({ rank: 64, alpha: 128, targets: 'all-linear' });
    fireEvent.change(screen.getByLabelText('train.lora.rank'), { target: { value: '16' } });
    const targets = screen.getByLabelText('train.lora.targets');
    expect([...(targets as HTMLSelectElement).options].map(({ text }) => text)).toEqual([
      'every linear layer',
      'attention alone',
    ]);
    fireEvent.change(targets, { target: { value: 'attention' } });
    expect(runConfigSchema.parse(now()).train.lora).toEqual({ rank: 16, alpha: 128, targets: 'attention' });
    fireEvent.change(screen.getByLabelText('train.lora.rank'), { target: { value: '2000' } });
    expect(screen.getByText('It must be at most 1024.')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Use it'));
    expect(valueAt(now(), 'train.lora')).toBeUndefined();
    expect(JSON.stringify(now())).toBe(JSON.stringify(demo));
  });
});

describe('models', () => {
  it('a model is picked from the library with what is known of it; one given by path stays', () => {
    const models = [
      { name: 'embedded-policy', parameters: 2.5e6, contextLength: 1024, bytes: 5e6, embedded: true },
      { name: 'coder', parameters: 7.6e9, contextLength: 32768, bytes: 15.2e9, embedded: false },
      { name: 'bare', parameters: null, contextLength: null, bytes: 5e6, embedded: false },
    ];
    const onLibrary = vi.fn();
    show(
      <WithFields>
        {(fields) => (
          <ModelPicker path="policy.model" models={models} fields={fields} onLibrary={onLibrary} />
        )}
      </WithFields>,
    );
    fireEvent.change(screen.getByLabelText('Policy'), { target: { value: 'bare' } });
    expect(screen.getByText(/^5\.0 MB ·/)).toBeTruthy(); // what is not known is left out
    fireEvent.change(screen.getByLabelText('Policy'), { target: { value: 'coder' } });
    expect(screen.getByText(/7\.6 B parameters, window of 32,768 tokens, 15\.2 GB/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Bring another model into the library' }));
    expect(onLibrary).toHaveBeenCalledOnce();
  });

  it('a GGUF file in the place of a policy names the command that makes one of it', () => {
    show(
      <WithFields>
        {(fields) => (
          <>
            <button onClick={() => fields.set('policy.model', '/m/judge.GGUF')}>set</button>
            <ModelPicker path="policy.model" models={[]} fields={fields} onLibrary={() => {}} />
          </>
        )}
      </WithFields>,
    );
    expect(screen.getByText(/Not in the library; given by path/)).toBeTruthy();
    fireEvent.click(screen.getByText('set'));
    expect(screen.getByText(/anchor import FILE\.gguf --policy FOLDER/)).toBeTruthy();
  });
});

describe('the estimate', () => {
  type Part = Partial<Parameters<typeof EstimatePanel>[0]>;
  const panel = (part: Part = {}) => show(estimatePanel(part));
  const estimatePanel = (part: Part) => (
    <EstimatePanel
      config={runConfigSchema.parse(PRESETS.demo)}
      estimate={estimate}
      problem={null}
      now={new Date('2026-11-20T10:41:00.000Z')}
      probe={null}
      atWork={0}
      memory={{ plan: null, isAsking: false, problem: null, onAsk: () => {} }}
      onProbe={() => {}}
      onCancelProbe={() => {}}
      {...part}
    />
  );

  it('the estimate tags each figure with where it comes from and how old it is', () => {
    panel();
    expect(screen.getAllByText('measured, 8 steps of “alone”, 41 min ago')).toHaveLength(3); // step, checkpoints, memory
    expect(screen.getByText('measured, reviews of “alone”, 41 min ago')).toBeTruthy();
    expect(screen.getByText(/from the paper: Table 2, 0.99 – 1.16 × per step/)).toBeTruthy();
    expect(screen.getByLabelText('Memory: trainer 700 MB, supervisor 150 MB, of 25.0 GB')).toBeTruthy();
  });

  it('the estimate says how busy the machine was as a time was measured, how busy it is now, and what the last run taught', () => {
    panel({
      estimate: {
        ...estimate,
        load: { others: 0.24, cores: 2 },
        stepSeconds: { ...measured(10), load: { others: 1.71, cores: 2 } },
        waited: { ...measured(0.385), n: 20, load: { others: 0.5, cores: 2 } },
      },
    });
    expect(screen.getByText('Everything else keeps 0.2 of 2 processors busy now.')).toBeTruthy();
    expect(
      screen.getByText(
        'measured, 8 steps of “alone”, 41 min ago; everything else kept 1.7 of 2 processors busy then',
      ),
    ).toBeTruthy();
    expect(
      screen.getByText(
        '38.5 % of the reviewing is waited for, the rest hidden behind generation and update, as in “alone”, the last run of this kind. Everything else kept 0.5 of 2 processors busy then.',
      ),
    ).toBeTruthy();
    expect(screen.queryByText(/expect the (lower|higher) figure/)).toBeNull();
  });

  it('the estimate never says that nothing is waited for and that the supervisor is', () => {
    // 168 reviews of 138 ms against a step of 10 s; the last run had few reviews and waited for none.
    const config = runConfigSchema.parse({ ...PRESETS.demo, supervision: { phases: everyPhase(1) } });
    const told = { ...estimate, waited: measured(0) };
    panel({ config, estimate: told });
    expect(
      screen.getByText(
        '56.9 % of the reviewing is waited for, the rest hidden behind generation and update; it was 0.0 % in “alone”, the last run of this kind.',
      ),
    ).toBeTruthy();
    expect(screen.getByText(/The supervisor needs 13 s longer than the rest of the step/)).toBeTruthy();
    expect(screen.getByText('Step').nextSibling?.textContent).toBe('23 s');
    expect(screen.getByText(/2\.32 ×/)).toBeTruthy();
    cleanup();
    show(<SupervisionCost config={config} estimate={told} now={new Date('2026-11-20T11:00:00.000Z')} />);
    expect(screen.getByText('Added to a step').nextSibling?.textContent).toBe('13 s');
    expect(screen.getByText(/^56\.9 % of the reviewing is waited for/)).toBeTruthy();
  });

  it.each([
    ['above the paper’s', 10, 1, '3.32 ×; above the paper’s'],
    ['partly above the paper’s', 60, null, '1.00 – 1.39 ×; partly above the paper’s'],
    ['as in the paper', 1000, 1, '1.02 ×; as in the paper'],
  ])('a ratio that is %s names the paper that it is measured against', (_, seconds, waited, text) => {
    panel({
      config: runConfigSchema.parse({ ...PRESETS.demo, supervision: { phases: everyPhase(1) } }),
      estimate: {
        ...estimate,
        stepSeconds: measured(seconds),
        waited: waited === null ? null : measured(waited),
      },
    });
    expect(screen.getByText('Against unsupervised').nextSibling?.textContent).toBe(text);
  });

  it('the estimate says which figure to expect by the processors that there are, where no run has told', () => {
    const sentence = (cores: number): string => {
      panel({ estimate: { ...estimate, cores } });
      const text = screen.getByText(/No run of this kind has told/).textContent ?? '';
      cleanup();
      return text;
    };
    expect(sentence(2)).toMatch(
      /: 0\.0\u00A0% to 100\.0\u00A0%, .*2 cores for 2 threads: expect the lower figure/,
    );
    expect(sentence(1)).toMatch(/1 core for 2 threads: expect the higher figure/);
  });

  it('the estimate shows the trainer’s plan of memory by phase when it is asked for', () => {
    const onAsk = vi.fn();
    const memory = { plan: null, isAsking: false, problem: null, onAsk };
    const { rerender } = panel({ memory });
    fireEvent.click(screen.getByRole('button', { name: 'By phase' }));
    expect(onAsk).toHaveBeenCalledOnce();
    const plan = {
      fits: true,
      device: 'cpu',
      freeBytes: 16e9,
      neededBytes: 11.2e9,
      phases: {
        load: { weights: 8e9 },
        rollout: { weights: 8e9, kv: 1e9 },
        update: { weights: 8e9, grads: 2.5e9, backward: 0.7e9 },
        save: { weights: 8e9 },
      },
      maxConcurrent: 12,
      rows: 12,
      gradCheckpoint: true,
      offloads: false,
      disk: { first: 6e9, each: 6e9, parked: 0 },
      obstacle: null,
      suggestions: [{ change: 'train.packTokens: 512', saves: 1e9 }],
    };
    rerender(estimatePanel({ memory: { ...memory, plan } }));
    expect(screen.getByLabelText('Memory: trainer 700 MB, supervisor 150 MB, of 25.0 GB')).toBeTruthy();
    const guessed = {
      ...estimate,
      memory: { ...estimate.memory, trainer: { ...estimate.memory.trainer!, source: 'estimated' as const } },
    };
    rerender(estimatePanel({ estimate: guessed, memory: { ...memory, plan } }));
    expect(screen.getByLabelText('Memory: trainer 11.2 GB, supervisor 150 MB, of 25.0 GB')).toBeTruthy();
    expect(screen.getByText('gradients').closest('li')?.textContent).toBe('gradients11.2 GB');
    expect(screen.getByText('gradients').closest('li')?.dataset['largest']).toBe('true');
    expect(screen.getByText('answering').closest('li')?.textContent).toBe('answering9.0 GB');
    expect(screen.getByText(/on the processor, 16\.0 GB are free/).textContent).toContain(
      'Memory for 12 of 48 rows at a time',
    );
    expect(screen.getByText(/computes layers again/)).toBeTruthy();
    expect(screen.queryByText(/would not start/)).toBeNull();
    expect(screen.queryByText(/one is in memory at a time/)).toBeNull();
    const apart = { ...plan, offloads: true, disk: { ...plan.disk, parked: 16e9 } };
    rerender(estimatePanel({ memory: { ...memory, plan: apart } }));
    expect(screen.getByText(/one is in memory at a time/).textContent).toContain('(16.0 GB there)');
    const short = { ...plan, fits: false, freeBytes: 10e9, gradCheckpoint: false };
    rerender(estimatePanel({ memory: { ...memory, plan: short } }));
    expect(screen.getByRole('alert').textContent).toBe(
      'The largest phase does not fit, so the run would not start. What would help: train.packTokens: 512 (saves 1.0 GB)',
    );
    rerender(estimatePanel({ memory: { ...memory, problem: 'There is no model "x".' } }));
    expect(screen.getByRole('alert').textContent).toBe('There is no model "x".');
  });

  it('the estimate says what it does not know instead of guessing, and offers to measure', () => {
    const onProbe = vi.fn();
    panel({
      estimate: {
        ...estimate,
        stepSeconds: null,
        reviewSeconds: { task: null, plan: null, thought: null, output: null, exec: null },
      },
      onProbe,
    });
    expect(screen.getAllByText('not measured yet').length).toBeGreaterThanOrEqual(3);
    fireEvent.click(screen.getByRole('button', { name: 'Measure on this machine' }));
    expect(onProbe).toHaveBeenCalledOnce();
  });

  it('the estimate warns of too little disk and memory, and of a slow supervisor', () => {
    panel({
      estimate: {
        ...estimate,
        freeDiskBytes: 1e6,
        memory: { ...estimate.memory, freeBytes: 1e6 },
        stepSeconds: measured(1),
      },
    });
    for (const text of [
      /More than is free: 1.0 MB/,
      /More than is free now\. Close something/,
      /The supervisor needs \S+ s longer than the rest of the step, and that is waited for/,
    ])
      expect(screen.getByText(text)).toBeTruthy();
  });

  it('the estimate shows a measurement under way, with a way to cancel it', () => {
    const job: Job = {
      id: 'job-1',
      kind: 'probe',
      title: 'Time a step of embedded-policy',
      state: 'running',
      done: 4,
      total: 24,
      unit: 'rollout',
      ratePerSecond: null,
      etaSeconds: null,
      problem: null,
    };
    const onCancelProbe = vi.fn();
    panel({ probe: job, onCancelProbe });
    expect(screen.queryByRole('button', { name: /Measure/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancelProbe).toHaveBeenCalledOnce();
  });
});

describe('evaluating checkpoints', () => {
  const suites = [
    { name: 'math500', measures: 'problems answered', group: 'maths' },
    { name: 'toy-deduction', measures: 'outputs predicted', group: 'toy' },
    { name: 'toy-refusal', measures: 'requests refused', group: 'toy' },
  ];
  const judges = [{ name: 'mine', parameters: 7e9, contextLength: 8192, bytes: 4e9, embedded: false }];
  const showStep = () =>
    show(
      <QueryClientProvider client={queryClient}>
        <WithFields>
          {(fields) => (
            <EvaluationStep fields={fields} suites={suites} judges={judges} kept={5} onLibrary={() => {}} />
          )}
        </WithFields>
      </QueryClientProvider>,
    );
  const begin = (): void => {
    showStep();
    fireEvent.click(screen.getByLabelText('Evaluate checkpoints while the run is at work'));
  };

  it('evaluation begins with every quick suite; without a suite it is refused', () => {
    showStep();
    expect(screen.getByText(/every 10th are kept: 5 checkpoints/)).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Evaluate checkpoints while the run is at work'));
    expect(valueAt(now(), 'evaluation')).toEqual({
      every: 10,
      items: 40,
      suites: ['toy-deduction', 'toy-refusal'],
    });
    for (const { name } of suites.slice(1)) fireEvent.click(screen.getByLabelText(name));
    expect(screen.getByText('It needs at least 1 entry.')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('Evaluate checkpoints while the run is at work'));
    expect(valueAt(now(), 'evaluation')).toBeUndefined();
  });

  it('evaluation can ask under the context and choose a judge of the library; no judge sets nothing', () => {
    queryClient.setQueryData(['judges.lastProbe', { model: 'mine' }], null);
    queryClient.setQueryData(['jobs.list', undefined], []);
    begin();
    fireEvent.click(screen.getByLabelText('the context of the run'));
    const offered = within(screen.getByLabelText('Judge')).getAllByRole('option');
    expect(offered.map((option) => option.textContent)).toEqual(['no judge', 'mine']);
    fireEvent.change(screen.getByLabelText('Judge'), { target: { value: 'mine' } });
    expect(screen.getByText(/7.0 B parameters/)).toBeTruthy();
    expect(screen.getByText(/Not measured as a judge: anchor judge probe mine/)).toBeTruthy();
    expect(valueAt(now(), 'evaluation')).toMatchObject({ contexts: ['run'], judge: 'mine' });
    fireEvent.click(screen.getByLabelText('the context of the run'));
    fireEvent.change(screen.getByLabelText('Judge'), { target: { value: '' } });
    expect([valueAt(now(), 'evaluation.contexts'), valueAt(now(), 'evaluation.judge')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(runConfigSchema.safeParse(now()).success).toBe(true);
  });

  it('tripwires are added, changed and taken away', () => {
    begin();
    fireEvent.click(screen.getByRole('button', { name: 'Add a tripwire' }));
    expect(valueAt(now(), 'evaluation.tripwires')).toEqual([
      { suite: 'toy-deduction', when: 'falls', by: 0.06, action: 'pause', certain: false },
    ]);
    fireEvent.change(screen.getByLabelText('Suite'), { target: { value: 'toy-refusal' } });
    fireEvent.change(screen.getByLabelText('When its score'), { target: { value: 'below' } });
    fireEvent.change(screen.getByLabelText('Limit'), { target: { value: '0.5' } });
    fireEvent.change(screen.getByLabelText('Then'), { target: { value: 'mark' } });
    fireEvent.click(screen.getByLabelText('only when its interval crosses it too'));
    expect(valueAt(now(), 'evaluation.tripwires')).toEqual([
      { suite: 'toy-refusal', when: 'below', by: 0.5, action: 'mark', certain: true },
    ]);
    expect(runConfigSchema.safeParse(now()).success).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Remove tripwire 1' }));
    expect(valueAt(now(), 'evaluation.tripwires')).toBeUndefined();
  });
});

describe('the last step', () => {
  it('the last step lists what differs, what would be refused, and the plan as a command and as a file', () => {
    const text = { command: 'anchor run --preset demo --set steps=7', yaml: 'name: demo\nsteps: 7\n' };
    show(
      <WithFields>
        {(fields) => (
          <ReviewStep
            fields={fields}
            changed={['steps']}
            text={text}
            wrong={0}
            problems={[{ path: 'policy.model', sentence: 'There is no model "x".' }]}
            onSave={() => {}}
          />
        )}
      </WithFields>,
    );
    expect(within(screen.getByRole('table')).getByText('was 24')).toBeTruthy();
    expect(screen.getByText(text.command)).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toContain('There is no model "x".');
    expect(screen.queryByText('Ready to start.')).toBeNull();
  });

  it.each([
    [0, 'Start'],
    [2, 'Add to queue'],
  ])('with %i runs at work the start button says %s', (atWork, name) => {
    const onStart = vi.fn();
    show(
      <PlanActions
        atWork={atWork}
        places={2}
        canStart
        isStarting={false}
        hint={null}
        onFile={() => {}}
        onClear={() => {}}
        onStart={onStart}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name }));
    expect(onStart).toHaveBeenCalledOnce();
  });
});
