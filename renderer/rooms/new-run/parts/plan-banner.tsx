import { Banner, Button } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { Only, Origin } from '../model/draft.ts';

/** Says that the plan has to stay like another run, and how to lift that. */
export function PlanBanner({
  origin,
  only,
  onLift,
}: {
  origin: Origin | null;
  only: Only;
  onLift: () => void;
}) {
  const t = useTranslate();
  if (only === null || origin?.kind !== 'run') return null;
  return (
    <Banner
      action={
        <Button size="compact-sm" variant="default" style={{ flexShrink: 0 }} onClick={onLift}>
          {t('new-run.only.lift')}
        </Button>
      }
    >
      {t('new-run.only.gate', { name: origin.name })}
    </Banner>
  );
}
