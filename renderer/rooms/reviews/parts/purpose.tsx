import { SegmentedControl, useGo } from '../../../ui/index.ts';
import { useWords } from '../../../i18n/index.ts';

const PATHS = { live: '/reviews', audits: '/reviews/audits' } as const;
type Purpose = keyof typeof PATHS;

/** What a person is here for. */
export function PurposePicker({ purpose }: { purpose: Purpose }) {
  const t = useWords();
  const go = useGo();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('reviews.purpose')}
      value={purpose}
      onChange={(value) => go(PATHS[value as Purpose])}
      data={[
        { value: 'live', label: t('reviews.purpose.live') },
        { value: 'audits', label: t('reviews.purpose.audits') },
      ]}
    />
  );
}
