import { describe, expect, it } from 'vitest';
import type { AuditItem, AuditLabels, PersonQuestion } from '../../../../electron/contract/index.ts';
import {
  AUDIT_RULES,
  auditItems,
  labelOf,
  type AuditForm,
} from '../../../../renderer/rooms/reviews/audits/audit-form.ts';
import {
  currentItem,
  DECIDING,
  changeView,
  press,
  shownItems,
  mergeStored,
  type ReviewQueue,
  type QueueEffect,
  type QueueRules,
} from '../../../../renderer/rooms/reviews/queue/queue.ts';
import {
  feedbackOf,
  LIVE_RULES,
  liveItem,
  questionOf,
  type LiveForm,
} from '../../../../renderer/rooms/reviews/live/live-form.ts';

const items = (count: number): AuditItem[] =>
  Array.from({ length: count }, (_, ordinal): AuditItem => ({
    ordinal,
    reviewId: `1/pred_code_o/${ordinal}#plan`,
    rolloutId: `1/pred_code_o/${ordinal}`,
    step: 1,
    batch: 'pred_code_o',
    phase: ordinal % 2 === 0 ? 'plan' : 'thought',
    decision: 'continue',
    status: 'done',
    leaks: 0,
    reviewer: 'llama',
    model: 'm',
  }));
const queueOf = <F>(stored: Parameters<typeof mergeStored<F>>[1]): ReviewQueue<F> =>
  mergeStored<F>(
    { items: [], tab: 'pending', phase: null, current: null, mode: DECIDING, undo: [] },
    stored,
    new Set(),
  );
const audit = (count: number, labels: AuditLabels[] = [], isBlind = true): ReviewQueue<AuditForm> =>
  queueOf(auditItems(items(count), labels, isBlind));

/** Presses keys one after another; `Enter` and the like by their names, digits and letters as they are. */
function type<F>(
  queue: ReviewQueue<F>,
  keys: string,
  rules: QueueRules<F>,
): { queue: ReviewQueue<F>; effects: QueueEffect<F>[] } {
  const effects: QueueEffect<F>[] = [];
  for (const key of keys.split(' ')) {
    const result = press(queue, key, rules);
    queue = result.queue;
    effects.push(...result.effects);
  }
  return { queue, effects };
}
const notified = <F>(effects: QueueEffect<F>[]): string[] =>
  effects.flatMap((effect) => (effect.kind === 'notify' ? [effect.problem] : []));
const storedItems = <F>(effects: QueueEffect<F>[]) =>
  effects.flatMap((effect) => (effect.kind === 'store' ? [effect.item] : []));

describe('auditing by keys', () => {
  it('takes a decision, shows the review, takes the marks and goes on to the next', () => {
    const { queue, effects } = type(audit(3), '1 Enter 5 a 8 5 s 7 Enter', AUDIT_RULES);
    expect(storedItems(effects)).toMatchObject([
      {
        key: '0',
        state: 'done',
        form: {
          decision: 'continue',
          leaks: true,
          actionability: 85,
          safetyRelevance: 70,
          blind: true,
          seen: true,
        },
      },
    ]);
    expect(queue.current).toBe('1');
    expect(shownItems(queue).map(({ key }) => key)).toEqual(['1', '2']);
  });

  it('does not show or mark anything before a decision, and says what to do', () => {
    expect(notified(type(audit(1), 'Enter', AUDIT_RULES).effects)).toEqual(['reviews.missing.blindDecision']);
    expect(notified(type(audit(1), 'a', AUDIT_RULES).effects)).toEqual(['reviews.audit.hiddenYet']);
    expect(notified(type(audit(1), '5', AUDIT_RULES).effects)).toEqual(['reviews.audit.hiddenYet']);
    expect(notified(type(audit(1), '2 Enter Enter s 5 Enter', AUDIT_RULES).effects)).toEqual([
      'reviews.missing.safety',
      'reviews.missing.action',
    ]);
  });

  it('counts a decision as blind only when it stands from before the review was shown', () => {
    const formAfter = (keys: string, isBlind = true): AuditForm | undefined =>
      currentItem(type(audit(1, [], isBlind), keys, AUDIT_RULES).queue)?.form;
    expect(formAfter('1')?.blind).toBe(true);
    expect(formAfter('1 2')?.blind).toBe(true);
    expect(formAfter('1 Enter')?.blind).toBe(true);
    expect(formAfter('1 Enter 1')?.blind).toBe(true);
    expect(formAfter('1 Enter 2')?.blind).toBe(false);
    expect(formAfter('1 Enter 2 1')?.blind).toBe(false);
    expect(formAfter('1', false)).toMatchObject({ blind: false, seen: true });
  });

  it('reads digits as decisions until a letter opens a scale, and again after any other key', () => {
    const form = currentItem(type(audit(1), '1 Enter a 3 3 3', AUDIT_RULES).queue)?.form;
    expect(form).toMatchObject({ actionability: 33, safetyRisk: false });
    expect(currentItem(type(audit(1), '1 Enter a 1 0 0 s 0 3', AUDIT_RULES).queue)?.form).toMatchObject({
      actionability: 100,
      safetyRelevance: 3,
      safetyRisk: false,
    });
    expect(currentItem(type(audit(1), '1 Enter a 3 e 3', AUDIT_RULES).queue)?.form).toMatchObject({
      actionability: 30,
      safetyRisk: true,
    });
  });

  it('moves by arrows without keeping anything, stops at the ends, and finds what was filled in', () => {
    const { queue, effects } = type(
      audit(3),
      '2 ArrowRight 1 ArrowRight ArrowRight ArrowLeft ArrowLeft',
      AUDIT_RULES,
    );
    expect(effects).toEqual([]);
    expect(currentItem(queue)).toMatchObject({
      key: '0',
      state: 'pending',
      form: { decision: 'retry' },
      isTouched: true,
    });
  });

  it('keeps drafts and discards, and takes each of them back in turn', () => {
    const { queue, effects } = type(audit(3), '1 d Backspace u u u', AUDIT_RULES);
    expect(storedItems(effects).map(({ key, state }) => `${key} ${state}`)).toEqual([
      '0 draft',
      '1 discarded',
      '1 pending',
      '0 pending',
    ]);
    expect(notified(effects)).toEqual(['reviews.undo.nothing']);
    expect(currentItem(queue)).toMatchObject({ key: '0', form: { decision: 'continue' } });
    expect(labelOf(storedItems(effects)[2]!, 3)).toBeNull();
  });

  it('puts a discarded item back with the key that discarded it', () => {
    const thrown = type(audit(2), 'Backspace Backspace', AUDIT_RULES).queue;
    const { effects } = type(changeView(thrown, { tab: 'discarded' }), 'Backspace', AUDIT_RULES);
    expect(storedItems(effects)).toMatchObject([{ key: '0', state: 'pending' }]);
  });

  it('counts every one of 280 presses that come before anything is painted', () => {
    const { queue, effects } = type(
      audit(40),
      Array.from({ length: 40 }, () => '1 Enter a 8 s 7 Enter').join(' '),
      AUDIT_RULES,
    );
    expect(storedItems(effects).map(({ key }) => Number(key))).toEqual(
      Array.from({ length: 40 }, (_, ordinal) => ordinal),
    );
    expect(shownItems(queue)).toEqual([]);
  });
});

describe('what the engine says of the items', () => {
  const label = (state: 'draft' | 'done'): AuditLabels => ({
    ordinal: 0,
    judge: null,
    person: {
      state,
      decision: 'retry',
      safetyRisk: false,
      leaks: false,
      safetyRelevance: 10,
      actionability: 20,
      comment: 'c',
      seen: true,
      blind: true,
      seconds: 4,
      at: '2026-01-01T00:00:00.000Z',
    },
  });

  it('is taken over, with the state each item is in', () => {
    expect(audit(2, [label('draft')]).items.map(({ state }) => state)).toEqual(['draft', 'pending']);
    expect(audit(2, [label('done')]).items[0]?.form).toMatchObject({
      decision: 'retry',
      blind: true,
      wasHidden: true,
    });
  });

  it('does not overwrite what is being filled in or is on its way', () => {
    const filled = type(audit(2), '1', AUDIT_RULES).queue;
    const after = mergeStored(filled, auditItems(items(2), [], true), new Set());
    expect(currentItem(after)?.form.decision).toBe('continue');
    const sent = type(audit(2), '1 Enter a 8 s 7 Enter', AUDIT_RULES).queue;
    expect(mergeStored(sent, auditItems(items(2), [], true), new Set(['0'])).items[0]?.state).toBe('done');
    expect(mergeStored(sent, auditItems(items(2), [], true), new Set()).items[0]?.state).toBe('pending');
  });

  it('moves on when the item one looks at is gone', () => {
    const queue = changeView(audit(3), { current: '1' });
    expect(
      mergeStored(
        queue,
        auditItems(items(3), [], true).filter(({ key }) => key !== '1'),
        new Set(),
      ).current,
    ).toBe('0');
  });
});

describe('which items are shown', () => {
  it('is a matter of state and phase, and the first of them is looked at', () => {
    const queue = changeView(audit(4), { phase: 'thought' });
    expect(shownItems(queue).map(({ key }) => key)).toEqual(['1', '3']);
    expect(queue.current).toBe('1');
    expect(changeView(queue, { tab: 'done' }).current).toBeNull();
  });
});

describe('answering a run by keys', () => {
  const question = (id: string, changes: Partial<PersonQuestion> = {}): PersonQuestion => ({
    runId: 'run-1',
    runName: 'demo',
    id,
    step: 1,
    batch: 'pred_code_o',
    phase: 'output',
    role: 'solver',
    taskType: 'deduction',
    askedAt: '2026-01-01T00:00:00.000Z',
    deadline: '2026-01-01T00:05:00.000Z',
    fallback: 'model',
    draft: null,
    issues: [
      { name: 'unsafe_comply', sentence: 'It complied.', safety: true },
      { name: 'wrong_format', sentence: 'Wrong format.', safety: false },
      { name: 'type_error', sentence: 'Wrong type.', safety: false },
    ],
    ...changes,
  });
  const live = (...questions: PersonQuestion[]): ReviewQueue<LiveForm> => queueOf(questions.map(liveItem));
  const formAfter = (keys: string, changes: Partial<PersonQuestion> = {}): LiveForm => {
    const { queue, effects } = type(live(question('a', changes)), keys, LIVE_RULES);
    return (storedItems(effects)[0] ?? currentItem(queue))!.form;
  };

  it('continues, retries with issues by their number, and words the feedback from them', () => {
    expect(feedbackOf(formAfter('1 Enter'), 'No problem found.')).toBe('No problem found.');
    const form = formAfter('2 i 2 i 3 Enter');
    expect(form).toMatchObject({ decision: 'retry', issues: ['wrong_format', 'type_error'] });
    expect(feedbackOf(form, '')).toBe('Wrong format.');
    expect(feedbackOf({ ...form, feedback: ' My words. ' }, '')).toBe('My words.');
  });

  it('marks the safety issue of the phase, or asks for words where the phase has none', () => {
    expect(formAfter('3')).toMatchObject({ decision: 'retry', issues: ['unsafe_comply'] });
    expect(formAfter('3 3').issues).toEqual([]);
    const { effects } = type(live(question('a', { phase: 'plan', issues: [] })), '3', LIVE_RULES);
    expect(effects).toEqual([{ kind: 'comment' }]);
  });

  it('says why it does not take a third issue, an unknown one, a retry without a reason, or an undo', () => {
    const problems = (keys: string): string[] =>
      notified(type(live(question('a')), keys, LIVE_RULES).effects);
    expect(problems('i 1 i 2 i 3')).toEqual(['reviews.live.twoIssues']);
    expect(problems('i 9')).toEqual(['reviews.live.noSuchIssue']);
    expect(problems('Enter')).toEqual(['reviews.missing.decision']);
    expect(problems('2 Enter')).toEqual(['reviews.missing.why']);
    expect(problems('5')).toEqual(['reviews.live.noLeakKey']);
    expect(problems('1 Enter u')).toEqual(['reviews.undo.cannot']);
  });

  it('hands over what it is unsure of, skips what it discards, and goes through the queue', () => {
    const { effects, queue } = type(
      live(question('a'), question('b'), question('c')),
      '4 Enter Backspace 1 Enter',
      LIVE_RULES,
    );
    expect(storedItems(effects).map(({ state, form }) => `${state} ${form.decision}`)).toEqual([
      'done unsure',
      'discarded null',
      'done continue',
    ]);
    expect(shownItems(queue)).toEqual([]);
    expect(questionOf(storedItems(effects)[0]!.key)).toEqual({ runId: 'run-1', id: 'a' });
  });
});
