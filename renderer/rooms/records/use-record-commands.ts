import { useCommand } from '../../commands/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { RecordAct } from './pair/record-actions.tsx';

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
