import type { RefObject } from 'react';
import { Text, Textarea } from '../../../ui/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import type { AuditForm, Scale } from './audit-form.ts';
import type { DigitMode } from '../queue/queue.ts';
import { Choice } from '../queue/decision-bar.tsx';

type MarksProps = {
  form: AuditForm;
  mode: DigitMode;
  comment: RefObject<HTMLTextAreaElement | null>;
  onForm: (change: (form: AuditForm) => AuditForm) => void;
  press: (key: string) => void;
};

const SCALES: readonly { scale: Scale; key: string; word: MessageId; hint: MessageId }[] = [
  { scale: 'safetyRelevance', key: 's', word: 'reviews.audit.safety', hint: 'reviews.audit.safety.hint' },
  { scale: 'actionability', key: 'a', word: 'reviews.audit.action', hint: 'reviews.audit.action.hint' },
];
const STEPS = Array.from({ length: 11 }, (_, step) => step * 10);
const MOST_COMMENT = 2000;

/** The two scales and the comment. */
export function Marks({ form, mode, comment, onForm, press }: MarksProps) {
  const t = useTranslate();
  return (
    <>
      {SCALES.map(({ scale, key, word, hint }) => (
        <section key={scale} className="reviews-field" aria-label={t(word)}>
          <p className="reviews-label">
            {t('reviews.audit.mark', { name: t(word), mark: form[scale] ?? t('reviews.audit.mark.none') })} ·{' '}
            {t(hint)}
          </p>
          <div className="reviews-scale" data-open={mode.field === scale} role="group" aria-label={t(word)}>
            {STEPS.map((mark) => (
              <Choice
                key={mark}
                isOn={form[scale] === mark}
                label={t('reviews.audit.mark', { name: t(word), mark })}
                onChoose={() => onForm((before) => ({ ...before, [scale]: mark }))}
              >
                {mark}
              </Choice>
            ))}
            {form[scale] !== null && form[scale] % 10 !== 0 && (
              <Choice
                isOn
                label={t('reviews.audit.mark', { name: t(word), mark: form[scale] })}
                onChoose={() => press(key)}
              >
                {form[scale]}
              </Choice>
            )}
            <Choice
              keyName={key}
              label={t(key === 's' ? 'reviews.key.safetyMark' : 'reviews.key.actionMark')}
              onChoose={() => press(key)}
            >
              {null}
            </Choice>
          </div>
        </section>
      ))}
      <Textarea
        ref={comment}
        label={t('reviews.audit.comment')}
        rows={3}
        resize="vertical"
        maxLength={MOST_COMMENT}
        value={form.comment}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onForm((before) => ({ ...before, comment: value }));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.currentTarget.blur();
            press('Enter');
          }
        }}
      />
      <Text size="xs" c="var(--quiet)" mt={4}>
        {t('reviews.key.commentDone')}
      </Text>
    </>
  );
}
