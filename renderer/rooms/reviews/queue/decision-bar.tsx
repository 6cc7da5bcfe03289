import type { ReactNode } from 'react';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, Kbd } from '../../../ui/index.ts';

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
