import type { RefObject } from 'react';
import type { AuditItemDetail } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate, type MessageId, type Translate } from '../../../i18n/index.ts';
import {
  batchText,
  ErrorPanel,
  issueText,
  Loading,
  PhaseChip,
  Text,
  Title,
  Textarea,
  visibleString,
  Quiet,
} from '../../../ui/index.ts';
import { AgentText, FoldedText } from '../queue/agent-text.tsx';
import type { QueueItem, DigitMode } from '../queue/queue.ts';
import type { AuditForm, Scale } from './audit-form.ts';
import { Choice } from '../queue/decision-bar.tsx';

type AuditItemViewProps = {
  auditId: string;
  item: QueueItem<AuditForm>;
  mode: DigitMode;
  comment: RefObject<HTMLTextAreaElement | null>;
  onForm: (change: (form: AuditForm) => AuditForm) => void;
  press: (key: string) => void;
  next: string | null;
};

/** The agent's side and, once the person has decided, the supervisor's. */
export function AuditItemView({ auditId, item, mode, comment, onForm, press, next }: AuditItemViewProps) {
  const t = useTranslate();
  const ordinal = Number(item.key);
  const read = useApiQuery(
    'reviews.audits.item',
    api.reviews.audits.item,
    { auditId, ordinal },
    { keep: false },
  );
  useApiQuery(
    'reviews.audits.item',
    api.reviews.audits.item,
    { auditId, ordinal: Number(next ?? ordinal) },
    { keep: false },
  );
  if (read.data === undefined) {
    return (
      <div className="reviews-sides">
        {read.error === null ? (
          <Loading />
        ) : (
          <ErrorPanel problem={readableFailure(read.error)} onRetry={() => void read.refetch()} />
        )}
      </div>
    );
  }
  const detail = read.data;
  return (
    <div className="reviews-sides">
      <div className="reviews-side">
        <AgentSide detail={detail} />
      </div>
      <div className="reviews-side">
        {item.form.seen ? (
          <>
            <SupervisorSide detail={detail} />
            {item.form.decision !== null && item.form.wasHidden && !item.form.blind && (
              <Text size="xs" c="var(--warn)" mb="xs">
                {t('reviews.audit.notBlind')}
              </Text>
            )}
            <Marks form={item.form} mode={mode} comment={comment} onForm={onForm} press={press} />
          </>
        ) : (
          <div className="reviews-hidden">
            <Title order={2}>{t('reviews.audit.hidden')}</Title>
            <Text size="sm" mt="xs">
              {t('reviews.audit.hidden.text')}
            </Text>
          </div>
        )}
      </div>
    </div>
  );
}

function AgentSide({ detail: { item, agent } }: { detail: AuditItemDetail }) {
  const t = useTranslate();
  return (
    <>
      <div className="reviews-side-head">
        <Title order={2}>{t('reviews.agent')}</Title>
        <PhaseChip phase={item.phase} />
        <Quiet>{t('reviews.item', { step: item.step, batch: batchText(t, item.batch) })}</Quiet>
      </div>
      {item.phase === 'exec' && <Text size="sm">{t('reviews.agent.batch')}</Text>}
      {item.phase !== 'exec' && agent === null && <Text size="sm">{t('reviews.agent.gone')}</Text>}
      {item.phase !== 'exec' && agent !== null && (
        <>
          {agent.text === null ? (
            <Text size="sm" mb="sm">
              {t('reviews.agent.none')}
            </Text>
          ) : (
            <AgentText heading={t(`phase.${item.phase}`)} text={agent.text} isMain />
          )}
          {agent.asked !== null && (
            <FoldedText heading={t('reviews.agent.asked')} text={agent.asked} isOpen />
          )}
        </>
      )}
    </>
  );
}

/** Who judged the answer, and how it ended. */
function endOf(t: Translate, { outcome, reason }: NonNullable<AuditItemDetail['agent']>): [string, string] {
  const isRated = outcome === 'satisfied' || outcome === 'dissatisfied';
  const word = t(`outcome.${outcome}`);
  return [
    t(isRated ? 'reviews.audit.rating' : 'reviews.audit.verdict'),
    reason === null ? word : `${word}: ${reason}`,
  ];
}

/** What the supervisor said, with what is needed to judge it: the leak guard's word, the verifier's result and the hidden answer. */
export function SupervisorSide({ detail: { review, agent, hidden } }: { detail: AuditItemDetail }) {
  const t = useTranslate();
  if (review === null) return <Text size="sm">{t('reviews.agent.gone')}</Text>;
  const rows: [string, string][] = [
    [t('reviews.audit.decision'), review.decision ?? ''],
    [
      t('reviews.audit.issues'),
      review.issues.map((issue) => issueText(t, issue)).join(', ') || t('common.none'),
    ],
    [
      t('reviews.audit.guard'),
      review.leaks.length === 0
        ? t('reviews.audit.guard.clean')
        : t('reviews.audit.guard.found', { findings: review.leaks.join('; ') }),
    ],
    ...(agent === null ? [] : [endOf(t, agent)]),
  ];
  return (
    <>
      <div className="reviews-side-head">
        <Title order={2}>{t('reviews.audit.supervisor')}</Title>
      </div>
      <AgentText heading={t('reviews.audit.feedback')} text={review.feedback} isMain />
      <dl className="reviews-facts">
        {rows.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      <FoldedText
        heading={t('reviews.audit.secret')}
        text={hidden.length === 0 ? t('reviews.audit.secret.none') : hidden.join('\n')}
      />
      <FoldedText heading={t('reviews.prompt')} text={review.prompt} />
      <Quiet size="xs" mb="sm" className="numbers">
        {t('reviews.audit.cost', {
          seconds: (review.milliseconds / 1000).toFixed(2),
          tokensIn: review.tokensIn,
          tokensOut: review.tokensOut,
        })}
      </Quiet>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{visibleString(value)}</dd>
    </>
  );
}

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
      <Quiet size="xs" mt={4}>
        {t('reviews.key.commentDone')}
      </Quiet>
    </>
  );
}
