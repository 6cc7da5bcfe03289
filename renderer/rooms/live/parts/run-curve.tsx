import { type ReactNode, useMemo } from 'react';
import type { CheckpointScore } from '../../../../electron/contract/index.ts';
import {
  Curve,
  type CurveLimit,
  type CurveMark,
  type CurveRange,
  SCORE_BOUNDS,
} from '../../../charts/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Term } from '../../../ui/index.ts';
import { choiceOf, type CurveId } from '../model/curve-choices.ts';
import { runScoreSeries, timelineSeries } from '../model/curves.ts';
import type { Timeline } from '../model/timeline.ts';

type RunCurveProps = {
  id: CurveId;
  /** Stands in the title's place where the curve can be chosen. */
  heading?: ReactNode;
  syncKey: string;
  timeline: Timeline;
  scores: readonly CheckpointScore[];
  /** What tripwires put into a curve of scores. */
  marked?: { marks: readonly CurveMark[]; limits: readonly CurveLimit[] };
  range: CurveRange | null;
  smoothing: number | undefined;
  onRange: (range: CurveRange | null) => void;
  onSmoothing: (value: number) => void;
};

/** One of the things that can be drawn over the steps of a run. */
export function RunCurve({
  id,
  syncKey,
  heading,
  timeline,
  scores,
  marked,
  range,
  smoothing,
  onRange,
  onSmoothing,
}: RunCurveProps) {
  const t = useTranslate();
  const series = useMemo(
    () => (choiceOf(id).from === 'score' ? runScoreSeries(scores, t) : timelineSeries(id, timeline, t)),
    [id, timeline, scores, t],
  );
  const { title, unit, note, term, format, floor, from } = choiceOf(id);
  const explanation = term !== undefined ? <Term id={term} /> : note === undefined ? undefined : t(note);
  return (
    <Curve
      title={t(title)}
      heading={heading}
      note={explanation}
      series={series}
      xLabel={t('live.curve.x')}
      yLabel={t(unit)}
      format={format}
      floor={floor}
      {...(from === 'score' ? { bounds: SCORE_BOUNDS, ...marked } : {})}
      height={128}
      syncKey={syncKey}
      range={range}
      onRange={onRange}
      isRangeShared
      smoothing={smoothing}
      onSmoothing={onSmoothing}
    />
  );
}
