import type { ProgressStage, RunRecord, StepPlace } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, notify, useApiMutation } from '../../../data/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  Banner,
  Button,
  bytesText,
  ConfirmButton,
  durationText,
  percentText,
  Progress,
  StatusDot,
  Tooltip,
  useRoomNavigate,
} from '../../../ui/index.ts';
import { isAtWork, type RunBanner } from '../model/banners.ts';
import type { TimeLeft } from '../model/timeline.ts';

type Stage = {
  stage: ProgressStage;
  done: number;
  total: number;
  ratePerSecond?: number | null;
  etaSeconds?: number | null;
  place?: StepPlace | undefined;
};
type RunTitleProps = { run: RunRecord; committedSteps: number; stage: Stage | null; left: TimeLeft | null };

/** State, step and time left, beside the run's name. */
export function RunTitle({ run, committedSteps, stage, left }: RunTitleProps) {
  const t = useTranslate();
  const { steps } = run.config;
  const present = isAtWork(run.state) ? Math.min(steps, committedSteps + 1) : committedSteps;
  return (
    <div className="live-title">
      <StatusDot state={run.state} />
      <span className="numbers">{t('live.step', { step: present, steps })}</span>
      <Progress value={(committedSteps / steps) * 100} w={90} size="sm" aria-label={t('live.progress')} />
      {isAtWork(run.state) && stage?.place !== undefined && (
        <span className="numbers">{t('live.place', stage.place)}</span>
      )}
      {isAtWork(run.state) && stage !== null && stage.stage !== 'committed' && (
        <span className="live-quiet numbers">{stageText(t, stage)}</span>
      )}
      {isAtWork(run.state) &&
        committedSteps < steps &&
        stage?.stage !== 'seeds' &&
        (left === null ? (
          <span className="live-quiet">{t('live.left.learning')}</span>
        ) : (
          <Tooltip
            label={t('live.left.band', { low: durationText(left.low), high: durationText(left.high) })}
            withArrow
          >
            <span className="numbers">
              {t('live.left', { median: durationText(left.median) })}{' '}
              <span className="live-quiet live-title-band">
                ({durationText(left.low)}–{durationText(left.high)})
              </span>
            </span>
          </Tooltip>
        ))}
    </div>
  );
}

function stageText(t: Translate, { stage, done, total, ratePerSecond, etaSeconds }: Stage): string {
  const name = t(`progress.${stage}`);
  // The first tasks are counted before there is a step to reckon with.
  if (stage === 'seeds' && ratePerSecond != null && etaSeconds != null)
    return t('live.stage.paced', {
      stage: name,
      done,
      total,
      rate: (ratePerSecond * 60).toFixed(1),
      left: durationText(etaSeconds),
    });
  return total > 1 ? t('live.stage', { stage: name, done, total }) : t('live.stage.alone', { stage: name });
}

type RunActionsProps = {
  run: RunRecord;
  /** Seconds the present step has taken so far; null when unknown. */
  spentSeconds: number | null;
  onFeedTop: () => void;
};

const CAN_RESUME: readonly RunRecord['state'][] = ['paused', 'interrupted', 'failed'];
const AGAIN = ['runs', 'live.redo'];

/** What a person can do to the run now; each is in the palette and has a key. */
export function RunActions({ run, spentSeconds, onFeedTop }: RunActionsProps) {
  const t = useTranslate();
  const runId = run.id;
  const pause = useApiMutation(api.runs.pause, { invalidates: AGAIN });
  const stop = useApiMutation(api.runs.stop, { invalidates: AGAIN });
  const resume = useApiMutation(api.runs.resume, { invalidates: AGAIN });
  const keep = useApiMutation(api.live.keepCheckpoint, {
    invalidates: ['runs.checkpoints', 'live.keptCheckpoints'],
  });
  const keepNow = (): void =>
    keep.mutate(
      { runId },
      {
        onSuccess: ({ step, bytes, folder }) =>
          notify(t('live.kept', { step, bytes: bytesText(bytes), folder })),
      },
    );
  const canPause = run.state === 'stepping' || run.state === 'setting-up';
  const canResume = CAN_RESUME.includes(run.state);
  const canKeep = run.committedSteps > 0 && run.state !== 'done';
  const group = t('live.command.group');
  useCommand(
    { id: 'live.pause', title: t('live.pause'), keys: 'Shift+P', group, run: () => pause.mutate({ runId }) },
    canPause,
  );
  useCommand(
    {
      id: 'live.resume',
      title: t('live.resume'),
      keys: 'Shift+R',
      group,
      run: () => resume.mutate({ runId }),
    },
    canResume,
  );
  useCommand({ id: 'live.keep', title: t('live.keep'), keys: 'Shift+K', group, run: keepNow }, canKeep);
  useCommand({ id: 'live.feed', title: t('live.command.feed'), keys: 'n', group, run: onFeedTop });
  return (
    <>
      {canKeep && (
        <Tooltip label={t('live.keep.title')} multiline w={280} withArrow>
          <Button variant="default" size="xs" onClick={keepNow} loading={keep.isPending}>
            {t('live.keep')}
          </Button>
        </Tooltip>
      )}
      {(isAtWork(run.state) || run.state === 'queued') && (
        <ConfirmButton
          size="xs"
          label={t(run.state === 'queued' ? 'live.unqueue' : 'live.stop')}
          title={t('live.stop.title', { name: run.config.name })}
          consequence={
            run.state === 'queued'
              ? t('live.unqueue.text')
              : t('live.stop.text', {
                  step: Math.min(run.config.steps, run.committedSteps + 1),
                  stored: run.committedSteps,
                  spent: spentSeconds === null ? 'none' : durationText(spentSeconds),
                })
          }
          confirm={t(run.state === 'queued' ? 'live.unqueue' : 'live.stop')}
          onConfirm={() => stop.mutate({ runId })}
        />
      )}
      {isAtWork(run.state) && (
        <Button size="xs" disabled={!canPause} onClick={() => pause.mutate({ runId })}>
          {t(run.state === 'pausing' ? 'live.pausing' : 'live.pause')}
        </Button>
      )}
      {canResume && (
        <Button size="xs" onClick={() => resume.mutate({ runId })} loading={resume.isPending}>
          {t('live.resume')}
        </Button>
      )}
    </>
  );
}

type RunBannersProps = {
  runId: string;
  banners: readonly RunBanner[];
  /** Seconds of a usual step, for what resuming repeats. */
  usualStep: number | null;
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
