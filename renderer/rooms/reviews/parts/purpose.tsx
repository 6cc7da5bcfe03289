import { SegmentedControl, useRoomNavigate } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const PATHS = { live: '/reviews', audits: '/reviews/audits' } as const;
type Purpose = keyof typeof PATHS;

/** What a person is here for. */
export function PurposePicker({ purpose }: { purpose: Purpose }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('reviews.purpose')}
      value={purpose}
      onChange={(value) => navigate(PATHS[value as Purpose])}
      data={[
        { value: 'live', label: t('reviews.purpose.live') },
        { value: 'audits', label: t('reviews.purpose.audits') },
      ]}
    />
  );
}
