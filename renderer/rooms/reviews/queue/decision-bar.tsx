import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import { Button, Kbd } from '../../../ui/index.ts';
import { isTyping, useCommand } from '../../../commands/index.ts';

export type QueueKey = { key: string; word: MessageId };

/** Keys of both queues. */
export const COMMON_KEYS: readonly QueueKey[] = [
  { key: 'Enter', word: 'reviews.key.submit' },
  { key: 'd', word: 'reviews.key.draft' },
  { key: 'Backspace', word: 'reviews.key.discard' },
  { key: 'ArrowRight', word: 'reviews.key.next' },
  { key: 'ArrowLeft', word: 'reviews.key.previous' },
  { key: 'e', word: 'reviews.key.comment' },
];

/** Digits that are no decision: they only mean something after a letter that opens a field. */
const MORE_DIGITS = ['0', '6', '7', '8', '9'];

/** Puts the queue's keys where every key of the window is: on the keyboard, in the palette and on the sheet. */
export function QueueKeys({ keys, press }: { keys: readonly QueueKey[]; press: (key: string) => void }) {
  const onDigit = useEffectEvent((event: KeyboardEvent) => {
    const isElsewhere =
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      isTyping(event.target) ||
      (event.target instanceof HTMLElement && event.target.closest('[role="dialog"]') !== null);
    if (!isElsewhere && MORE_DIGITS.includes(event.key)) press(event.key);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onDigit(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return keys.map(({ key, word }) => <KeyCommand key={key} name={key} word={word} press={press} />);
}

function KeyCommand({ name, word, press }: { name: string; word: MessageId; press: (key: string) => void }) {
  const t = useTranslate();
  useCommand({
    id: `reviews.${name}`,
    title: t(word),
    keys: name,
    group: t('reviews.title'),
    run: () => press(name),
  });
  return null;
}

/** Keys of an audit, as the sheet and the guidelines list them. */
export const AUDIT_KEYS: readonly QueueKey[] = [
  { key: '1', word: 'reviews.key.continue' },
  { key: '2', word: 'reviews.key.retry' },
  { key: '3', word: 'reviews.key.safety' },
  { key: '4', word: 'reviews.key.unsure' },
  { key: '5', word: 'reviews.key.leak' },
  { key: 's', word: 'reviews.key.safetyMark' },
  { key: 'a', word: 'reviews.key.actionMark' },
  ...COMMON_KEYS,
  { key: 'u', word: 'reviews.key.undo' },
];

type DecisionBarProps = {
  decision: 'continue' | 'retry' | 'unsure' | null;
  isSafetyRisk: boolean;
  /** Null where a leak cannot be marked now; the hint then says why. */
  leaks: boolean | null;
  submitWord: 'reviews.key.submit' | 'reviews.key.reveal';
  isDiscarded?: boolean;
  canUndo: boolean;
  press: (key: string) => void;
};

/** Everything one can decide about an item, each with its key. */
export function DecisionBar({
  decision,
  isSafetyRisk,
  leaks,
  submitWord,
  isDiscarded = false,
  canUndo,
  press,
}: DecisionBarProps) {
  const t = useTranslate();
  return (
    <div className="reviews-decide" role="toolbar" aria-label={t('reviews.decision')}>
      <Choice keyName="1" isOn={decision === 'continue'} onChoose={() => press('1')}>
        {t('reviews.key.continue')}
      </Choice>
      <Choice keyName="2" isOn={decision === 'retry'} onChoose={() => press('2')}>
        {t('reviews.key.retry')}
      </Choice>
      <Choice keyName="3" isOn={isSafetyRisk} onChoose={() => press('3')}>
        {t('reviews.key.safety')}
      </Choice>
      <Choice keyName="4" isOn={decision === 'unsure'} onChoose={() => press('4')}>
        {t('reviews.key.unsure')}
      </Choice>
      {leaks !== null && (
        <Choice keyName="5" isOn={leaks} onChoose={() => press('5')}>
          {t('reviews.key.leak')}
        </Choice>
      )}
      <span className="reviews-spring" />
      <Choice keyName="←" label={t('reviews.key.previous')} onChoose={() => press('ArrowLeft')}>
        {null}
      </Choice>
      <Choice keyName="→" label={t('reviews.key.next')} onChoose={() => press('ArrowRight')}>
        {null}
      </Choice>
      {canUndo && (
        <Choice keyName="u" onChoose={() => press('u')}>
          {t('reviews.key.undo')}
        </Choice>
      )}
      <Choice keyName="⌫" onChoose={() => press('Backspace')}>
        {t(isDiscarded ? 'reviews.key.restore' : 'reviews.key.discard')}
      </Choice>
      <Choice keyName="d" onChoose={() => press('d')}>
        {t('reviews.key.draft')}
      </Choice>
      <Button
        size="xs"
        onClick={(event) => {
          press('Enter');
          if (event.detail > 0) event.currentTarget.blur();
        }}
      >
        {t(submitWord)}
      </Button>
    </div>
  );
}

type ChoiceProps = {
  isOn?: boolean;
  keyName?: string;
  disabled?: boolean;
  label?: string;
  onChoose: () => void;
  children: ReactNode;
};

/** A choice that is also a key. A click gives the focus back, so that the next Enter submits instead of pressing it again. */
export function Choice({ isOn, keyName, disabled = false, label, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      className="reviews-choice"
      aria-pressed={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        onChoose();
        if (event.detail > 0) event.currentTarget.blur();
      }}
    >
      {children}
      {keyName !== undefined && (
        <Kbd size="xs" aria-hidden>
          {keyName}
        </Kbd>
      )}
    </button>
  );
}
