// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../electron/contract/index.ts';
import { JobLine } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

const job = (more: Partial<Job>): Job => ({
  id: 'job-1',
  kind: 'evaluate',
  title: 'HumanEval+, a model',
  state: 'running',
  done: 120,
  total: 378,
  unit: 'answer',
  ratePerSecond: 2,
  etaSeconds: 90,
  problem: null,
  ...more,
});
const said = (more: Partial<Job>): string => {
  show(<JobLine job={job(more)} onCancel={() => {}} />);
  return screen.getByText(/2\/s/).textContent;
};

describe('the line of a job', () => {
  it('counts answers that are generated, judged and graded apart', () => {
    expect(said({ generated: 200, judged: 40 })).toBe(
      '200 generated · 40 judged by a model · 120 of 378 graded · 2/s · 1 min 30 s left',
    );
  });

  it('names no model where none judged, and no halves where there are none', () => {
    expect(said({ generated: 200 })).toBe('200 generated · 120 of 378 graded · 2/s · 1 min 30 s left');
    cleanup();
    expect(said({})).toBe('120 of 378 answers · 2/s · 1 min 30 s left');
  });
});
