import { Button, ConfirmButton, Group, useRoomNavigate } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { StopExhibit } from './stop.ts';

/** The end of the tour: the air gap, one's own first run, and what becomes of the sample. */
export const YoursStop: StopExhibit = ({ onDone, onDelete }) => {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const leave = (path: string, search: Record<string, unknown> = {}): void => {
    onDone();
    navigate(path, {}, search);
  };
  return (
    <Group>
      <Button onClick={() => leave('/settings', { section: 'airgap' })}>{t('tour.yours.airgap')}</Button>
      <Button variant="default" onClick={() => leave('/new')}>
        {t('tour.yours.new')}
      </Button>
      <Button variant="default" onClick={() => leave('/library')}>
        {t('tour.yours.library')}
      </Button>
      <ConfirmButton
        label={t('tour.delete')}
        title={t('tour.delete.title')}
        consequence={t('tour.delete.text')}
        confirm={t('tour.delete.confirm')}
        onConfirm={() => {
          onDone();
          onDelete();
        }}
      />
    </Group>
  );
};
