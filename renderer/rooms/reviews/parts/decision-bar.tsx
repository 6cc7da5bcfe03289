import { Button } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Choice } from './choice.tsx';

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
