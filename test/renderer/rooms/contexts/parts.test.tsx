// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { WordingRecord } from '../../../../electron/contract/index.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import { LineEffect, LineFacts } from '../../../../renderer/rooms/contexts/line-detail.tsx';
import { LineWording } from '../../../../renderer/rooms/contexts/line-origins.tsx';
import type { LineLife } from '../../../../renderer/rooms/contexts/lines.ts';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);
const outcomes = (fromStep: number, toStep: number, passed: number) => ({
  fromStep,
  toStep,
  n: 20,
  passed,
  satisfied: null,
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
            satisfiedChange: null,
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
  it('of answers that a user rated says how many satisfied the user, which is not better, and nothing of passing', () => {
    const side = (fromStep: number, satisfied: number) => ({
      ...outcomes(fromStep, fromStep, 0),
      passed: null,
      satisfied,
    });
    const around = {
      role: 'assistant',
      before: side(1, 5),
      after: side(2, 15),
      passChange: null,
      satisfiedChange: { difference: 0.5, low: 0.2, high: 0.7 },
      formatFailureChange: null,
    };
    const { container } = show(<LineEffect line="s1.plan" title="Entry" around={[around]} />);
    expect(cells(1)).toEqual([
      'assistant',
      'user satisfied',
      '25.0 % (n = 20)',
      '75.0 % (n = 20)',
      '+50.0 [+20.0, +70.0]',
    ]);
    expect(cells(2)[1]).toBe('↓ format failures');
    expect(container.textContent).not.toContain('passed');
  });
  it('one step before a line is a step and no range', () => {
    const around = {
      role: 'solver',
      before: outcomes(1, 1, 1),
      after: outcomes(2, 6, 4),
      passChange: null,
      satisfiedChange: null,
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
            satisfiedChange: null,
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

describe('whose words a line has', () => {
  const line: LineLife = {
    id: '4.1',
    text: 'Follow each loop to its end.',
    key: null,
    firstContext: 4,
    lastContext: 4,
    support: 2,
    sources: 2,
    supports: [],
    left: null,
  };
  const record = (changes: Partial<WordingRecord>): WordingRecord => ({
    id: '3/merge',
    step: 3,
    kind: 'merge',
    batch: null,
    status: 'done',
    model: 'judge-1.5b',
    questions: [],
    lines: [],
    refused: [],
    milliseconds: 1000,
    createdAt: '2026-11-28T00:00:00.000Z',
    ...changes,
  });
  const question = (prompt: string, answer: string | null, problem: string | null) => ({
    prompt,
    answer,
    problem,
    tokensIn: 300,
    tokensOut: 20,
    milliseconds: 900,
  });
  const written = (id: string, sources: string[], wording: 'model' | 'source') => ({
    id,
    text: line.text,
    topic: 'solver: no_trace',
    sources,
    wording,
  });
  const shown = (wordings: WordingRecord[]) => {
    queryClient.setQueryData(['contexts.wordings', { runId: 'run', step: 3 }], wordings);
    show(
      <QueryClientProvider client={queryClient}>
        <LineWording runId="run" line={line} />
      </QueryClientProvider>,
    );
  };
  afterEach(() => queryClient.clear());

  it('the merge that chose it and the summary it comes from, each with the question, the answer and what was refused', () => {
    shown([
      record({
        id: '3/summary/pred_code_o',
        kind: 'summary',
        batch: 'pred_code_o',
        questions: [question('two findings', '{"line":"Follow each loop to its end."}', null)],
        lines: [written('3/pred_code_o/1', ['a', 'b'], 'model')],
      }),
      record({
        questions: [question('choose among lines', null, 'time is up')],
        lines: [written('4.1', ['3/pred_code_o/1'], 'source')],
        refused: [{ text: 'The answer is 4.', sources: [], reason: 'leak' }],
      }),
    ]);
    const [merge, summary, more] = screen.getAllByRole('group');
    expect(more).toBeUndefined();
    const has = (part: HTMLElement | undefined, ...texts: (string | RegExp)[]): void => {
      for (const text of texts)
        expect(within(part as HTMLElement).getByText(text), String(text)).toBeTruthy();
    };
    has(
      merge,
      /^Next context:/,
      'choose among lines',
      'time is up',
      /answer or code away.*The answer is 4\./,
    );
    has(
      summary,
      /worded by judge-1.5b from 2 sources/,
      'two findings',
      /"line":"Follow each loop/,
      line.text,
    );
  });
  it.each([
    ['kept them', {}],
    ['wrote could not stand', { refused: [{ text: 'It is 4.', sources: ['a'], reason: 'leak' as const }] }],
    ['kept them', { refused: [{ text: 'It is 4.', sources: ['other'], reason: 'leak' as const }] }],
    ['gave no answer that could be used', { status: 'fallback' as const }],
  ])('that the model %s, where the line has the words of what it rests on', (said, changes) => {
    shown([record({ lines: [written('4.1', ['a', 'b'], 'source')], ...changes })]);
    const [merge] = screen.getAllByRole('group');
    expect(merge?.textContent).toContain(`in the words of what it rests on (2 sources); `);
    expect(merge?.querySelector('summary')?.textContent).toMatch(new RegExp(`judge-1.5b ${said}$`));
  });
  it('nothing, where rules made the line', () => {
    shown([]);
    expect(screen.queryByText('Whose words it has')).toBeNull();
  });
});
