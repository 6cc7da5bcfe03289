import { decidingPass, type Job, type MeasuredJudge, type ProbeCell } from '../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../i18n/index.ts';
import { JobLine } from './job-line.tsx';
import { JudgeFigures } from './judge-figures.tsx';
import { Anchor, Text } from './mantine.ts';
import { When } from './values.tsx';

type JudgeProbeNoteProps = {
  model: string;
  items: number;
  probe: MeasuredJudge | null;
  /** The probe under way, or the last one that ended. */
  job: Job | null;
  /** Not where the place shows its jobs elsewhere. */
  showsJob: boolean;
  onStart: () => void;
  onCancel: () => void;
};

/** What is known of a model as a judge, in one line, with a warning where it cannot be told from a guess, and a way to measure it. */
export function JudgeProbeNote({
  model,
  items,
  probe,
  job,
  showsJob,
  onStart,
  onCancel,
}: JudgeProbeNoteProps) {
  const t = useTranslate();
  const facts = probe === null ? null : factsOf(t, probe);
  return (
    <div className="ui-judge-probe">
      <Text component="div" size="xs" c="var(--quiet)" className="numbers">
        <span title={facts?.title}>
          {facts === null ? t('judge-probe.none', { model }) : facts.line}
          {probe?.finishedAt != null && (
            <>
              {', '}
              <When iso={probe.finishedAt} />
            </>
          )}
        </span>{' '}
        ·{' '}
        {probe !== null && probe.results !== null && (
          <>
            <JudgeFigures probe={probe} /> ·{' '}
          </>
        )}
        <Anchor
          component="button"
          type="button"
          size="xs"
          title={t('judge-probe.start.title', { model, items })}
          disabled={job?.state === 'running'}
          onClick={onStart}
        >
          {t(probe === null ? 'judge-probe.start' : 'judge-probe.again')}
        </Anchor>
      </Text>
      {facts?.warning != null && (
        <Text size="xs" c="var(--warn)" role="note">
          {facts.warning}
        </Text>
      )}
      {showsJob && job !== null && (job.state === 'running' || job.state === 'failed') && (
        <JobLine job={job} onCancel={onCancel} />
      )}
    </div>
  );
}

type Facts = { line: string; title: string; warning: string | null };

function factsOf(t: Translate, { plan, results, verdict }: MeasuredJudge): Facts | null {
  if (results === null) return null;
  const pass = decidingPass(plan.mode);
  const ranked = results[pass].phases
    .filter((cell): cell is RatedCell => cell.balanced !== null)
    .toSorted((a, b) => b.balanced.accuracy - a.balanced.accuracy);
  const [best, worst] = [ranked[0], ranked.at(-1)];
  if (best === undefined || worst === undefined) return null;
  return {
    line: t(`judge-probe.${pass}`, {
      best: t(`phase.${best.phase}.short`),
      bestShare: shareText(best),
      worst: t(`phase.${worst.phase}.short`),
      worstShare: shareText(worst),
    }),
    title: t(`judge-probe.${pass}.title`, { items: plan.items }),
    warning: verdict?.isBetter === false ? t(`judge-probe.chance.${pass}`) : null,
  };
}

const shareText = ({ balanced }: RatedCell): string => `${Math.round(100 * balanced.accuracy)}\u00a0%`;

type RatedCell = ProbeCell & { balanced: NonNullable<ProbeCell['balanced']> };
