import type { RecordFilter } from '../../../electron/contract/index.ts';
import { useCommand } from '../../commands/index.ts';
import { api, notify, notifyFailure, readableFailure, useApiMutation } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { useRoomNavigate } from '../../ui/index.ts';
import type { RecordAct } from './record/shown-record.tsx';

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

type Acts = {
  move: (by: number) => void;
  goStep: (direction: 'next' | 'previous') => Promise<void>;
  act: (what: RecordAct) => void;
  onFocus: () => void;
  onView: () => void;
  onPhase: (by: 1 | -1) => void;
  onSearch: () => void;
};

/** The room's keys and palette entries. */
export function useRecordCommands({ move, goStep, act, onFocus, onView, onPhase, onSearch }: Acts): void {
  const t = useTranslate();
  const group = t('records.group');
  useCommand({ id: 'records.next', title: t('records.next'), keys: 'j', group, run: () => move(1) });
  useCommand({ id: 'records.previous', title: t('records.previous'), keys: 'k', group, run: () => move(-1) });
  useCommand({
    id: 'records.nextStep',
    title: t('records.nextStep'),
    keys: ']',
    group,
    run: () => void goStep('next'),
  });
  useCommand({
    id: 'records.previousStep',
    title: t('records.previousStep'),
    keys: '[',
    group,
    run: () => void goStep('previous'),
  });
  useCommand({
    id: 'records.nextPhase',
    title: t('records.nextPhase'),
    keys: '.',
    group,
    run: () => onPhase(1),
  });
  useCommand({
    id: 'records.previousPhase',
    title: t('records.previousPhase'),
    keys: ',',
    group,
    run: () => onPhase(-1),
  });
  useCommand({ id: 'records.focus', title: t('records.focus'), keys: 'f', group, run: onFocus });
  useCommand({ id: 'records.view', title: t('records.viewSwitch'), keys: 'v', group, run: onView });
  useCommand({ id: 'records.search', title: t('records.search.focus'), keys: '/', group, run: onSearch });
  useCommand({
    id: 'records.link',
    title: t('records.action.link'),
    keys: 'y',
    group,
    run: () => act('link'),
  });
  useCommand({
    id: 'records.similar',
    title: t('records.action.similar'),
    keys: 's',
    group,
    run: () => act('similar'),
  });
  useCommand({
    id: 'records.context',
    title: t('records.action.context'),
    keys: 'c',
    group,
    run: () => act('context'),
  });
  useCommand({
    id: 'records.export',
    title: t('records.action.export'),
    keys: null,
    group,
    run: () => act('export'),
  });
  useCommand({
    id: 'records.queue',
    title: t('records.action.queue'),
    keys: 'q',
    group,
    run: () => act('queue'),
  });
}
