import { describe, expect, it } from 'vitest';
import type { AuditItem, AuditLabels, PersonQuestion } from '../../../../electron/contract/index.ts';
import {
  AUDIT_RULES,
  auditItems,
  labelOf,
  type AuditForm,
} from '../../../../renderer/rooms/reviews/model/audit-form.ts';
import {
  currentItem,
  DECIDING,
  look,
  press,
  shownItems,
  takeOver,
  type Desk,
  type DeskEffect,
  type DeskRules,
} from '../../../../renderer/rooms/reviews/model/desk.ts';
import {
  feedbackOf,
  LIVE_RULES,
  liveItem,
  questionOf,
  type LiveForm,
} from '../../../../renderer/rooms/reviews/model/live-form.ts';

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
const deskOf = <F>(stored: Parameters<typeof takeOver<F>>[1]): Desk<F> =>
  takeOver<F>(
    { items: [], tab: 'pending', phase: null, current: null, mode: DECIDING, undo: [] },
    stored,
    new Set(),
  );
const audit = (count: number, labels: AuditLabels[] = [], isBlind = true): Desk<AuditForm> =>
  deskOf(auditItems(items(count), labels, isBlind));

/** Presses keys one after another; `Enter` and the like by their names, digits and letters as they are. */
function type<F>(
  desk: Desk<F>,
  keys: string,
  rules: DeskRules<F>,
): { desk: Desk<F>; effects: DeskEffect<F>[] } {
  const effects: DeskEffect<F>[] = [];
  for (const key of keys.split(' ')) {
    const result = press(desk, key, rules);
    desk = result.desk;
    effects.push(...result.effects);
  }
  return { desk, effects };
}
const told = <F>(effects: DeskEffect<F>[]): string[] =>
  effects.flatMap((effect) => (effect.kind === 'tell' ? [effect.problem] : []));
const kept = <F>(effects: DeskEffect<F>[]) =>
  effects.flatMap((effect) => (effect.kind === 'keep' ? [effect.item] : []));

describe('auditing by keys', () => {
  it('takes a decision, shows the review, takes the marks and goes on to the next', () => {
    const { desk, effects } = type(audit(3), '1 Enter 5 a 8 5 s 7 Enter', AUDIT_RULES);
    expect(kept(effects)).toMatchObject([
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
    expect(desk.current).toBe('1');
    expect(shownItems(desk).map(({ key }) => key)).toEqual(['1', '2']);
  });

  it('does not show or mark anything before a decision, and says what to do', () => {
    expect(told(type(audit(1), 'Enter', AUDIT_RULES).effects)).toEqual(['reviews.missing.blindDecision']);
    expect(told(type(audit(1), 'a', AUDIT_RULES).effects)).toEqual(['reviews.audit.hiddenYet']);
    expect(told(type(audit(1), '5', AUDIT_RULES).effects)).toEqual(['reviews.audit.hiddenYet']);
    expect(told(type(audit(1), '2 Enter Enter s 5 Enter', AUDIT_RULES).effects)).toEqual([
      'reviews.missing.safety',
      'reviews.missing.action',
    ]);
  });

  it('counts a decision as blind only when it stands from before the review was shown', () => {
    const formAfter = (keys: string, isBlind = true): AuditForm | undefined =>
      currentItem(type(audit(1, [], isBlind), keys, AUDIT_RULES).desk)?.form;
    expect(formAfter('1')?.blind).toBe(true);
    expect(formAfter('1 2')?.blind).toBe(true);
    expect(formAfter('1 Enter')?.blind).toBe(true);
    expect(formAfter('1 Enter 1')?.blind).toBe(true);
    expect(formAfter('1 Enter 2')?.blind).toBe(false);
    expect(formAfter('1 Enter 2 1')?.blind).toBe(false);
    expect(formAfter('1', false)).toMatchObject({ blind: false, seen: true });
  });

  it('reads digits as decisions until a letter opens a scale, and again after any other key', () => {
    const form = currentItem(type(audit(1), '1 Enter a 3 3 3', AUDIT_RULES).desk)?.form;
    expect(form).toMatchObject({ actionability: 33, safetyRisk: false });
    expect(currentItem(type(audit(1), '1 Enter a 1 0 0 s 0 3', AUDIT_RULES).desk)?.form).toMatchObject({
      actionability: 100,
      safetyRelevance: 3,
      safetyRisk: false,
    });
    expect(currentItem(type(audit(1), '1 Enter a 3 e 3', AUDIT_RULES).desk)?.form).toMatchObject({
      actionability: 30,
      safetyRisk: true,
    });
  });

  it('moves by arrows without keeping anything, stops at the ends, and finds what was filled in', () => {
    const { desk, effects } = type(
      audit(3),
      '2 ArrowRight 1 ArrowRight ArrowRight ArrowLeft ArrowLeft',
      AUDIT_RULES,
    );
    expect(effects).toEqual([]);
    expect(currentItem(desk)).toMatchObject({
      key: '0',
      state: 'pending',
      form: { decision: 'retry' },
      isTouched: true,
    });
  });

  it('keeps drafts and discards, and takes each of them back in turn', () => {
    const { desk, effects } = type(audit(3), '1 d Backspace u u u', AUDIT_RULES);
    expect(kept(effects).map(({ key, state }) => `${key} ${state}`)).toEqual([
      '0 draft',
      '1 discarded',
      '1 pending',
      '0 pending',
    ]);
    expect(told(effects)).toEqual(['reviews.undo.nothing']);
    expect(currentItem(desk)).toMatchObject({ key: '0', form: { decision: 'continue' } });
    expect(labelOf(kept(effects)[2]!, 3)).toBeNull();
  });

  it('puts a discarded item back with the key that discarded it', () => {
    const thrown = type(audit(2), 'Backspace Backspace', AUDIT_RULES).desk;
    const { effects } = type(look(thrown, { tab: 'discarded' }), 'Backspace', AUDIT_RULES);
    expect(kept(effects)).toMatchObject([{ key: '0', state: 'pending' }]);
  });

  it('counts every one of 280 presses that come before anything is painted', () => {
    const { desk, effects } = type(
      audit(40),
      Array.from({ length: 40 }, () => '1 Enter a 8 s 7 Enter').join(' '),
      AUDIT_RULES,
    );
    expect(kept(effects).map(({ key }) => Number(key))).toEqual(
      Array.from({ length: 40 }, (_, ordinal) => ordinal),
    );
    expect(shownItems(desk)).toEqual([]);
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
    const filled = type(audit(2), '1', AUDIT_RULES).desk;
    const after = takeOver(filled, auditItems(items(2), [], true), new Set());
    expect(currentItem(after)?.form.decision).toBe('continue');
    const sent = type(audit(2), '1 Enter a 8 s 7 Enter', AUDIT_RULES).desk;
    expect(takeOver(sent, auditItems(items(2), [], true), new Set(['0'])).items[0]?.state).toBe('done');
    expect(takeOver(sent, auditItems(items(2), [], true), new Set()).items[0]?.state).toBe('pending');
  });

  it('moves on when the item one looks at is gone', () => {
    const desk = look(audit(3), { current: '1' });
    expect(
      takeOver(
        desk,
        auditItems(items(3), [], true).filter(({ key }) => key !== '1'),
        new Set(),
      ).current,
    ).toBe('0');
  });
});

describe('which items are shown', () => {
  it('is a matter of state and phase, and the first of them is looked at', () => {
    const desk = look(audit(4), { phase: 'thought' });
    expect(shownItems(desk).map(({ key }) => key)).toEqual(['1', '3']);
    expect(desk.current).toBe('1');
    expect(look(desk, { tab: 'done' }).current).toBeNull();
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
  const live = (...questions: PersonQuestion[]): Desk<LiveForm> => deskOf(questions.map(liveItem));
  const formAfter = (keys: string, changes: Partial<PersonQuestion> = {}): LiveForm => {
    const { desk, effects } = type(live(question('a', changes)), keys, LIVE_RULES);
    return (kept(effects)[0] ?? currentItem(desk))!.form;
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
    const problems = (keys: string): string[] => told(type(live(question('a')), keys, LIVE_RULES).effects);
    expect(problems('i 1 i 2 i 3')).toEqual(['reviews.live.twoIssues']);
    expect(problems('i 9')).toEqual(['reviews.live.noSuchIssue']);
    expect(problems('Enter')).toEqual(['reviews.missing.decision']);
    expect(problems('2 Enter')).toEqual(['reviews.missing.why']);
    expect(problems('5')).toEqual(['reviews.live.noLeakKey']);
    expect(problems('1 Enter u')).toEqual(['reviews.undo.cannot']);
  });

  it('hands over what it is unsure of, skips what it discards, and goes through the queue', () => {
    const { effects, desk } = type(
      live(question('a'), question('b'), question('c')),
      '4 Enter Backspace 1 Enter',
      LIVE_RULES,
    );
    expect(kept(effects).map(({ state, form }) => `${state} ${form.decision}`)).toEqual([
      'done unsure',
      'discarded null',
      'done continue',
    ]);
    expect(shownItems(desk)).toEqual([]);
    expect(questionOf(kept(effects)[0]!.key)).toEqual({ runId: 'run-1', id: 'a' });
  });
});
