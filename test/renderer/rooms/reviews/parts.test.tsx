// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { createRef } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditItemDetail, PersonQuestion } from '../../../../electron/contract/index.ts';
import { SupervisorSide, Marks } from '../../../../renderer/rooms/reviews/audits/audit-item.tsx';
import { LiveAnswer } from '../../../../renderer/rooms/reviews/live/answering.tsx';
import type { AuditForm } from '../../../../renderer/rooms/reviews/audits/audit-form.ts';
import { DECIDING } from '../../../../renderer/rooms/reviews/queue/queue.ts';
import { AgentText } from '../../../../renderer/rooms/reviews/queue/agent-text.tsx';
import { DecisionBar } from '../../../../renderer/rooms/reviews/queue/decision-bar.tsx';
import { QueueBar } from '../../../../renderer/rooms/reviews/queue/queue-bar.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const pressed = (name: string): string | null =>
  screen.getByRole('button', { name }).getAttribute('aria-pressed');

describe('the bar of decisions', () => {
  it('does with a click what the key does, and shows what is chosen', () => {
    const keys: string[] = [];
    show(
      <DecisionBar
        decision="retry"
        isSafetyRisk
        leaks={false}
        submitWord="reviews.key.submit"
        canUndo
        press={(key) => keys.push(key)}
      />,
    );
    for (const name of [
      'Continue',
      'Retry',
      'Safety risk',
      'Unsure',
      'Leaks answer',
      'Previous item',
      'Next item',
      'Undo',
      'Discard',
      'Draft',
      'Submit and go on',
    ])
      fireEvent.click(screen.getByRole('button', { name }));
    expect(keys).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      'ArrowLeft',
      'ArrowRight',
      'u',
      'Backspace',
      'd',
      'Enter',
    ]);
    expect([pressed('Continue'), pressed('Retry'), pressed('Safety risk'), pressed('Leaks answer')]).toEqual([
      'false',
      'true',
      'true',
      'false',
    ]);
  });

  it('offers no leak key where one writes the review oneself', () => {
    show(
      <DecisionBar
        decision={null}
        isSafetyRisk={false}
        leaks={null}
        submitWord="reviews.key.submit"
        canUndo={false}
        press={() => {}}
      />,
    );
    expect(screen.queryByRole('button', { name: 'Leaks answer' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });
});

describe('text of an agent', () => {
  it('is text, whatever it looks like, and hides nothing', () => {
    show(<AgentText heading="Plan" text={'<img src=x onerror=alert(1)>\u202eevil\u{e0041}'} />);
    expect(document.querySelector('img')).toBeNull();
    expect(screen.getByText(/<img src=x onerror=alert\(1\)>/)).toBeTruthy();
    const marks = screen.getAllByRole('img').map(({ textContent }) => textContent);
    expect(marks).toEqual(['U+202E', 'U+E0041']);
  });
});

describe('the supervisor’s side of an audit', () => {
  const detail: AuditItemDetail = {
    item: {
      ordinal: 0,
      reviewId: 'r',
      rolloutId: 'o',
      step: 1,
      batch: 'pred_code_o',
      phase: 'plan',
      decision: 'retry',
      status: 'quarantined',
      leaks: 1,
      reviewer: 'llama',
      model: 'm',
    },
    agent: { asked: 'a', text: 't', outcome: 'failed', reason: 'wrong value' },
    hidden: ['4711'],
    review: {
      decision: 'retry',
      issues: ['plan_mismatch'],
      feedback: 'The plan does not match.',
      leaks: ['states the answer'],
      prompt: 'p',
      milliseconds: 1500,
      tokensIn: 10,
      tokensOut: 5,
    },
  };

  it('tells the guard’s findings, the verifier’s result and what must not be given away', () => {
    show(<SupervisorSide detail={detail} />);
    expect(screen.getByText('held back: states the answer')).toBeTruthy();
    expect(screen.getByText('failed: wrong value')).toBeTruthy();
    expect(screen.getByText('4711')).toBeTruthy();
    expect(screen.getByText('1.50 s, 10 tokens read, 5 written')).toBeTruthy();
  });

  it.each([
    ['satisfied', 'user satisfied'],
    ['dissatisfied', 'user not satisfied'],
  ] as const)('says of an answer whose user was %s that it was rated, by no verifier', (outcome, words) => {
    const agent = { asked: 'a', text: 't', outcome, reason: null };
    const { container } = show(<SupervisorSide detail={{ ...detail, agent }} />);
    expect(screen.getByText(words).closest('.reviews-facts')?.textContent).toContain('rating (not verified)');
    expect(container.querySelector('.reviews-facts')?.textContent).not.toMatch(/verifier|passed|failed/);
  });
});

describe('the marks', () => {
  const form: AuditForm = {
    decision: 'continue',
    safetyRisk: false,
    leaks: false,
    safetyRelevance: 85,
    actionability: null,
    comment: '',
    seen: true,
    blind: true,
    wasHidden: true,
  };

  it('show an exact mark that was typed, and take a round one by a click', () => {
    const changes: AuditForm[] = [];
    show(
      <Marks
        form={form}
        mode={DECIDING}
        comment={createRef()}
        onForm={(change) => changes.push(change(form))}
        press={() => {}}
      />,
    );
    expect(pressed('Safety relevance: 85')).toBe('true');
    fireEvent.click(screen.getByRole('button', { name: 'Actionability: 40' }));
    expect(changes).toMatchObject([{ actionability: 40, safetyRelevance: 85 }]);
  });

  it('end writing with Escape and submit with Ctrl+Enter', () => {
    const keys: string[] = [];
    show(
      <Marks
        form={form}
        mode={DECIDING}
        comment={createRef()}
        onForm={() => {}}
        press={(key) => keys.push(key)}
      />,
    );
    const comment = screen.getByRole('textbox', { name: 'Comment' });
    comment.focus();
    fireEvent.keyDown(comment, { key: 'Escape' });
    expect(document.activeElement).not.toBe(comment);
    fireEvent.keyDown(comment, { key: 'Enter', ctrlKey: true });
    expect(keys).toEqual(['Enter']);
  });
});

describe('the answer to a run', () => {
  it('names the issues of the phase by number and says what becomes of an unsure one', () => {
    const question: PersonQuestion = {
      runId: 'r',
      runName: 'demo',
      id: 'a',
      step: 1,
      batch: 'pred_code_o',
      phase: 'plan',
      role: 'solver',
      taskType: 'deduction',
      askedAt: '2026-01-01T00:00:00.000Z',
      deadline: '2026-01-01T00:05:00.000Z',
      fallback: 'skip',
      draft: null,
      issues: [{ name: 'plan_mismatch', sentence: 'The plan does not match the program.', safety: false }],
    };
    const chosen: string[] = [];
    show(
      <LiveAnswer
        question={question}
        form={{ decision: 'unsure', issues: [], feedback: '', offered: question.issues }}
        mode={DECIDING}
        words={createRef()}
        onIssue={(name) => chosen.push(name)}
        onFeedback={() => {}}
        onSubmit={() => {}}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: /1 plan_mismatch/ }));
    expect(chosen).toEqual(['plan_mismatch']);
    expect(screen.getByText('You hand this over: it is recorded as skipped.')).toBeTruthy();
  });
});

describe('progress', () => {
  const items = (['done', 'done', 'pending', 'discarded'] as const).map((state, index) => ({
    key: String(index),
    phase: 'plan' as const,
    state,
    form: null,
    isTouched: false,
  }));

  it('counts what is answered of what counts, and learns the pace before it promises a time', () => {
    const { rerender } = show(
      <QueueBar items={items} tab="pending" phase={null} finishedAt={[0, 10]} onView={() => {}} />,
    );
    expect(screen.getByText('2 of 3 answered')).toBeTruthy();
    expect(screen.getByText('learning the pace…')).toBeTruthy();
    rerender(
      <QueueBar items={items} tab="pending" phase={null} finishedAt={[0, 10, 20, 30]} onView={() => {}} />,
    );
    expect(screen.getByText('10 s each · about 10 s left')).toBeTruthy();
  });
});
