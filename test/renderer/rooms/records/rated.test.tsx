// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { JudgedOutcome, RecordRow as Row } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../../renderer/i18n/index.ts';
import { FeedLine } from '../../../../renderer/rooms/live/parts/feed-panel.tsx';
import { filterOf, recordsSearchSchema } from '../../../../renderer/rooms/records/filters/address.ts';
import { FacetPanel } from '../../../../renderer/rooms/records/filters/facet-panel.tsx';
import { chipsOf, FilterChips } from '../../../../renderer/rooms/records/filters/filter-chips.tsx';
import { RecordRow } from '../../../../renderer/rooms/records/list/list-pane.tsx';
import { PairView } from '../../../../renderer/rooms/records/record/pair-view.tsx';
import type { Facets } from '../../../../renderer/rooms/records/record/record.ts';
import { PairHead } from '../../../../renderer/rooms/records/record/shown-record.tsx';
import { show } from '../../ui/show.tsx';
import { record, task } from './records.ts';

afterEach(cleanup);

const P = { task: 0.3, plan: 0.3, thought: 0.3, output: 0.3, exec: 0.3 };
/** A user who pays compliance is content with what a supervisor calls unsafe. */
const rated = (outcome: 'passed' | 'failed' | 'invalid') =>
  record(
    {
      batch: 'pred_request',
      role: 'assistant',
      taskType: 'request',
      answer: 'Sure, I will clean the sealed key.',
      reward: 1,
      verdict: {
        outcome,
        reason: outcome === 'failed' ? 'user-dissatisfied' : null,
        accuracy: 1,
        sandboxLevel: null,
      },
    },
    {
      reviews: [],
      task: task({
        taskType: 'request',
        program: '',
        inputs: [],
        outputs: [],
        message: 'Clean the sealed key.',
      }),
    },
  );

/** The places of the window that say how an answer ended, each drawn as it is there. */
const PLACES = {
  'the head of the record': (outcome) => <PairHead rollout={rated(outcome).rollout} actions={null} />,
  'the record beside its reviews': (outcome) => (
    <PairView
      record={rated(outcome)}
      probabilities={P}
      view="rendered"
      phase={undefined}
      onRecord={() => {}}
    />
  ),
  'its row in the list': (outcome) => (
    <RecordRow row={{ ...rated(outcome).rollout, excerpt: 'Sure, I will.', reviews: [] } as Row} />
  ),
  'its line in the feed': (outcome) => (
    <FeedLine
      row={{
        key: 'x',
        order: 0,
        at: null,
        step: 3,
        batch: 'pred_request',
        taskType: 'request',
        recordId: '3/pred_request/1',
        phase: null,
        decision: 'none',
        outcome,
        agent: 'Sure, I will.',
        supervisor: '',
        issues: [],
        group: null,
      }}
    />
  ),
} satisfies Record<string, (outcome: 'passed' | 'failed') => React.ReactElement>;

describe.each(Object.entries(PLACES))('of an answer that a user rated, %s', (_, draw) => {
  it.each([
    ['passed', 'user satisfied'],
    ['failed', 'user not satisfied'],
  ] as const)('%s is “%s”, in no colour of right or wrong', (outcome, words) => {
    const { container } = show(draw(outcome));
    // The mark and the word within it, which a narrow list hides.
    const marks = screen.getAllByText((_text, element) =>
      new RegExp(`^(?:[☺☹] )?${words}$`).test(element?.textContent ?? ''),
    );
    for (const mark of marks) expect(mark.getAttribute('style')).toBeNull();
    expect(container.textContent).not.toMatch(/\b(?:passed|failed|dissatisfied)\b|[✓✗]/);
  });
});

it('a rated answer says on its mark that nobody verified it', () => {
  show(<PairHead rollout={rated('passed').rollout} actions={null} />);
  expect(screen.getByTitle(/pays compliance.*misspecified/i).textContent).toContain('user satisfied');
});

describe('the filter of records', () => {
  const facets = {
    ...Object.fromEntries(
      ['taskType', 'batch', 'role', 'reviewed', 'phase', 'decision', 'leak', 'issue'].map((key) => [key, []]),
    ),
    total: 10,
    outcome: [
      { value: 'passed', count: 4 },
      { value: 'satisfied', count: 3 },
      { value: 'dissatisfied', count: 2 },
    ],
  } as unknown as Facets;
  it('asks for satisfied users in words of their own, under a heading that is no verifier', () => {
    show(
      <FacetPanel
        facets={facets}
        hasFailed={false}
        filter={{}}
        steps={3}
        isSearching={false}
        onChange={() => {}}
      />,
    );
    const group = screen.getByRole('group', { name: 'Outcome' });
    expect(
      within(group)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['passed 4 records', 'user satisfied 3 records', 'user not satisfied 2 records']);
  });
  it('names the condition in force by who said it', () => {
    const Chips = ({ outcome }: { outcome: JudgedOutcome }) => {
      const search = recordsSearchSchema.parse({ outcome });
      return (
        <FilterChips chips={chipsOf(useTranslate(), search, filterOf(search), () => {})} onClear={() => {}} />
      );
    };
    const chip = (outcome: JudgedOutcome): string | null => {
      const { container } = show(<Chips outcome={outcome} />);
      return container.querySelector('.records-chip')?.textContent ?? null;
    };
    expect(chip('satisfied')).toBe('Outcome: user satisfied ×');
    expect(chip('dissatisfied')).toBe('Outcome: user not satisfied ×');
    expect(chip('failed')).toBe('Outcome: failed ×');
  });
});

it('an answer that a program verified passed or failed, as before', () => {
  const { container } = show(<PairHead rollout={record().rollout} actions={null} />);
  expect(container.querySelector('.records-outcome')?.textContent).toBe('✗ failed');
});

it('the prompt as the policy was shown it begins with the system message of its step', () => {
  const { container } = show(
    <PairView
      record={{ ...record(), system: 'Refuse unsafe requests.' }}
      probabilities={P}
      view="rendered"
      phase={undefined}
      onRecord={() => {}}
    />,
  );
  const folded = within(container).getByText('Prompt, as the policy was shown it').closest('details')!;
  folded.open = true;
  fireEvent(folded, new Event('toggle'));
  expect(folded.textContent).toMatch(/System message of step 3.*Refuse unsafe requests\..*Predict f\(1\)\./s);
});
