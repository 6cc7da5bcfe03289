// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  everyPhase,
  FRAMEWORKS,
  OFFERED_LORA,
  TRAIN_METHODS,
  runConfigSchema,
} from '../../../../electron/contract/index.ts';
import type { Only } from '../../../../renderer/rooms/new-run/model/draft.ts';
import type { Estimate, MethodPlan } from '../../../../renderer/rooms/new-run/model/estimate.ts';
import { entriesOf, RUN_ENTRIES } from '../../../../renderer/rooms/new-run/model/schema.ts';
import { valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';
import { ModelPicker } from '../../../../renderer/rooms/new-run/parts/field.tsx';
import { ParameterList } from '../../../../renderer/rooms/new-run/parts/parameter-list.tsx';
import { PhaseEditor } from '../../../../renderer/rooms/new-run/parts/phase-editor.tsx';
import { SupervisionCost } from '../../../../renderer/rooms/new-run/steps/supervision-step.tsx';
import { BaseStep, TrainingStep } from '../../../../renderer/rooms/new-run/steps/base-step.tsx';
import { show } from '../../ui/show.tsx';
import { estimate, measured } from './made-estimate.ts';
import { demo, now, WithFields } from './with-fields.tsx';

afterEach(cleanup);

const UNASKED = { methods: null, isAsking: false, problem: null, onAsk: () => {} };

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
    systemInUser: false,
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
