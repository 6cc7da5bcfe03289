import { Banner, Button, durationText, percentText, useRoomNavigate } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import type { RunBanner } from '../model/banners.ts';

type RunBannersProps = {
  runId: string;
  banners: readonly RunBanner[];
  /** Seconds of a usual step, for what resuming repeats. */ usualStep: number | null;
};

/** What is out of the ordinary with the run, and what helps. */
export function RunBanners({ runId, banners, usualStep }: RunBannersProps) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  return banners.map((banner) => (
    <Banner
      key={`${banner.kind} ${'child' in banner ? banner.child : ''}`}
      tone={
        banner.kind === 'failed'
          ? 'bad'
          : banner.kind === 'paused' || banner.kind === 'queued'
            ? 'plain'
            : 'warn'
      }
      action={
        banner.kind === 'person' ? (
          <Button size="compact-sm" onClick={() => navigate('/reviews', {}, { run: runId })}>
            {t('live.banner.person.open')}
          </Button>
        ) : undefined
      }
    >
      {bannerText(t, banner, usualStep)}
    </Banner>
  ));
}

/** A banner in one or two sentences. */
export function bannerText(t: Translate, banner: RunBanner, usualStep: number | null): string {
  switch (banner.kind) {
    case 'failed':
    case 'interrupted':
    case 'paused': {
      const what = t(`live.banner.${banner.kind}`, { reason: banner.reason ?? t('live.banner.unsaid') });
      // The reason of a pause or a stop already says what resuming does.
      if (banner.redo === null || /resum/i.test(banner.reason ?? '')) return what;
      return `${what} ${t('live.banner.redo', { redo: banner.redo, seconds: usualStep === null ? 'none' : durationText(usualStep) })}`;
    }
    case 'queued':
      return t('live.banner.queued');
    case 'person':
      return t('live.banner.person', {
        count: banner.count,
        left:
          banner.secondsLeft === null
            ? 'none'
            : banner.secondsLeft <= 0
              ? 'over'
              : clockText(banner.secondsLeft),
      });
    case 'silent':
      return t('live.banner.silent', {
        process: t(`live.process.${banner.child}`),
        seconds: banner.seconds,
        limit: banner.limitSeconds === null ? 'none' : durationText(banner.limitSeconds),
      });
    case 'still':
      return t('live.banner.still', {
        process: t(`live.process.${banner.child}`),
        seconds: durationText(banner.seconds),
        limit: banner.limitSeconds === null ? 'none' : durationText(banner.limitSeconds),
      });
    case 'lost':
      return t('live.banner.lost', { process: t(`live.process.${banner.child}`), detail: banner.detail });
    case 'behind':
      return t('live.banner.behind', {
        waiting: banner.waiting,
        share: banner.share === null ? 'none' : percentText(banner.share, 0),
      });
  }
}

/** Minutes and seconds, as a clock that runs down: 04:12. */
function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
}
