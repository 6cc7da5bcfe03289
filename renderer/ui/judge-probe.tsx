import type { Job, JudgeProbe, ProbeCell } from '../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../i18n/index.ts';
import { JobLine } from './job-line.tsx';
import { Button, Group, Text, Tooltip } from './mantine.ts';
import { percentText, When } from './values.tsx';

type JudgeProbeNoteProps = {
  model: string;
  items: number;
  probe: JudgeProbe | null;
  /** The probe under way, or the last one that ended; null where the place shows jobs elsewhere. */
  job: Job | null;
  isRunning: boolean;
  onStart: () => void;
  onCancel: () => void;
};

/** What is known of a model as a judge, in one line, with a warning where it cannot be told from a guess, and a way to measure it. */
export function JudgeProbeNote({
  model,
  items,
  probe,
  job,
  isRunning,
  onStart,
  onCancel,
}: JudgeProbeNoteProps) {
  const t = useTranslate();
  const facts = probe === null ? null : factsOf(t, probe);
  return (
    <div className="ui-judge-probe">
      <Group gap={8} align="baseline">
        <Text
          size="xs"
          c="var(--quiet)"
          className="numbers"
          title={t('judge-probe.title')}
          style={{ flex: 1 }}
        >
          {facts === null ? t('judge-probe.none', { model }) : facts.line}
          {probe?.finishedAt != null && (
            <>
              {' · '}
              <When iso={probe.finishedAt} />
            </>
          )}
        </Text>
        <Tooltip label={t('judge-probe.start.title', { model, items })}>
          <Button size="compact-xs" variant="default" onClick={onStart} disabled={isRunning}>
            {t(probe === null ? 'judge-probe.start' : 'judge-probe.again')}
          </Button>
        </Tooltip>
      </Group>
      {facts?.warning != null && (
        <Text size="xs" c="var(--warn)" role="note">
          {facts.warning}
        </Text>
      )}
      {job !== null && (job.state === 'running' || job.state === 'failed') && (
        <JobLine job={job} onCancel={onCancel} />
      )}
    </div>
  );
}

/** The pass in which the model itself decides is the one that says how good it is. */
function factsOf(
  t: Translate,
  { plan, results }: JudgeProbe,
): { line: string; warning: string | null } | null {
  if (results === null) return null;
  const alone = plan.mode === 'words';
  const { phases, issues } = alone ? results.alone : results.run;
  const ranked = phases
    .filter((cell): cell is RatedCell => cell.balanced !== null)
    .toSorted((a, b) => b.balanced.accuracy - a.balanced.accuracy);
  const [best, worst] = [ranked[0], ranked.at(-1)];
  if (best === undefined || worst === undefined) return null;
  const better = issues.filter(({ against }) => against === 'better').length;
  const line = t(alone ? 'judge-probe.alone' : 'judge-probe.run', {
    items: plan.items,
    best: t(`phase.${best.phase}.short`),
    bestShare: percentText(best.balanced.accuracy),
    worst: t(`phase.${worst.phase}.short`),
    worstShare: percentText(worst.balanced.accuracy),
    better,
    issues: issues.length,
  });
  const warning = better > 0 ? null : t(alone ? 'judge-probe.chance.alone' : 'judge-probe.chance');
  return { line, warning };
}

type RatedCell = ProbeCell & { balanced: NonNullable<ProbeCell['balanced']> };
