import type { AuditItemDetail } from '../../../../electron/contract/index.ts';
import { Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { visibleText } from '../model/visible-text.ts';
import { AgentText, FoldedText } from '../parts/agent-text.tsx';

/** What the supervisor said, with what is needed to judge it: the leak guard's word, the verifier's result and the hidden answer. */
export function SupervisorSide({ detail: { review, agent, hidden } }: { detail: AuditItemDetail }) {
  const t = useTranslate();
  if (review === null) return <Text size="sm">{t('reviews.agent.gone')}</Text>;
  const rows: [string, string][] = [
    [t('reviews.audit.decision'), review.decision ?? ''],
    [t('reviews.audit.issues'), review.issues.join(', ') || t('common.none')],
    [
      t('reviews.audit.guard'),
      review.leaks.length === 0
        ? t('reviews.audit.guard.clean')
        : t('reviews.audit.guard.found', { findings: review.leaks.join('; ') }),
    ],
    ...(agent?.outcome == null
      ? []
      : [
          [
            t('reviews.audit.verdict'),
            agent.reason === null ? agent.outcome : `${agent.outcome}: ${agent.reason}`,
          ] as [string, string],
        ]),
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
      <Text size="xs" c="var(--quiet)" mb="sm" className="numbers">
        {t('reviews.audit.cost', {
          seconds: (review.milliseconds / 1000).toFixed(2),
          tokensIn: review.tokensIn,
          tokensOut: review.tokensOut,
        })}
      </Text>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{visibleText(value).text}</dd>
    </>
  );
}
