import {
  type Indicator,
  INDICATORS,
  isHigherBetter,
  type PhaseProbabilities,
  PHASES,
  type ProgressStage,
  type RunAggregate,
  type RunRow,
  type RunScore,
  shownIndicator,
} from '../../../../electron/contract/index.ts';
import { Sparkline } from '../../../charts/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  bytesText,
  durationText,
  OverriddenMark,
  percentText,
  StatusDot,
  visibleString,
} from '../../../ui/index.ts';

/** What is known of a run's present step from live events. */
export type LiveProgress = {
  step: number;
  stage: ProgressStage;
  done: number;
  total: number;
  etaSeconds: number | null;
};

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
  aggregates,
}: {
  row: RunRow;
  /** Of public suites; empty where none was asked. */
  aggregates: readonly RunAggregate[];
  live: LiveProgress | undefined;
  isPicked: boolean;
  onPick: () => void;
}) {
  const t = useTranslate();
  const left = secondsLeft(row, live);
  const { passRates } = row;
  const stage =
    isAtWork(row) && live !== undefined
      ? t('runs.progress.stage', { step: live.step, stage: t(`progress.${live.stage}`) })
      : null;
  return (
    <>
      <span role="gridcell" className="ui-grid-cell" data-column="pick">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isPicked}
          aria-label={t('runs.pick', { name: row.name })}
          onChange={onPick}
          onClick={(event) => event.stopPropagation()}
        />
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="state">
        <StatusDot state={row.state} />
      </span>
      <span
        role="gridcell"
        className="ui-grid-cell"
        data-column="name"
        title={`${visibleString(row.name)}\n${row.id}`}
      >
        {row.tripped.length > 0 && (
          <span
            className="runs-tripped"
            role="img"
            title={row.tripped.join('\n')}
            aria-label={t('runs.tripped', { n: row.tripped.length })}
          >
            ⚑{' '}
          </span>
        )}
        {visibleString(row.name)}
      </span>
      <span role="gridcell" className="ui-grid-cell runs-two" data-column="model" title={row.policyModel}>
        <span>{row.policyModel.split('/').at(-1)}</span>
        <span className="runs-quiet">{t(`framework.${row.framework}`)}</span>
      </span>
      <span role="gridcell" className="ui-grid-cell" data-column="supervision">
        <PhaseBars phases={row.phases} />
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="progress">
        <span className="runs-steps">
          {t('runs.progress', { done: row.committedSteps, steps: row.steps })}
          {stage !== null && (
            <span className="runs-stage" title={stage}>
              {stage}
            </span>
          )}
        </span>
        <Sparkline
          values={passRates}
          width={64}
          height={18}
          label={t('runs.passRates', {
            first: percentText(passRates[0] ?? null, 0),
            last: percentText(passRates.at(-1) ?? null, 0),
          })}
        />
      </span>
      {INDICATORS.map((indicator) => (
        <span key={indicator} role="gridcell" className="ui-grid-cell" data-column={indicator}>
          <ScoreCell indicator={indicator} scores={row.scores} aggregates={aggregates} />
        </span>
      ))}
      <span role="gridcell" className="ui-grid-cell numbers" data-column="seconds">
        {left === null
          ? durationText(row.seconds === 0 ? null : row.seconds)
          : t('runs.eta', { time: durationText(left) })}
      </span>
      <span role="gridcell" className="ui-grid-cell numbers" data-column="bytes">
        {bytesText(row.checkpointBytes)}
      </span>
      <span
        role="gridcell"
        className="ui-grid-cell"
        data-column="tags"
        title={[row.annotation.tags.join(', '), row.annotation.notes]
          .map(visibleString)
          .filter((text) => text !== '')
          .join('\n')}
      >
        {row.annotation.tags.map((tag) => (
          <span key={tag} className="runs-tag">
            {visibleString(tag)}
          </span>
        ))}
        <span className="runs-quiet">{visibleString(row.annotation.notes)}</span>
      </span>
    </>
  );
}

const WIDTH = 7;
const GAP = 3;
const HEIGHT = 18;

/** Five tiny bars, one per phase, as tall as its review probability; a phase that is off keeps its ground line. */
function PhaseBars({ phases }: { phases: PhaseProbabilities }) {
  const t = useTranslate();
  if (PHASES.every((phase) => phases[phase] === 0))
    return <span className="runs-quiet">{t('runs.supervision.off')}</span>;
  return (
    <svg
      width={PHASES.length * (WIDTH + GAP)}
      height={HEIGHT}
      role="img"
      aria-label={t('runs.supervision.bars', { ...phases })}
    >
      <title>{t('runs.supervision.bars', { ...phases })}</title>
      {PHASES.map((phase, index) => (
        <g key={phase} fill={`var(--phase-${phase})`}>
          <rect x={index * (WIDTH + GAP)} y={HEIGHT - 1} width={WIDTH} height={1} />
          <rect
            x={index * (WIDTH + GAP)}
            y={(HEIGHT - 1) * (1 - phases[phase])}
            width={WIDTH}
            height={(HEIGHT - 1) * phases[phase]}
          />
        </g>
      ))}
    </svg>
  );
}

/** Points with their sign, such as +4.2. */
export const pointsText = (points: number): string =>
  `${points > 0 ? '+' : points < 0 ? '−' : '±'}${Math.abs(points).toFixed(1)}`;

/** An interval of shares in per cent, in brackets: it is not symmetric near its ends. */
export const bracketText = ({ low, high }: { low: number; high: number }, digits = 1): string =>
  `[${(100 * low).toFixed(digits)}–${(100 * high).toFixed(digits)}]`;

/** One indicator of the last evaluated checkpoint with its change; colour, arrow and sign say the same. */
export function ScoreCell({
  indicator,
  scores,
  aggregates,
}: {
  indicator: Indicator;
  scores: readonly RunScore[];
  aggregates: readonly RunAggregate[];
}) {
  const t = useTranslate();
  const { score, aggregate } = shownIndicator(indicator, scores, aggregates);
  const name = t(`runs.column.${indicator}`);
  if (score === null)
    return (
      <span
        className="runs-quiet"
        title={
          aggregate === null
            ? t('runs.score.none', { name })
            : t('runs.score.incomplete', { name, why: aggregate.cell.why ?? '' })
        }
      >
        {aggregate === null ? '–' : t('runs.score.open')}
      </span>
    );
  const { share, interval, change, n, step, withContext, overridden } = score;
  const better = isHigherBetter(indicator);
  const tone = change === null || Math.abs(change) < 0.05 ? 'same' : change > 0 === better ? 'good' : 'bad';
  const title = t('runs.score', {
    name: aggregate === null ? t('runs.score.toy', { name, suites: score.suites.join(', ') }) : name,
    value: `${percentText(share)}${interval === null ? '' : ` ${bracketText(interval)}`}`,
    n,
    step,
    better: t(better ? 'common.higherIsBetter' : 'common.lowerIsBetter'),
    change: change === null ? 'none' : pointsText(change),
    context: withContext ? 'yes' : 'no',
  });
  return (
    <span className="runs-two numbers" title={title}>
      <span className="runs-score">
        {aggregate === null && <span className="runs-quiet">{t('runs.score.toy.mark')} </span>}
        {percentText(share, 0)}
        <OverriddenMark n={overridden} />
        {change !== null && (
          <span className="runs-change" data-tone={tone}>
            {change > 0 ? '▲' : change < 0 ? '▼' : '·'}
            {Math.abs(change).toFixed(0)}
          </span>
        )}
      </span>
      {interval !== null && <span className="runs-quiet">{bracketText(interval, 0)}</span>}
    </span>
  );
}
