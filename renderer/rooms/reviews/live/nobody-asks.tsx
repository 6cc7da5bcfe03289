import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Button, EmptyState, QueryState, useRoomNavigate } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** No question is open: either no run asks a person at all, or the one that does has nothing to ask right now. */
export function NobodyAsks() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runs = useApiQuery('runs.list', api.runs.list, {
    states: ['setting-up', 'stepping', 'pausing'],
    limit: 50,
  });
  return (
    <QueryState read={runs} problemOf={readableFailure}>
      {({ rows }) => {
        const asking = rows.filter(({ config }) => (config.supervision.human?.share ?? 0) > 0);
        return asking.length > 0 ? (
          <EmptyState
            title={t('reviews.live.idle.title')}
            text={t('reviews.live.idle.text', { runs: asking.map(({ config }) => config.name).join(', ') })}
          />
        ) : (
          <EmptyState title={t('reviews.live.empty.title')} text={t('reviews.live.empty.text')}>
            <Button onClick={() => navigate('/new')}>{t('reviews.live.empty.new')}</Button>
            <Button variant="default" onClick={() => navigate('/reviews/audits')}>
              {t('reviews.live.empty.audit')}
            </Button>
          </EmptyState>
        );
      }}
    </QueryState>
  );
}
