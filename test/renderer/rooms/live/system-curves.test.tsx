// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { queryClient } from '../../../../renderer/data/index.ts';
import { SYSTEM_CURVES } from '../../../../renderer/rooms/live/model/curve-choices.ts';
import { metricNames } from '../../../../renderer/rooms/live/model/curves.ts';
import { SystemCurves } from '../../../../renderer/rooms/live/parts/system-panel.tsx';
import { show } from '../../ui/show.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const PROCESSOR = { 'resources/cpu_share': [0.5, 0.25] };
const CARD = { 'resources/gpu_share': [0.75, 1], 'resources/gpu_memory_bytes': [2e9, 3e9] };

/** The machine along two steps, as each of them stored it. */
function showMachine(values: Record<string, number[]>): void {
  queryClient.setQueryData(['live.metrics.system.2', { runId: 'run-1', names: metricNames(SYSTEM_CURVES) }], {
    steps: [1, 2],
    values,
  });
  show(
    <QueryClientProvider client={queryClient}>
      <SystemCurves runId="run-1" committedSteps={2} syncKey="run-1" range={null} onRange={() => {}} />
    </QueryClientProvider>,
  );
}
const figures = (): (string | undefined)[] =>
  screen.queryAllByRole('figure').map((figure) => figure.querySelector('h2')?.textContent);

describe('the machine along a run', () => {
  it('is open by itself where the run used a card, whose curves come first, and can be closed', () => {
    showMachine({ ...PROCESSOR, ...CARD });
    expect(figures()).toEqual(['GPU in use', 'GPU memory, peak of the step', 'Processor in use']);
    expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toContain('175 %');
    fireEvent.click(screen.getByRole('button', { expanded: true }));
    expect(figures()).toEqual([]);
  });

  it('stays a heading without a card, until somebody asks', () => {
    showMachine(PROCESSOR);
    expect(figures()).toEqual([]);
    fireEvent.click(screen.getByRole('button', { expanded: false }));
    expect(figures()).toEqual(['Processor in use']);
  });
});
