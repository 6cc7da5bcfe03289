import { durationText, Progress, StatusDot, Tooltip } from '../../../ui/index.ts';
import { useTranslate, type Translate, type MessageId } from '../../../i18n/index.ts';
import type { RunRecord } from '../../../../electron/contract/index.ts';
import { isAtWork } from '../model/banners.ts';
import type { TimeLeft } from '../model/pace.ts';

type Stage = { stage: string; done: number; total: number };
type RunTitleProps = { run: RunRecord; committedSteps: number; stage: Stage | null; left: TimeLeft | null };

const STAGES: Record<string, MessageId> = {
  tasks: 'live.stage.tasks',
  generate: 'live.stage.generate',
  estimate: 'live.stage.estimate',
  update: 'live.stage.update',
  supervise: 'live.stage.supervise',
  committed: 'live.stage.committed',
};

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
      {isAtWork(run.state) && stage !== null && stage.stage !== 'committed' && (
        <span className="live-quiet numbers">{stageText(t, stage)}</span>
      )}
      {isAtWork(run.state) &&
        committedSteps < steps &&
        (left === null ? (
          <span className="live-quiet">{t('live.left.learning')}</span>
        ) : (
          <Tooltip
            label={t('live.left.band', { low: durationText(left.low), high: durationText(left.high) })}
            withArrow
          >
            <span className="numbers">
              {t('live.left', { median: durationText(left.median) })}{' '}
              <span className="live-quiet">
                ({durationText(left.low)}–{durationText(left.high)})
              </span>
            </span>
          </Tooltip>
        ))}
    </div>
  );
}

function stageText(t: Translate, { stage, done, total }: Stage): string {
  const name = t(STAGES[stage] ?? 'live.stage.other');
  return total > 1 ? t('live.stage', { stage: name, done, total }) : t('live.stage.alone', { stage: name });
}
