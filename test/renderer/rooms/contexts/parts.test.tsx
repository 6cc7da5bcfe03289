// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { LineEffect, LineFacts } from '../../../../renderer/rooms/contexts/line-detail.tsx';
import type { LineLife } from '../../../../renderer/rooms/contexts/lines.ts';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);
const outcomes = (fromStep: number, toStep: number, passed: number) => ({
  fromStep,
  toStep,
  n: 20,
  passed,
  formatFailures: 0,
});
const cells = (row: number): string[] =>
  [...(screen.getAllByRole('row')[row]?.querySelectorAll('th, td') ?? [])].map((cell) => cell.textContent);

describe('what happened around a line', () => {
  it('the effect of a line is shares with n, and the change in points with interval and sign', () => {
    show(
      <LineEffect
        line="s3.plan"
        title="Entry"
        around={[
          {
            role: 'solver',
            before: outcomes(1, 5, 5),
            after: outcomes(6, 10, 4),
            passChange: { difference: -0.05, low: -0.3, high: 0.2 },
            formatFailureChange: { difference: 0, low: -0.1, high: 0.1 },
          },
        ]}
      />,
    );
    expect(cells(0)).toEqual(['Role', 'Measure', 'Steps 1–5', 'Steps 6–10', 'Change, points (95 %)']);
    expect(cells(1)).toEqual([
      'solver',
      '↑ passed',
      '25.0 % (n = 20)',
      '20.0 % (n = 20)',
      '−5.0 [−30.0, +20.0]',
    ]);
    expect(cells(2)[4]).toBe('0.0 [−10.0, +10.0]');
  });
  it('one step before a line is a step and no range', () => {
    const around = {
      role: 'solver',
      before: outcomes(1, 1, 1),
      after: outcomes(2, 6, 4),
      passChange: null,
      formatFailureChange: null,
    };
    show(<LineEffect line="s1.plan" title="Entry" around={[around]} />);
    expect(cells(0).slice(2, 4)).toEqual(['Step 1', 'Steps 2–6']);
  });
  it('a line has no effect where steps are missing on one side', () => {
    show(
      <LineEffect
        line="s3.plan"
        title="Entry"
        around={[
          {
            role: 'solver',
            before: null,
            after: outcomes(1, 2, 1),
            passChange: null,
            formatFailureChange: null,
          },
        ]}
      />,
    );
    expect(screen.getByText('No stored step lies on both sides yet.')).toBeTruthy();
  });
});

describe('the facts of a line', () => {
  const line: LineLife = {
    id: '4.1',
    text: 'x',
    key: 'trace',
    firstContext: 4,
    lastContext: 4,
    support: 2,
    sources: 5,
    supports: [],
    left: { context: 5, reason: 'conflict' },
  };
  const fact = (name: string): string | null =>
    screen.getByRole('rowheader', { name }).parentElement?.querySelector('td')?.textContent ?? null;
  it('the facts of a line say when it came, which steps saw it and why it left', () => {
    show(<LineFacts line={line} />);
    expect([fact('Entered'), fact('Seen by'), fact('Left')]).toEqual([
      'after step 3',
      'step 4 only',
      'after step 4; conflict: a newer line contradicts it',
    ]);
  });
  it('the facts of a fixed line say that no review brought it', () => {
    show(
      <LineFacts line={{ ...line, id: 'fixed.1', firstContext: 1, lastContext: 9, left: null, key: null }} />,
    );
    expect([fact('Entered'), fact('Seen by'), fact('Left')]).toEqual([
      'with the run: its configuration fixes this line for all steps',
      'step 1 to step 9',
      'still in the newest context',
    ]);
    expect(screen.queryByRole('rowheader', { name: 'Support' })).toBeNull();
  });
});
