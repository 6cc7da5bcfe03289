import { api, readableFailure, useRead } from '../../../data/index.ts';
import { Button, EmptyState, ReadState, useGo } from '../../../ui/index.ts';
import { useWords } from '../../../i18n/index.ts';

/** No question is open: either no run asks a person at all, or the one that does has nothing to ask right now. */
export function NobodyAsks() {
  const t = useWords();
  const go = useGo();
  const runs = useRead('runs.list', api.runs.list, {
    states: ['setting-up', 'stepping', 'pausing'],
    limit: 50,
  });
  return (
    <ReadState read={runs} problemOf={readableFailure}>
      {({ rows }) => {
        const asking = rows.filter(({ config }) => (config.supervision.human?.share ?? 0) > 0);
        return asking.length > 0 ? (
          <EmptyState
            title={t('reviews.live.idle.title')}
            text={t('reviews.live.idle.text', { runs: asking.map(({ config }) => config.name).join(', ') })}
          />
        ) : (
          <EmptyState title={t('reviews.live.empty.title')} text={t('reviews.live.empty.text')}>
            <Button onClick={() => go('/new')}>{t('reviews.live.empty.new')}</Button>
            <Button variant="default" onClick={() => go('/reviews/audits')}>
              {t('reviews.live.empty.audit')}
            </Button>
          </EmptyState>
        );
      }}
    </ReadState>
  );
}
