// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ComparisonLine, FilterChips } from '../../../../renderer/rooms/evaluations/items/items-head.tsx';
import { EvaluationCells } from '../../../../renderer/rooms/evaluations/items/evaluation-list.tsx';
import { ItemRow } from '../../../../renderer/rooms/evaluations/items/item-row.tsx';
import { ItemView } from '../../../../renderer/rooms/evaluations/items/item-view.tsx';
import { show } from '../../ui/show.tsx';
import { graded, itemRow, summary } from './made.ts';

afterEach(cleanup);

const override = {
  ordinal: 0,
  outcome: 'passed' as const,
  by: 'Ada',
  note: 'the word is the number',
  at: '2026-11-20T11:00:00.000Z',
};
const acts = {
  onReveal: () => {},
  onReviewer: () => {},
  onOverride: () => {},
  onWithdraw: () => {},
  isBusy: false,
  reviewer: 'Ada',
  isRevealed: false,
};

describe('a row', () => {
  it('tells a flip and an outcome by word and sign', () => {
    show(
      <ItemRow
        row={itemRow(3, {
          outcome: 'failed',
          flip: 'lost',
          against: { outcome: 'passed', score: null, override: null },
          flags: ['forged-equality'],
        })}
        isHidden={false}
      />,
    );
    expect(screen.getByText('▼ lost')).toBeTruthy();
    expect(screen.getByText('✗ failed')).toBeTruthy();
    expect(screen.getByTitle('forged-equality').textContent).toBe('⚑ 1');
  });
  it('shows a person’s verdict with a mark, and whose it is', () => {
    show(<ItemRow row={itemRow(0, { outcome: 'failed', override })} isHidden={false} />);
    expect(screen.getByTitle('Ada says so; as graded: failed').textContent).toBe('✓ passed ✎');
  });
  it('of a hazardous suite does not show its text', () => {
    show(<ItemRow row={itemRow(0, { excerpt: 'how to do harm' })} isHidden />);
    expect(screen.queryByText(/how to do harm/)).toBeNull();
    expect(screen.getByText('hidden text')).toBeTruthy();
  });
  it('makes hidden characters visible', () => {
    show(<ItemRow row={itemRow(0, { excerpt: 'a\u202eb' })} isHidden={false} />);
    expect(screen.getByText('a⟦U+202E⟧b')).toBeTruthy();
  });
});

describe('an item', () => {
  it('shows question, answer, reason and flags with their meaning', () => {
    const item = graded({
      grade: {
        outcome: 'passed',
        score: 4,
        method: 'sandbox',
        reason: 'all values equal',
        flags: ['forged-equality', 'own-word'],
        judge: { kind: 'gguf', name: 'judge-7b', sha256: null, promptVersion: 'harm-1' },
        details: {},
      },
    });
    show(
      <ItemView
        {...acts}
        shown={{ item, override: null, hazardous: false }}
        label="a @ 4"
        before={null}
        group="code"
      />,
    );
    expect(screen.getByText('What is 2 + 2?')).toBeTruthy();
    expect(screen.getByText('all values equal')).toBeTruthy();
    expect(screen.getByText(/judge-7b \(sandbox\)/)).toBeTruthy();
    expect(screen.getByTitle(/says that it equals anything/).textContent).toBe('⚑ forged-equality');
    expect(screen.getByText('⚑ own-word')).toBeTruthy();
  });

  it('stands beside the answer it is compared with, earlier first', () => {
    show(
      <ItemView
        {...acts}
        shown={{ item: graded(), override: null, hazardous: false }}
        label="a @ 4"
        before={{
          label: 'a, base',
          shown: { item: graded({ text: '4' }), override: null, hazardous: false },
        }}
        group="maths"
      />,
    );
    expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      'A a, base',
      'B a @ 4',
    ]);
    cleanup();
    show(
      <ItemView
        {...acts}
        shown={{ item: graded(), override: null, hazardous: false }}
        label="a @ 4"
        before={{ label: 'a, base', shown: null }}
        group="maths"
      />,
    );
    expect(screen.getByText('This policy was not asked this item.')).toBeTruthy();
  });

  it('with hazardous text is behind a blur, and out of reach of screen readers, until it is asked for', () => {
    const onReveal = vi.fn();
    const view = (isRevealed: boolean) => (
      <ItemView
        {...acts}
        onReveal={onReveal}
        isRevealed={isRevealed}
        shown={{ item: graded({ target: null }), override: null, hazardous: true }}
        label="a"
        before={null}
        group="safety"
      />
    );
    const { rerender } = show(view(false));
    expect(screen.getByText('four').closest('[aria-hidden="true"]')?.hasAttribute('inert')).toBe(true);
    expect(screen.getByText('What is 2 + 2?').closest('[aria-hidden="true"]')).not.toBeNull();
    fireEvent.click(screen.getAllByRole('button', { name: 'Show the text (v)' })[0] as Element);
    expect(onReveal).toHaveBeenCalledWith(true);
    rerender(view(true));
    expect(screen.getByText('four').closest('[aria-hidden="true"]')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Hide the text' }));
    expect(onReveal).toHaveBeenLastCalledWith(false);
  });

  it('keeps both verdicts: the grader’s and the person’s', () => {
    const [onOverride, onWithdraw] = [vi.fn(), vi.fn()];
    show(
      <ItemView
        {...acts}
        onOverride={onOverride}
        onWithdraw={onWithdraw}
        shown={{ item: graded(), override, hazardous: false }}
        label="a"
        before={null}
        group="maths"
      />,
    );
    expect(screen.getByText('✗ failed')).toBeTruthy();
    expect(screen.getByText('✓ passed')).toBeTruthy();
    expect(screen.getByText('the word is the number')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Withdraw' }));
    fireEvent.change(screen.getByLabelText('Why (optional)'), { target: { value: ' wrong after all ' } });
    fireEvent.click(screen.getByRole('button', { name: 'Failed' }));
    expect([onWithdraw.mock.calls.length, onOverride.mock.calls]).toEqual([
      1,
      [['failed', 'wrong after all']],
    ]);
  });

  it('takes no verdict of nobody', () => {
    show(
      <ItemView
        {...acts}
        reviewer=" "
        shown={{ item: graded(), override: null, hazardous: false }}
        label="a"
        before={null}
        group="maths"
      />,
    );
    expect((screen.getByRole('button', { name: 'Passed' }) as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText('A verdict of a person carries a name. Write yours first.')).toBeTruthy();
  });
});

describe('a comparison', () => {
  const comparison = {
    before: summary('a'),
    after: summary('b'),
    common: 164,
    items: 164,
    onlyBefore: 2,
    onlyAfter: 0,
    lost: 12,
    gained: 9,
    exact: 0.664,
    mid: 0.52,
    difference: -0.018,
    low: -0.072,
    high: 0.035,
    detectable: 0.0781,
    warnings: ['Judged by two judges.'],
  };
  it('tells flips, the change with its interval, both p, and what was left out', () => {
    show(<ComparisonLine comparison={comparison} />);
    expect(screen.getByRole('region', { name: 'Comparison' }).textContent).toContain(
      '12 lost, 9 gained of 164 common answers. Change −1.8 points (95 % interval −7.2 to +3.5). McNemar: exact p = 0.664, mid-p = 0.520. The smallest difference such a comparison finds with power 80 % at 5 % is 7.8 points. Left out because only one was asked: 2 before, 0 after.',
    );
    expect(screen.getByText('Judged by two judges.')).toBeTruthy();
  });

  it('names items as what is tested where each has several answers', () => {
    show(<ComparisonLine comparison={{ ...comparison, common: 50, items: 5, detectable: null }} />);
    expect(screen.getByRole('region', { name: 'Comparison' }).textContent).toContain(
      'of 50 common answers. Change −1.8 points (95 % interval −7.2 to +3.5). Sign test of the 5 items, each with several answers: exact p = 0.664, mid-p = 0.520. Too few items to find any difference.',
    );
  });
});

describe('filters', () => {
  it('tell how many answers are of each kind, and leave empty kinds out', () => {
    const onChange = vi.fn();
    show(
      <FilterChips
        counts={{
          all: 64,
          flipped: 21,
          failed: 0,
          unjudged: 0,
          flagged: 2,
          overridden: 0,
          'load-affected': 0,
        }}
        value="all"
        onChange={onChange}
      />,
    );
    expect(screen.getAllByRole('radio')).toHaveLength(3);
    fireEvent.click(screen.getByLabelText('Flipped 21'));
    expect(onChange).toHaveBeenCalledWith('flipped');
  });
});

describe('the list of evaluations', () => {
  it('says under which conditions each was made, and removes one only after telling what goes', () => {
    const onRemove = vi.fn();
    show(
      <EvaluationCells
        summary={summary('e1', {
          counts: {
            passed: 40,
            failed: 24,
            unjudged: 0,
            unanswered: 0,
            flagged: 0,
            loadAffected: 3,
            overridden: 1,
          },
        })}
        onOpen={() => {}}
        onRemove={onRemove}
        onRerun={() => {}}
      />,
    );
    expect(screen.getByText('chat, temperature 0, seed 1 · first 64')).toBeTruthy();
    expect(screen.getByText('Weights alone')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Grade 3 again' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove…' }));
    expect(screen.getByText(/64 graded answers and 1 verdict of a person are deleted/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
    expect(onRemove).toHaveBeenCalledWith('e1');
  });
  it('shows the score that a person’s verdicts lead to with its own interval, and marks it', () => {
    const score = { name: 'passed', unit: 'share', n: 64, better: 'higher', interval: 'wilson' } as const;
    show(
      <EvaluationCells
        summary={summary('e1', {
          scores: [{ ...score, value: 0.625, low: 0.502, high: 0.734 }],
          corrected: [{ ...score, value: 0.609, low: 0.487, high: 0.72 }],
          counts: {
            passed: 40,
            failed: 24,
            unjudged: 0,
            unanswered: 0,
            flagged: 0,
            loadAffected: 0,
            overridden: 1,
          },
        })}
        onOpen={() => {}}
        onRemove={() => {}}
        onRerun={() => {}}
      />,
    );
    const mark = screen.getByRole('img', { name: '1 verdict is a person’s.' });
    expect(mark.parentElement?.textContent).toBe('60.9 % ✎ [48.7–72.0]');
  });
  it('stands with its score and the ends of its interval in brackets, corrected by people where they did', () => {
    const scored = (value: number, low: number | null, high: number | null) => [
      { ...summary('e1').scores[0]!, value, low, high },
    ];
    const said = (part: Parameters<typeof summary>[1]): string | null | undefined => {
      cleanup();
      show(
        <div role="row">
          <EvaluationCells
            summary={summary('e1', part)}
            onOpen={() => {}}
            onRemove={() => {}}
            onRerun={() => {}}
          />
        </div>,
      );
      return document.querySelector('[data-column="score"]')?.textContent;
    };
    expect(said({ scores: scored(1, 0.839, 1) })).toBe('100.0 % [83.9–100.0]');
    expect(said({ scores: scored(1, 0.566, 1), corrected: scored(0.8, 0.376, 0.964) })).toBe(
      '80.0 % [37.6–96.4]',
    );
    expect(said({ scores: scored(1, null, null) })).toBe('100.0 %');
    expect(said({ scores: [] })).toBe('–');
  });
  it('of a running one offers neither removal nor grading again', () => {
    show(
      <EvaluationCells
        summary={summary('e1', { state: 'running', graded: 3, scores: [] })}
        onOpen={() => {}}
        onRemove={() => {}}
        onRerun={() => {}}
      />,
    );
    expect(screen.queryByRole('button', { name: 'Remove…' })).toBeNull();
    expect(screen.getByText('running')).toBeTruthy();
  });
});
