import {
  placeInSpan,
  type FrameworkName,
  type StageSpan,
  viewOf,
} from '../../../../electron/contract/index.ts';
import {
  ChartFrame,
  type CurveRange,
  layOutSpans,
  secondsByStage,
  seriesColor,
  type SpanBlock,
  SPANS,
  spansSvg,
} from '../../../charts/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { durationText, percentText, useElementSize } from '../../../ui/index.ts';
import type { Timeline } from '../model/timeline.ts';

type StageStripProps = {
  framework: FrameworkName;
  spans: readonly StageSpan[];
  timeline: Timeline;
  /** Steps that are stored; the one after is under way while the run works. */
  committedSteps: number;
  isAtWork: boolean;
  range: CurveRange | null;
  onRange: (range: CurveRange | null) => void;
};

/** The stages of a run's schedule, iteration by iteration, those to come included; a stage that is chosen narrows the whole page. */
export function StageStrip({
  framework,
  spans,
  timeline,
  committedSteps,
  isAtWork,
  range,
  onRange,
}: StageStripProps) {
  const t = useTranslate();
  const { ref, width } = useElementSize();
  const { stages } = viewOf(framework);
  const timed = stepSeconds(timeline);
  const times = secondsByStage(spans, stages, timed);
  const now = committedSteps + 1;
  const blocksIn = (room: number): SpanBlock[] =>
    layOutSpans(spans, stages, {
      room,
      at: range?.from ?? Math.min(now, spans.at(-1)?.to ?? 1),
      stored: committedSteps,
    });
  const blocks = blocksIn(Math.max(120, Math.floor(width)));
  const shown = spans.find(({ from, to }) => now >= from && now <= to);
  const isChosen = ({ from, to }: StageSpan): boolean => range?.from === from && range.to === to;
  return (
    <ChartFrame
      title={t('live.stages')}
      table={() => ({
        columns: [
          t('live.stages.iteration'),
          t('live.stages.stage'),
          t('live.curve.x'),
          t('live.stages.global'),
          t('live.stages.seconds'),
        ],
        rows: spans.map((span) => [
          span.iteration,
          labelOf(stages, span),
          `${span.from}–${span.to}`,
          `${span.globalStep}–${placeInSpan(span, span.to).globalStep}`,
          secondsIn(timed, span),
        ]),
      })}
      svg={() =>
        spansSvg(t('live.stages'), blocksIn(616), (iteration) => t('live.stages.head', { iteration }))
      }
      format={(value) => value.toLocaleString('en', { maximumFractionDigits: 1 })}
      height={SPANS.head + SPANS.height}
      aside={
        <span className="fig-note numbers">
          {shown === undefined
            ? t('live.stages.all', { steps: committedSteps })
            : t(isAtWork ? 'live.stages.now' : 'live.stages.next', {
                iteration: shown.iteration,
                stage: labelOf(stages, shown),
                of: shown.to - shown.from + 1,
                step: now,
                ...placeInSpan(shown, now),
              })}
        </span>
      }
    >
      <div ref={ref} className="live-spans" style={{ height: SPANS.head + SPANS.height }}>
        {blocks.map(({ span, view, color, left, width: wide, done, isFirst }) => (
          <div key={span.from}>
            {isFirst && (
              <span className="live-iteration numbers" style={{ left }}>
                {t('live.stages.head', { iteration: span.iteration })}
              </span>
            )}
            <button
              type="button"
              className="live-span"
              aria-pressed={isChosen(span)}
              aria-current={now >= span.from && now <= span.to ? 'step' : undefined}
              aria-label={t('live.stages.span', {
                iteration: span.iteration,
                stage: view.label,
                from: span.from,
                to: span.to,
                stored: Math.round(done * (span.to - span.from + 1)),
              })}
              title={`${view.letter}: ${view.label}, ${t('live.curve.x').toLowerCase()} ${span.from}–${span.to}`}
              style={{
                left,
                width: wide,
                top: SPANS.head,
                height: SPANS.height,
                borderColor: `var(${seriesColor(color)})`,
              }}
              onClick={() => onRange(isChosen(span) ? null : { from: span.from, to: span.to })}
            >
              {view.letter}
              <span
                style={{
                  width: `${done * 100}%`,
                  height: SPANS.bar,
                  background: `var(${seriesColor(color)})`,
                }}
              />
            </button>
          </div>
        ))}
      </div>
      <ul className="live-parts">
        {stages.map(({ name, letter, label }, color) => {
          const time = times.find(({ stage }) => stage.name === name);
          return (
            <li key={name}>
              <svg width={9} height={9} aria-hidden>
                <rect width={9} height={9} rx={2} fill={`var(${seriesColor(color)})`} />
              </svg>
              {t('live.stages.legend', {
                letter,
                label,
                seconds: time === undefined ? 'none' : durationText(time.seconds),
                share: time === undefined ? '' : percentText(time.share, 0),
              })}
            </li>
          );
        })}
      </ul>
    </ChartFrame>
  );
}

const labelOf = (
  stages: readonly { name: string; letter: string; label: string }[],
  { stage }: StageSpan,
) => {
  const view = stages.find(({ name }) => name === stage);
  return view === undefined ? stage : `${view.letter}, ${view.label}`;
};

const stepSeconds = ({ steps, timings }: Timeline): { step: number; seconds: number }[] =>
  steps.map((step, place) => ({ step, seconds: timings['step']?.[place] ?? 0 }));

/** Null before the first step of a span. */
function secondsIn(
  timed: readonly { step: number; seconds: number }[],
  { from, to }: StageSpan,
): number | null {
  const own = timed.filter(({ step }) => step >= from && step <= to);
  return own.length === 0 ? null : own.reduce((sum, { seconds }) => sum + seconds, 0);
}
