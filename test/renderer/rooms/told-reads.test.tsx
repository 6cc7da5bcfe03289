// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UnreadParts } from '../../../renderer/app/frame.tsx';
import { api, queryClient, readableFailure, useSideQuery } from '../../../renderer/data/index.ts';
import { AskingPage } from '../../../renderer/rooms/asking/page.tsx';
import { FIRST_SIDE } from '../../../renderer/rooms/asking/model.ts';
import { SideHead } from '../../../renderer/rooms/asking/side-head.tsx';
import { LineDetail } from '../../../renderer/rooms/contexts/line-detail.tsx';
import { QuestionAndAnswers } from '../../../renderer/rooms/demo/answers.tsx';
import { CostsPart } from '../../../renderer/rooms/demo/parts/costs.tsx';
import { WhatIfPart } from '../../../renderer/rooms/demo/parts/what-if.tsx';
import { WhyPart } from '../../../renderer/rooms/demo/parts/why.tsx';
import { SampleFigure } from '../../../renderer/rooms/demo/sample-figure.tsx';
import { EvaluationDialog } from '../../../renderer/rooms/evaluations/request/evaluation-dialog.tsx';
import { LibraryPage } from '../../../renderer/rooms/library/library-page.tsx';
import { ContextPanel } from '../../../renderer/rooms/live/parts/context-panel.tsx';
import { NextContext } from '../../../renderer/rooms/records/record/next-context.tsx';
import { PartBanner } from '../../../renderer/ui/index.ts';
import { show } from '../ui/show.tsx';

const FAILED = 'The disk did not answer.';
/** What each verb answers here; one that is not named never answers. */
const answers = vi.hoisted(() => new Map<string, (input: never) => Promise<unknown>>());
/** The address of the page. */
const address = vi.hoisted(() => ({ search: {} as Record<string, unknown> }));
vi.mock('../../../renderer/data/client.ts', () => {
  const verb = (path: string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, part: string) => verb([...path, part]),
      apply: (_, __, [input]) =>
        answers.get(path.slice(0, -1).join('.'))?.(input as never) ?? new Promise(() => {}),
    });
  return { api: verb([]), onConnection: () => () => {}, useConnectionStatus: () => 'open' };
});
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  useNavigate: () => () => {},
  useSearch: () => address.search,
}));

beforeAll(() => {
  queryClient.setDefaultOptions({ queries: { retry: false, staleTime: Infinity } });
  configure({ asyncUtilTimeout: 5000 }); // the largest pages take a second on a busy machine
  // A field that grows with its text asks for the fonts, which this document does not have.
  Object.defineProperty(document, 'fonts', { value: new EventTarget() });
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  answers.clear();
  address.search = {};
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

const LINE = {
  id: 'C3-1',
  text: 'Decline such requests.',
  key: null,
  firstContext: 3,
  lastContext: 5,
  left: null,
  support: 2,
  sources: 2,
} as never;
const ORDER = { subjects: ['r1@8'], suites: ['toy-refusal'], seed: null, limit: null, context: null };
const nothing = (): void => {};

type Case = {
  part: ReactElement;
  search?: Record<string, unknown>;
  known?: Record<string, unknown>;
  asked: string;
  lie: RegExp;
};
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
  'a question of before': {
    part: <AskingPage />,
    search: { question: 'q-1' },
    known: { 'evaluations.subjects': [], 'asking.state': { open: [], atWork: [] } },
    asked: 'asking.get',
    lie: /Ask a question of your own|was deleted/,
  },
  'the context of a checkpoint that is asked': {
    part: (
      <SideHead
        name="Left"
        subjects={[]}
        subject="r1@8"
        setting={{ ...FIRST_SIDE, from: 'run' }}
        ready="ready"
        onSubject={nothing}
        onSetting={nothing}
        onRemove={null}
      />
    ),
    asked: 'asking.context',
    lie: /0 lines|no lines/,
  },
  'the steps around a line': {
    part: <LineDetail runId="r1" line={LINE} newestContext={9} steps={3} onSteps={nothing} />,
    known: { 'contexts.lineage': { causes: [] }, 'contexts.wordings': [] },
    asked: 'contexts.around',
    lie: /No stored step/,
  },
  'the wording of a line': {
    part: <LineDetail runId="r1" line={LINE} newestContext={3} steps={3} onSteps={nothing} />,
    known: { 'contexts.lineage': { causes: [] } },
    asked: 'contexts.wordings',
    lie: /Whose words it has/,
  },
  'the record behind the lines of a context': {
    part: <NextContext runId="r1" recordId="2/0" isOpen onClose={nothing} />,
    known: { 'contexts.get': { lines: [{ id: 'C3-1', text: 'Decline.', reviewIds: [], enteredStep: 2 }] } },
    asked: 'records.get',
    lie: /No line of it/,
  },
  'the data sets of the library': {
    part: <LibraryPage />,
    search: { tab: 'datasets' },
    known: { 'library.list': { models: [], datasets: [] }, 'jobs.list': [] },
    asked: 'datasets.list',
    lie: /No data sets yet/,
  },
};

describe('what has not been read is not taken for nothing', () => {
  const open = async ({ part, known = {}, search = {} }: Case): Promise<void> => {
    address.search = search;
    for (const [verb, value] of Object.entries(known)) answers.set(verb, () => Promise.resolve(value));
    show(
      <QueryClientProvider client={queryClient}>
        <UnreadParts />
        {part}
      </QueryClientProvider>,
    );
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

  it('a dialog says itself what of it could not be read, above what the page behind it says', async () => {
    answers.set('judges.list', () => Promise.reject(new Error(FAILED)));
    show(
      <QueryClientProvider client={queryClient}>
        <EvaluationDialog isOpen request={ORDER} onClose={nothing} onStarted={nothing} />
      </QueryClientProvider>,
    );
    await vi.waitFor(() => expect(screen.getByRole('dialog').textContent).toContain(FAILED), 5000);
  });

  it('a context whose earlier one could not be read is not shown as if all of it were new', async () => {
    const context = { tokens: 3, lines: [{ id: 'C3-1', text: 'Decline.', reviewIds: [] }] };
    answers.set('contexts.get', ({ step }: { step: number }) =>
      step === 3 ? Promise.resolve(context) : Promise.reject(new Error(FAILED)),
    );
    show(
      <QueryClientProvider client={queryClient}>
        <ContextPanel runId="r1" step={3} compare={null} isFiller={false} onCompare={nothing} />
      </QueryClientProvider>,
    );
    await vi.waitFor(() => expect(document.body.textContent).toContain(FAILED), 5000);
    expect(document.body.textContent).not.toContain('added');
  });
});

describe('a read that only completes a page', () => {
  const Names = () => <p>{useSideQuery('runs.sample', api.runs.sample, undefined).data?.length ?? 'none'}</p>;
  const page = (part: ReactElement | null) => (
    <QueryClientProvider client={queryClient}>
      <UnreadParts />
      {part}
    </QueryClientProvider>
  );

  it('is told by the frame when it fails, can be tried again there, and is told no more once it is off the page', async () => {
    const read = vi.fn(() => Promise.reject(new Error(FAILED)));
    answers.set('runs.sample', read);
    const { rerender } = show(page(<Names />));
    expect((await screen.findByRole('alert')).textContent).toContain(FAILED);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
    await screen.findByRole('alert');
    rerender(page(null));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('says that what is shown is old, where it was read before', async () => {
    answers.set('runs.sample', () => Promise.resolve([1, 2]));
    show(page(<Names />));
    await screen.findByText('2');
    answers.set('runs.sample', () => Promise.reject(new Error(FAILED)));
    await queryClient.invalidateQueries();
    expect((await screen.findByRole('status')).textContent).toMatch(/from before.*did not answer/);
    expect(screen.getByText('2')).toBeTruthy();
  });
});
