import { useCommand } from '../../commands/index.ts';
import { useGo } from '../../ui/index.ts';
import { useWords } from '../../i18n/index.ts';
import { useTourProgress } from './progress.ts';

/** Starts the tour from anywhere; the frame holds it once. */
export function TourCommand() {
  const t = useWords();
  const go = useGo();
  const forget = useTourProgress((state) => state.forget);
  useCommand({
    id: 'tour.start',
    title: t('tour.start'),
    keys: null,
    group: t('tour.group'),
    run: () => {
      forget();
      go('/tour');
    },
  });
  return null;
}
