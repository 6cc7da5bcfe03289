import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import {
  Button,
  EmptyState,
  Page,
  QueryState,
  RunTabs,
  useRoomNavigate,
  useRoomParameter,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { RecordsOfRun } from './records-of-run.tsx';
import './records.css';

/** /runs/$runId/records: find a record of a run and read it beside its reviews. */
export function RecordsPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runId = useRoomParameter('runId');
  const run = useApiQuery('runs.get', api.runs.get, { runId }, { keep: false });
  const noRun = (
    <EmptyState title={t('records.noRun.title')} text={t('records.noRun.text')}>
      <Button onClick={() => navigate('/runs')}>{t('records.empty.runs')}</Button>
    </EmptyState>
  );
  const isUnknown = run.error !== null && readableFailure(run.error).kind === 'unknownRun';
  return (
    <Page
      title={t('records.title', { run: run.data?.config.name ?? runId })}
      aside={<RunTabs runId={runId} active="records" />}
      flush
    >
      {isUnknown ? (
        noRun
      ) : (
        <QueryState read={run} problemOf={readableFailure}>
          {(found) => {
            if (found === null) return noRun;
            if (found.committedSteps === 0) {
              return (
                <EmptyState title={t('records.empty.title')} text={t('records.empty.text')}>
                  <Button onClick={() => navigate('/runs/$runId', { runId })}>
                    {t('records.empty.live')}
                  </Button>
                  <Button variant="default" onClick={() => navigate('/runs')}>
                    {t('records.empty.runs')}
                  </Button>
                </EmptyState>
              );
            }
            return <RecordsOfRun key={runId} run={found} />;
          }}
        </QueryState>
      )}
    </Page>
  );
}
