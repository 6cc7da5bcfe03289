// @vitest-environment happy-dom
import { cleanup, fireEvent } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RecordRow as Row } from '../../../../electron/contract/index.ts';
import { FacetGroup } from '../../../../renderer/rooms/records/filters/facet-panel.tsx';
import { RecordRow } from '../../../../renderer/rooms/records/list/list-pane.tsx';
import { PairHead } from '../../../../renderer/rooms/records/record/shown-record.tsx';
import { PairView } from '../../../../renderer/rooms/records/record/pair-view.tsx';
import { ReviewCard } from '../../../../renderer/rooms/records/record/review-card.tsx';
import { TextBlock } from '../../../../renderer/ui/index.ts';
import { show } from '../../ui/show.tsx';
import { record, review, task } from './records.ts';

afterEach(cleanup);

const P = { task: 0.3, plan: 0.3, thought: 0.3, output: 0.3, exec: 0.3 };
const pair = (
  found: ReturnType<typeof record>,
  view: 'rendered' | 'raw' = 'rendered',
  onRecord = vi.fn(),
) => <PairView record={found} probabilities={P} view={view} phase={undefined} onRecord={onRecord} />;

describe('agent text', () => {
  const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script> \u202e]gnis[ javascript:alert(3)';

  it('is text and never markup', () => {
    const { container } = show(<TextBlock text={HOSTILE} look="code" />);
    expect(container.querySelectorAll('img, script, a').length).toBe(0);
    expect(container.textContent).toContain('<script>alert(2)</script>');
  });

  it('shows what would turn it around, in words a reader hears too', () => {
    const { getByRole } = show(<TextBlock text={HOSTILE} look="code" />);
    expect(getByRole('img').textContent).toBe('U+202E');
    expect(getByRole('img').getAttribute('aria-label')).toContain('direction');
  });

  it('of a megabyte is laid out as far as it is asked for', () => {
    const { container, getByRole, queryByRole } = show(
      <TextBlock text={'word '.repeat(200_000)} look="prose" />,
    );
    expect(container.textContent?.length).toBeLessThan(30_000);
    const before = container.querySelectorAll('pre').length;
    fireEvent.click(getByRole('button'));
    expect(container.querySelectorAll('pre').length).toBeGreaterThan(before);
    cleanup();
    show(<TextBlock text="short" look="prose" />);
    expect(queryByRole('button')).toBeNull();
  });

  it('full of control characters makes no element for each of them', () => {
    const { container } = show(<TextBlock text={'x\u202e\u0007y'.repeat(250_000)} look="code" />);
    expect(container.querySelectorAll('*').length).toBeLessThan(100);
    expect(container.textContent).toContain('⟦U+202E⟧');
  });
});

describe('a review', () => {
  it('says its decision, issues, cost and reviewer, and shows its prompt on request', () => {
    const { container, getByText } = show(<ReviewCard review={review()} />);
    for (const text of [
      'retry',
      'vague-plan',
      'The plan names no step.',
      '120 tokens in, 14 out',
      '250 ms',
      'fixed rules',
    ])
      expect(container.textContent).toContain(text);
    expect(container.textContent).not.toContain('Review the plan: add');
    const details = container.querySelector('details') as HTMLDetailsElement;
    details.open = true;
    fireEvent(details, new Event('toggle'));
    expect(getByText('Review the plan: add')).toBeTruthy();
  });

  it('with findings is shown as quarantined, with each finding', () => {
    const { container } = show(
      <ReviewCard review={review({ status: 'quarantined', leaks: ['states the hidden number'] })} />,
    );
    expect(container.textContent).toContain('1 finding: quarantined');
    expect(container.textContent).toContain('states the hidden number');
  });

  it('that nobody was asked for says so, and neither approves nor names who would have been asked', () => {
    const said = { decision: null, issues: [], feedback: 'There is nothing to compare.' };
    const { container } = show(
      <ReviewCard review={review({ ...said, prompt: '', tokensIn: 0, tokensOut: 0, milliseconds: 0 })} />,
    );
    expect(container.textContent).toContain('nobody was asked');
    expect(container.textContent).toContain('There is nothing to compare.');
    expect(container.textContent).not.toMatch(/continue|✓|fixed rules|tokens|ms/);
  });

  it('that was not answered says why', () => {
    expect(
      show(<ReviewCard review={review({ status: 'skipped-by-budget', decision: null, feedback: '' })} />)
        .container.textContent,
    ).toContain('time for reviews was used up');
  });
});

describe('a record', () => {
  it('shows each phase beside its review, and both sides of the verifier', () => {
    const { getByRole } = show(pair(record()));
    expect(getByRole('region', { name: 'Plan' }).textContent).toMatch(/add.*The plan names no step\./s);
    expect(getByRole('region', { name: 'Thought' }).textContent).toContain('p\u00a0=\u00a00.3');
    expect(getByRole('region', { name: 'Verifier result (exec)' }).textContent).toMatch(
      /failed.*wrong-value.*Expected2.*Answered3/s,
    );
  });

  it('has the place that a review quotes marked where the agent wrote it, or in the task', () => {
    const quoting = (quote: string) =>
      record({ plan: 'first add,\nthen stop' }, { reviews: [review({ quote, prompt: 'rules: add' })] });
    const marked = (quote: string): (string | null)[] => {
      const { container } = show(pair(quoting(quote)));
      const found = [...container.querySelectorAll('mark')].map((mark) => mark.textContent);
      cleanup();
      return found;
    };
    expect(marked('add, then')).toEqual(['add,\nthen']);
    expect(marked('return x + 1')).toEqual(['return x + 1']);
    expect(marked('nowhere')).toEqual([]);
    expect(show(pair(quoting('add, then'))).container.querySelector('q')?.textContent).toBe('add, then');
  });

  it('has it marked in the raw text and in what the reviewer was shown, behind the instructions', () => {
    const prompt = 'Copy a place, such as 1 + 1.\n<<0123456789ab thought>>\nso 1 + 1\n<<0123456789ab end>>';
    const { container } = show(
      pair(record({}, { reviews: [review({ phase: 'thought', quote: '1 + 1', prompt })] }), 'raw'),
    );
    expect(container.querySelectorAll('.records-left mark')).toHaveLength(1);
    const shown = [...container.querySelectorAll('details')].at(-1) as HTMLDetailsElement;
    shown.open = true;
    fireEvent(shown, new Event('toggle'));
    const [mark, ...more] = container.querySelectorAll('details mark');
    expect(more).toEqual([]);
    expect(mark?.previousSibling?.textContent).toMatch(/thought>>\nso $/);
  });

  it('leads to where its task was proposed', () => {
    const onRecord = vi.fn();
    const { getByText } = show(pair(record(), 'rendered', onRecord));
    fireEvent.click(getByText('Where the task was proposed'));
    expect(onRecord).toHaveBeenCalledExactlyOnceWith('2/gen_code_o/4');
  });

  it('names a hidden program as hidden', () => {
    const { container } = show(
      pair(
        record(
          { taskType: 'induction' },
          {
            task: task({
              taskType: 'induction',
              inputs: ['1', '2'],
              outputs: ['2', '3'],
              message: 'add one',
            }),
          },
        ),
      ),
    );
    expect(container.textContent).toMatch(/hidden from the solver/);
    expect(container.textContent).toContain('f(2) = 3');
  });

  it('can be read raw, with every review beside it', () => {
    const { container } = show(
      pair(
        record(
          {},
          {
            execReview: review({
              id: '3/pred_code_o#exec',
              phase: 'exec',
              feedback: 'Half of the batch passed.',
            }),
          },
        ),
        'raw',
      ),
    );
    expect(container.textContent).toContain('<plan>add</plan><think>1 + 1</think><answer>3</answer>');
    expect(container.textContent).toContain('Half of the batch passed.');
  });

  it('has its identity and what it earned at its head, and says when it was cut off', () => {
    const { container } = show(<PairHead rollout={record({ finish: 'length' }).rollout} actions={null} />);
    for (const text of ['3/pred_code_o/1', 'Item #1', 'step 3', '−0.50', '−0.250', 'cut off'])
      expect(container.textContent).toContain(text);
  });
});

describe('a row of the list', () => {
  const row: Row = {
    id: '3/gen_code_o/1/2',
    step: 3,
    batch: 'gen_code_o',
    index: 1,
    sample: 2,
    purpose: 'estimate',
    role: 'solver',
    taskType: 'deduction',
    formatOk: true,
    finish: 'stop',
    newTokens: 12,
    verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L3' },
    reward: null,
    excerpt: 'def f(x):\n    \u202ereturn x',
    reviews: [
      { phase: 'plan', status: 'done', decision: 'retry' },
      { phase: 'thought', status: 'quarantined', decision: 'continue' },
    ],
  };

  it('says where it belongs, how it ended and what reviews decided, in signs and in words', () => {
    const { container, getByLabelText } = show(<RecordRow row={row} />);
    expect(container.textContent).toContain('step 3');
    expect(container.textContent).toContain('proposer deduction #1, sample 2');
    expect(container.textContent).toContain('passed');
    expect(getByLabelText('Reviews: plan retry, thought quarantined')).toBeTruthy();
    expect(container.textContent).toContain('⟦U+202E⟧return x');
  });

  it('does not tick a plan that there was nothing to compare with', () => {
    const unasked = { phase: 'plan', status: 'done', decision: null } as const;
    const { getByLabelText } = show(<RecordRow row={{ ...row, reviews: [unasked] }} />);
    const marks = getByLabelText('Reviews: plan with nothing to compare, nobody was asked');
    expect(marks.textContent).toBe('○');
  });

  it('marks what a search found', () => {
    const { container } = show(<RecordRow row={row} found="the ‹sum› of all" />);
    expect(container.querySelector('mark')?.textContent).toBe('sum');
  });
});

describe('a question of the filter', () => {
  const choices = Array.from({ length: 9 }, (_, index) => ({
    value: `issue-${index}`,
    label: `issue-${index}`,
    count: 9 - index,
  }));

  it('offers the most frequent answers with their counts, and the others on request', () => {
    const onChoose = vi.fn();
    const { getAllByRole, getByText } = show(
      <FacetGroup title="Issue" choices={choices} chosen={undefined} onChoose={onChoose} />,
    );
    expect(getAllByRole('button')).toHaveLength(7);
    fireEvent.click(getByText('3 more'));
    expect(getAllByRole('button')).toHaveLength(10);
    fireEvent.click(getByText('issue-8'));
    expect(onChoose).toHaveBeenCalledExactlyOnceWith('issue-8');
  });

  it('keeps a chosen answer in sight, even one that nothing matches any more, and lifts it on a second click', () => {
    const onChoose = vi.fn();
    const { getByRole } = show(
      <FacetGroup title="Issue" choices={choices} chosen="gone" onChoose={onChoose} />,
    );
    const chosen = getByRole('button', { pressed: true });
    expect(chosen.textContent).toContain('gone');
    fireEvent.click(chosen);
    expect(onChoose).toHaveBeenCalledExactlyOnceWith(undefined);
  });
});
