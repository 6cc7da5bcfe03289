// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { MeasuredJudge } from '../../../../electron/contract/index.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import type { Fields } from '../../../../renderer/rooms/new-run/model/fields.ts';
import { valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';
import { SupervisionStep } from '../../../../renderer/rooms/new-run/steps/supervision-step.tsx';
import { probedInFull } from '../../ui/made-probe.ts';
import { show } from '../../ui/show.tsx';
import { now, WithFields } from './with-fields.tsx';

const judges = [{ name: 'mine', parameters: 7e9, contextLength: 8192, bytes: 4e9, embedded: false }];

let plan: Fields;
const showStep = () =>
  show(
    <QueryClientProvider client={queryClient}>
      <WithFields>
        {(fields) => {
          plan = fields;
          return (
            <SupervisionStep
              fields={fields}
              config={null}
              estimate={null}
              now={new Date('2026-11-20T11:00:00.000Z')}
              runs={[]}
              reviewers={['llama', 'rubric']}
              supervisors={judges}
              onLibrary={() => {}}
            />
          );
        }}
      </WithFields>
    </QueryClientProvider>,
  );

const choose = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};
const optionsOf = (label: string): (string | null)[] =>
  [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ textContent }) => textContent);

describe('the supervision of a new run', () => {
  afterEach(cleanup);

  it('asks for the model that words lines, whoever reviews', () => {
    showStep();
    choose('Reviewer', 'rubric');
    expect(screen.queryByLabelText('Supervisor model')).toBeNull();
    choose('Lines of the context', 'model');
    choose('Supervisor model', 'mine');
    expect(valueAt(now(), 'supervision')).toMatchObject({
      reviewer: 'rubric',
      merge: 'model',
      model: 'mine',
    });
    choose('Lines of the context', 'guidance');
    expect(screen.queryByLabelText('Supervisor model')).toBeNull();
    choose('Summary of a batch', 'model');
    expect(screen.getByLabelText<HTMLSelectElement>('Supervisor model').value).toBe('mine');
  });

  it('shows how good a model is as a judge that only words lines, where it was measured, and asks for no measure', async () => {
    queryClient.setQueryData(['jobs.list', undefined], []);
    const known = (probe: MeasuredJudge | null) =>
      queryClient.setQueryData(['judges.lastProbe', { model: 'mine' }], probe);
    known(null);
    showStep();
    choose('Reviewer', 'rubric');
    choose('Lines of the context', 'model');
    choose('Supervisor model', 'mine');
    expect(screen.queryByText(/Not measured as a judge/)).toBeNull();
    act(() => void known(probedInFull()));
    expect(await screen.findByText(/As a judge by itself/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'All figures' })).toBeTruthy();
  });

  it('says who sums up a batch; by rule is what stands there while nothing is set', () => {
    showStep();
    const summary = screen.getByLabelText<HTMLSelectElement>('Summary of a batch');
    expect(summary.value).toBe('rule');
    expect(optionsOf('Summary of a batch')).toEqual([
      'counted by issue (rule)',
      'worded by the supervisor’s model',
    ]);
    choose('Summary of a batch', 'model');
    expect(valueAt(now(), 'supervision.summary')).toBe('model');
    expect(screen.getByText('Changed; was counted by issue (rule)')).toBeTruthy();
    choose('Summary of a batch', 'rule');
    expect(valueAt(now(), 'supervision')).not.toHaveProperty('summary');
    expect(screen.queryByText('Changed; was counted by issue (rule)')).toBeNull();
  });

  it('calls a context by the model what it is, and not the reviewer of a person’s item', () => {
    showStep();
    expect(optionsOf('Lines of the context')).toEqual([
      'only lines the embedded policy knows',
      'the feedback itself',
      'worded by the supervisor’s model',
    ]);
  });

  it('says where reviews of plans change nothing, and where their line is for general models', () => {
    showStep();
    const nothing = () => screen.queryByText(/^Reviews of plans change nothing/);
    const plain = () => screen.queryByText(/^Reviews of plans bring a line in plain words/);
    expect([nothing() !== null, plain()]).toEqual([true, null]);
    act(() => plan.set('supervision.guidance', 'every'));
    expect([nothing(), plain() !== null]).toEqual([null, true]);
    choose('Lines of the context', 'text');
    expect([nothing(), plain()]).toEqual([null, null]);
    choose('Lines of the context', 'guidance');
    act(() => plan.set('supervision.phases.plan', 0));
    expect([nothing(), plain()]).toEqual([null, null]);
  });

  it('gives the paper’s advice on the middle with its source, and says that the number is ours', () => {
    showStep();
    const { title } = screen.getByRole('button', { name: 'Middle, 0.4' });
    expect(title).toContain('(Section 6.2, Figure 5)');
    expect(title).toContain('0.4 is our choice');
    expect(title).not.toMatch(/0\.[35]/);
  });
});
