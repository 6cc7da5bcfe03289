// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { everyPhase, type Job, runConfigSchema } from '../../../../electron/contract/index.ts';
import { AZR_PRESETS as PRESETS } from '../../../../electron/evolution/frameworks/azr/presets.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import { valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';
import { EstimatePanel } from '../../../../renderer/rooms/new-run/parts/estimate-panel.tsx';
import { SupervisionCost } from '../../../../renderer/rooms/new-run/steps/supervision-step.tsx';
import { PlanActions } from '../../../../renderer/rooms/new-run/plan-frame.tsx';
import { EvaluationStep } from '../../../../renderer/rooms/new-run/steps/evaluation-step.tsx';
import { ReviewStep } from '../../../../renderer/rooms/new-run/steps/review-step.tsx';
import { show } from '../../ui/show.tsx';
import { estimate, measured } from './made-estimate.ts';
import { now, WithFields } from './with-fields.tsx';

afterEach(cleanup);

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
      systemInUser: false,
      suggestions: [{ change: 'train.packTokens: 512', saves: 1e9 }],
    };
    rerender(estimatePanel({ memory: { ...memory, plan: { ...plan, systemInUser: true } } }));
    expect(
      screen.getByText(/no place for a system text: it will stand before the first question/),
    ).toBeTruthy();
    rerender(estimatePanel({ memory: { ...memory, plan } }));
    expect(screen.queryByText(/no place for a system text/)).toBeNull();
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
