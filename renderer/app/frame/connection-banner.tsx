import { useEffect } from 'react';
import { notify, useLiveState, useConnectionStatus } from '../../data/index.ts';
import { Banner, Button } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';

/** Says that the engine is away or lets this window in no more, and that another engine took its place. */
export function ConnectionBanner() {
  const t = useTranslate();
  const standing = useConnectionStatus();
  const restarts = useLiveState((state) => state.restarts);
  useEffect(() => {
    if (restarts > 0) notify(t('frame.engine.restarted'), 'plain');
  }, [restarts, t]);
  if (standing === 'lost') return <Banner tone="warn">{t('common.lost')}</Banner>;
  if (standing !== 'out') return null;
  return (
    <Banner
      tone="bad"
      action={
        <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
          {t('frame.signIn')}
        </Button>
      }
    >
      {t('frame.signedOut.banner')}
    </Banner>
  );
}
