import type { RefObject } from 'react';
import type { AuditItemDetail } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { ErrorPanel, Loading, PhaseChip, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { AuditForm } from '../model/audit-form.ts';
import type { DeskItem, DigitMode } from '../model/desk.ts';
import { AgentText, FoldedText } from '../parts/agent-text.tsx';
import { Marks } from './marks.tsx';
import { SupervisorSide } from './supervisor-side.tsx';

type AuditItemViewProps = {
  auditId: string;
  item: DeskItem<AuditForm>;
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
        <Text size="sm" c="var(--quiet)">
          {t('reviews.item', { step: item.step, batch: item.batch })}
        </Text>
      </div>
      {item.phase === 'exec' ? (
        <Text size="sm">{t('reviews.agent.batch')}</Text>
      ) : agent === null ? (
        <Text size="sm">{t('reviews.agent.gone')}</Text>
      ) : (
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
