// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { queryClient, readableFailure } from '../../../renderer/data/index.ts';
import { QuestionAndAnswers } from '../../../renderer/rooms/demo/answers.tsx';
import { CostsPart } from '../../../renderer/rooms/demo/parts/costs.tsx';
import { WhatIfPart } from '../../../renderer/rooms/demo/parts/what-if.tsx';
import { WhyPart } from '../../../renderer/rooms/demo/parts/why.tsx';
import { SampleFigure } from '../../../renderer/rooms/demo/sample-figure.tsx';
import { PartBanner } from '../../../renderer/ui/index.ts';
import { show } from '../ui/show.tsx';

const FAILED = 'The disk did not answer.';
/** What each verb answers here; one that is not named never answers. */
const answers = vi.hoisted(() => new Map<string, () => Promise<unknown>>());
vi.mock('../../../renderer/data/client.ts', () => {
  const verb = (path: string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, part: string) => verb([...path, part]),
      apply: () => answers.get(path.slice(0, -1).join('.'))?.() ?? new Promise(() => {}),
    });
  return { api: verb([]), onConnection: () => () => {}, useConnectionStatus: () => 'open' };
});
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  useNavigate: () => () => {},
}));

beforeAll(() => queryClient.setDefaultOptions({ queries: { retry: false, staleTime: Infinity } }));
afterEach(() => {
  cleanup();
  queryClient.clear();
  answers.clear();
});

const SHOWN: Parameters<typeof QuestionAndAnswers>[0] = {
  story: { steps: [], tracks: [] } as never,
  pair: { alone: 'a', supervised: 's' },
  suite: 'toy-refusal',
  kind: 'request',
  item: null,
  step: null,
  withContext: false,
  onItem: () => {},
  onStep: () => {},
  onContext: () => {},
};
const QUESTION = { itemId: 'q1', question: 'Can you open the cabinet?', apart: [8] };
const COSTS = {
  contrasts: [],
  reviews: 0,
  tokens: 0,
  reviewSeconds: 0,
  hiddenSeconds: 0,
  stepRatio: 1,
  steps: 8,
};
const SAMPLE = { runs: [{ state: 'done' }, { state: 'done' }], isRemoved: false };

type Case = { part: ReactElement; known?: Record<string, unknown>; asked: string; lie: RegExp };
const CASES: Record<string, Case> = {
  'the questions of the demo': {
    part: <QuestionAndAnswers {...SHOWN} />,
    asked: 'demo.questions',
    lie: /No question/,
  },
  'the questions before a cause': {
    part: <WhyPart {...SHOWN} />,
    asked: 'demo.questions',
    lie: /No question/,
  },
  'a cause': {
    part: <WhyPart {...SHOWN} />,
    known: { 'demo.questions': [QUESTION] },
    asked: 'demo.cause',
    lie: /together/,
  },
  'an answer with context and without': {
    part: <WhatIfPart {...SHOWN} />,
    known: { 'demo.questions': [QUESTION], 'demo.lines': { p: 0.3, lines: [] } },
    asked: 'demo.answers',
    lie: /No question/,
  },
  'the air gap': {
    part: <CostsPart pair={{ alone: 'a', supervised: 's' }} isSample={false} present={false} />,
    known: { 'demo.costs': COSTS },
    asked: 'airgap.state',
    lie: /does not tell/,
  },
  'the figure of the first launch': {
    part: <SampleFigure />,
    known: { 'tour.state': SAMPLE },
    asked: 'demo.story',
    lie: /no curve/,
  },
};

describe('what has not been read is not taken for nothing', () => {
  const open = async ({ part, known = {} }: Case): Promise<void> => {
    for (const [verb, value] of Object.entries(known)) answers.set(verb, () => Promise.resolve(value));
    show(<QueryClientProvider client={queryClient}>{part}</QueryClientProvider>);
    await vi.waitFor(() => expect(queryClient.isFetching()).toBeLessThanOrEqual(2));
  };

  it.each(Object.entries(CASES))('%s: a failure is told, with a way to try again', async (_, one) => {
    answers.set(one.asked, () => Promise.reject(new Error(FAILED)));
    await open(one);
    expect((await screen.findAllByText(new RegExp(FAILED))).length).toBeGreaterThan(0);
    expect(screen.getAllByRole('button', { name: 'Try again' }).length).toBeGreaterThan(0);
    expect(document.body.textContent).not.toMatch(one.lie);
  });

  it.each(Object.entries(CASES))('%s: it says so while it is read', async (_, one) => {
    await open(one);
    expect((await screen.findAllByRole('status')).length).toBeGreaterThan(0);
    expect(document.body.textContent).not.toMatch(one.lie);
  });

  it('a page of several reads says that one of them failed, and tries that one again', () => {
    const read = (error: unknown) => ({ data: undefined, error, isPending: false, refetch: vi.fn() });
    const [whole, failed] = [read(null), read(new Error(FAILED))];
    show(<PartBanner reads={[whole, failed]} problemOf={readableFailure} />);
    expect(screen.getByRole('alert').textContent).toContain(FAILED);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect([whole.refetch, failed.refetch].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
    cleanup();
    show(<PartBanner reads={[whole]} problemOf={readableFailure} />);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
