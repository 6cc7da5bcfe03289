import type {
  Audit,
  AuditAgreement,
  AuditMeasure,
  AuditResults,
} from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import {
  CsvButton,
  Num,
  numberText,
  percentText,
  QueryState,
  Table,
  Text,
  Title,
  Quiet,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Keeping } from './audit-queue.tsx';
import { agreementTable, differTable, measuresTable } from './tables.ts';
import { JudgePanel } from './judge-panel.tsx';

/** Means of the three trajectories in the paper's Table 4; only those whose column its text names. */
const PAPER: Record<string, number> = {
  'person non-leakage': 98.3,
  'person safety-relevance': 84,
  'person actionability': 84.3,
  'judge safety-relevance': 85,
};

/** What an audit comes to: measures, agreement, and where the raters differ. */
export function AuditResultsView({ audit, onItem }: { audit: Audit; onItem: (ordinal: number) => void }) {
  const t = useTranslate();
  const results = useApiQuery('reviews.audits.results', api.reviews.audits.results, {
    auditId: audit.head.id,
  });
  return (
    <QueryState read={results} problemOf={readableFailure}>
      {(found) => (
        <div className="reviews-columns">
          <div>
            <Text size="sm" mb="md">
              {t('reviews.results.counts', {
                done: found.done,
                blind: found.blind,
                unsure: found.unsure,
                risks: found.safetyRisks,
                drafts: found.drafts,
                discarded: found.discarded,
                open: found.open,
              })}
            </Text>
            <Keeping head={audit.head} />
            <Title order={2} mt="lg" mb="xs">
              {t('reviews.results.measures')}{' '}
              <CsvButton title={t('reviews.results.measures')} table={() => measuresTable(found)} />
            </Title>
            <Measures measures={found.measures} isJudgeFit={found.judgeFit !== false} />
            <Title order={2} mt="lg" mb="xs">
              {t('reviews.results.differ')}{' '}
              {found.differ.length > 0 && (
                <CsvButton title={t('reviews.results.differ')} table={() => differTable(found)} />
              )}
            </Title>
            <Differences differ={found.differ} onItem={onItem} />
          </div>
          <div>
            <section className="reviews-panel">
              <Title order={2} mb="xs">
                {t('reviews.results.agreement')}{' '}
                {(found.decision ?? found.leak) !== null && (
                  <CsvButton title={t('reviews.results.agreement')} table={() => agreementTable(found)} />
                )}
              </Title>
              <Agreement title={t('reviews.results.decision')} found={found.decision} />
              <Agreement title={t('reviews.results.leak')} found={found.leak} />
              {found.safety !== null && (
                <Text size="sm">
                  {t('reviews.results.safety', {
                    difference: numberText(found.safety.difference, 1),
                    low: numberText(found.safety.low, 1),
                    high: numberText(found.safety.high, 1),
                    absolute: found.safety.meanAbsolute.toFixed(1),
                    n: found.safety.n,
                  })}
                </Text>
              )}
            </section>
            <JudgePanel audit={audit} />
          </div>
        </div>
      )}
    </QueryState>
  );
}

function Measures({ measures, isJudgeFit }: { measures: readonly AuditMeasure[]; isJudgeFit: boolean }) {
  const t = useTranslate();
  return (
    <Table verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            {t('reviews.results.measure')} ({t('common.higherIsBetter')})
          </Table.Th>
          <Table.Th>{t('reviews.results.rater')}</Table.Th>
          <Table.Th ta="end">{t('reviews.results.mean')}</Table.Th>
          <Table.Th ta="end">{t('reviews.results.interval')}</Table.Th>
          <Table.Th ta="end">{t('reviews.results.n')}</Table.Th>
          <Table.Th ta="end" title={t('reviews.results.paper.hint')}>
            {t('reviews.results.paper')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {measures.map(({ name, rater, n, mean, low, high }) => (
          <Table.Tr
            key={`${rater} ${name}`}
            style={rater === 'judge' && !isJudgeFit ? { color: 'var(--quiet)' } : undefined}
          >
            <Table.Th>{t(`reviews.measure.${name}`)}</Table.Th>
            <Table.Td>{t(`reviews.rater.${rater}`)}</Table.Td>
            <Table.Td ta="end">
              {mean === null ? t('reviews.results.none') : <Num value={mean} digits={1} />}
            </Table.Td>
            <Table.Td ta="end" className="numbers">
              {low === null || high === null ? '' : `${low.toFixed(1)} – ${high.toFixed(1)}`}
            </Table.Td>
            <Table.Td ta="end">
              <Num value={n} />
            </Table.Td>
            <Table.Td ta="end" c="var(--quiet)">
              <Num value={PAPER[`${rater} ${name}`] ?? null} digits={1} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Agreement({ title, found }: { title: string; found: AuditAgreement | null }) {
  const t = useTranslate();
  if (found === null)
    return (
      <>
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Text size="sm" mb="sm">
          {t('reviews.results.agreement.none')}
        </Text>
      </>
    );
  const {
    raw,
    kappa,
    table: [both, first, second, neither],
  } = found;
  const two = (value: number): string => numberText(value, 2);
  return (
    <div className="reviews-field">
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Text size="sm" className="numbers">
        {kappa === null
          ? t('reviews.results.kappa.none')
          : t('reviews.results.kappa', {
              value: two(kappa.value),
              low: two(kappa.low),
              high: two(kappa.high),
            })}
      </Text>
      <Text size="sm" className="numbers">
        {t('reviews.results.raw', {
          hits: raw.hits,
          n: raw.n,
          share: percentText(raw.share),
          low: percentText(raw.low),
          high: percentText(raw.high),
        })}
      </Text>
      <Quiet size="xs" className="numbers">
        {t('reviews.results.table', { both, first, second, neither })}
      </Quiet>
    </div>
  );
}

function Differences({
  differ,
  onItem,
}: {
  differ: AuditResults['differ'];
  onItem: (ordinal: number) => void;
}) {
  const t = useTranslate();
  if (differ.length === 0) return <Text size="sm">{t('reviews.results.differ.none')}</Text>;
  return (
    <Table verticalSpacing={2}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('reviews.column.question')}</Table.Th>
          <Table.Th>{t('reviews.results.differ.what')}</Table.Th>
          <Table.Th>{t('reviews.results.differ.you')}</Table.Th>
          <Table.Th>{t('reviews.results.differ.they')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differ.map(({ ordinal, what, person, other }) => (
          <Table.Tr key={`${ordinal} ${what}`}>
            <Table.Td>
              <button type="button" className="reviews-differ" onClick={() => onItem(ordinal)}>
                {t('reviews.results.differ.open', { n: ordinal + 1 })}
              </button>
            </Table.Td>
            <Table.Td>{t(`reviews.results.differ.${what}`)}</Table.Td>
            <Table.Td>{person}</Table.Td>
            <Table.Td>{other}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
