import { memo } from 'react';
import type { Phase, PhaseProbabilities } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { EmptyState, QueryState } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { PairHead } from './pair-head.tsx';
import { PairView } from './pair-view.tsx';
import { RecordActions, type RecordAct } from './record-actions.tsx';

type ShownRecordProps = {
  runId: string;
  recordId: string | null;
  probabilities: PhaseProbabilities;
  phase: Phase | undefined;
  view: 'rendered' | 'raw';
  isFocused: boolean;
  onView: (view: 'rendered' | 'raw') => void;
  onFocus: () => void;
  onAct: (act: RecordAct) => void;
  onRecord: (id: string) => void;
};

/** The record of the address, read and shown; the one before stays until it is there. */
export const ShownRecord = memo(function ShownRecord({
  runId,
  recordId,
  probabilities,
  phase,
  view,
  isFocused,
  onView,
  onFocus,
  onAct,
  onRecord,
}: ShownRecordProps) {
  const t = useTranslate();
  const record = useApiQuery(
    'records.get',
    api.records.get,
    { runId, recordId: recordId ?? '' },
    { enabled: recordId !== null },
  );
  if (recordId === null)
    return (
      <div className="records-right-pane">
        <p className="records-hint">{t('records.pair.none')}</p>
      </div>
    );
  return (
    <div className="records-right-pane">
      <QueryState read={record} problemOf={readableFailure}>
        {(found) =>
          found === null ? (
            <EmptyState title={t('records.noRecord.title')} text={t('records.noRecord', { id: recordId })} />
          ) : (
            <>
              <PairHead
                rollout={found.rollout}
                actions={
                  <RecordActions
                    view={view}
                    onView={onView}
                    isFocused={isFocused}
                    onFocus={onFocus}
                    onAct={onAct}
                  />
                }
              />
              <PairView
                key={found.rollout.id}
                record={found}
                probabilities={probabilities}
                view={view}
                phase={phase}
                onRecord={onRecord}
              />
            </>
          )
        }
      </QueryState>
    </div>
  );
});
