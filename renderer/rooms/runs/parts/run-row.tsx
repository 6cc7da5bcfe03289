import type { RunRow } from '../../../../electron/contract/index.ts';
import { Sparkline } from '../../../charts/index.ts';
import { bytesText, durationText, percentText, StatusDot } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { INDICATORS } from '../model/scores.ts';
import { PhaseBars } from './phase-bars.tsx';
import { ScoreCell } from './score-cell.tsx';

/** What is known of a run's present step from live events. */
export type LiveProgress = {
  step: number;
  stage: string;
  done: number;
  total: number;
  etaSeconds: number | null;
};

const STAGES = ['tasks', 'prompts', 'generate', 'estimate', 'update', 'evaluate', 'committed'] as const;
export const stageWord = (t: Translate, stage: string): string =>
  t(`runs.stage.${STAGES.find((known) => known === stage) ?? 'other'}`);

export const isAtWork = ({ state }: Pick<RunRow, 'state'>): boolean =>
  state === 'stepping' || state === 'pausing' || state === 'setting-up';

/** Seconds until the run ends: as the engine reckons while it works, else from its own pace. */
export function secondsLeft(
  { steps, committedSteps, secondsPerStep, ...row }: RunRow,
  live: LiveProgress | undefined,
): number | null {
  if (!isAtWork(row)) return null;
  return live?.etaSeconds ?? (secondsPerStep === null ? null : secondsPerStep * (steps - committedSteps));
}

/** The cells of one run, in the order of the head. */
export function RunCells({
  row,
  live,
  isPicked,
  onPick,
}: {
  row: RunRow;
  live: LiveProgress | undefined;
  isPicked: boolean;
  onPick: () => void;
}) {
  const t = useTranslate();
  const left = secondsLeft(row, live);
  const { course } = row;
  return (
    <>
      <span role="gridcell" className="runs-cell" data-column="pick">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isPicked}
          aria-label={t('runs.pick', { name: row.name })}
          onChange={onPick}
          onClick={(event) => event.stopPropagation()}
        />
      </span>
      <span role="gridcell" className="runs-cell" data-column="state">
        <StatusDot state={row.state} />
      </span>
      <span role="gridcell" className="runs-cell" data-column="name" title={`${row.name}\n${row.id}`}>
        {row.name}
      </span>
      <span role="gridcell" className="runs-cell runs-two" data-column="model" title={row.policyModel}>
        <span>{row.policyModel.split('/').at(-1)}</span>
        <span className="runs-quiet">{t(`runs.framework.${row.framework}`)}</span>
      </span>
      <span role="gridcell" className="runs-cell" data-column="supervision">
        <PhaseBars phases={row.phases} />
      </span>
      <span role="gridcell" className="runs-cell numbers" data-column="progress">
        <span className="runs-steps">
          {t('runs.progress', { done: row.committedSteps, steps: row.steps })}
          {isAtWork(row) && live !== undefined && (
            <span className="runs-stage">
              {t('runs.progress.stage', { step: live.step, stage: stageWord(t, live.stage) })}
            </span>
          )}
        </span>
        <Sparkline
          values={course}
          width={64}
          height={18}
          label={t('runs.course', {
            first: percentText(course[0] ?? null, 0),
            last: percentText(course.at(-1) ?? null, 0),
          })}
        />
      </span>
      {INDICATORS.map((indicator) => (
        <span key={indicator} role="gridcell" className="runs-cell" data-column={indicator}>
          <ScoreCell indicator={indicator} scores={row.scores} />
        </span>
      ))}
      <span role="gridcell" className="runs-cell numbers" data-column="seconds">
        {left === null
          ? durationText(row.seconds === 0 ? null : row.seconds)
          : t('runs.eta', { time: durationText(left) })}
      </span>
      <span role="gridcell" className="runs-cell numbers" data-column="bytes">
        {bytesText(row.checkpointBytes)}
      </span>
      <span
        role="gridcell"
        className="runs-cell"
        data-column="tags"
        title={[row.annotation.tags.join(', '), row.annotation.notes]
          .filter((text) => text !== '')
          .join('\n')}
      >
        {row.annotation.tags.map((tag) => (
          <span key={tag} className="runs-tag">
            {tag}
          </span>
        ))}
        <span className="runs-quiet">{row.annotation.notes}</span>
      </span>
    </>
  );
}
