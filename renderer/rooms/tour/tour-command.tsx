import { useCommand } from '../../commands/index.ts';
import { useRoomNavigate } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { useTourProgress } from './progress.ts';

/** Starts the tour from anywhere; the frame holds it once. */
export function TourCommand() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const forget = useTourProgress((state) => state.forget);
  useCommand({
    id: 'tour.start',
    title: t('tour.start'),
    keys: null,
    group: t('tour.group'),
    run: () => {
      forget();
      navigate('/tour');
    },
  });
  return null;
}
