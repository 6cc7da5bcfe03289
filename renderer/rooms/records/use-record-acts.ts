import { api, notify, notifyFailure, readableFailure, useApiMutation } from '../../data/index.ts';
import type { RecordFilter } from '../../../electron/contract/index.ts';
import { useRoomNavigate } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { RecordAct } from './pair/record-actions.tsx';

type ActsOn = {
  runId: string;
  recordId: string | null;
  filter: RecordFilter;
  onRecord: (id: string) => void;
  onSimilar: (id: string) => void;
  onContext: () => void;
};

/** What can be done with the record that is shown. */
export function useRecordActs({ runId, recordId, filter, onRecord, onSimilar, onContext }: ActsOn) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const exportRecord = useApiMutation(api.records.export);
  const copyLink = async (id: string): Promise<void> => {
    onRecord(id); // a record shown because it is the first gets an address of its own
    const link = new URL(location.href);
    link.hash = `#/runs/${encodeURIComponent(runId)}/records?record=${encodeURIComponent(id)}`;
    try {
      await navigator.clipboard.writeText(link.href);
      notify(t('records.action.linkCopied'));
    } catch {
      notifyFailure(t('records.action.copyFailed'));
    }
  };
  const act = (what: RecordAct): void => {
    if (recordId === null) return;
    switch (what) {
      case 'link':
        return void copyLink(recordId);
      case 'export':
        return exportRecord.mutate(
          { runId, recordId },
          { onSuccess: ({ path }) => notify(t('records.action.exported', { path })) },
        );
      case 'context':
        return onContext();
      case 'similar':
        return onSimilar(recordId);
      case 'queue':
        return navigate('/reviews', {}, { run: runId, record: recordId });
    }
  };
  const goStep = async (direction: 'next' | 'previous'): Promise<void> => {
    if (recordId === null) return;
    try {
      const there = await api.records.inNextStep.query({ runId, recordId, filter, direction });
      if (there === null) notify(t(direction === 'next' ? 'records.lastStep' : 'records.firstStep'), 'plain');
      else onRecord(there);
    } catch (error) {
      notifyFailure(readableFailure(error).sentence);
    }
  };
  return { act, goStep };
}
