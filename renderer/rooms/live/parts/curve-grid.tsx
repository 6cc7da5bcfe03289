import { useMemo, type ReactNode } from 'react';
import { Curve, type CurveRange } from '../../../charts/index.ts';
import { NativeSelect } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { Course } from '../model/course.ts';
import {
  choiceOf,
  courseSeries,
  CURVE_IDS,
  scoreSeries,
  type CurveId,
  type Score,
} from '../model/curve-choices.ts';

type CurveGridProps = {
  runId: string;
  course: Course;
  scores: readonly Score[];
  chosen: readonly CurveId[];
  range: CurveRange | null;
  smoothing: number | undefined;
  onChoose: (place: number, id: CurveId) => void;
  onRange: (range: CurveRange | null) => void;
  onSmoothing: (value: number) => void;
};

/** Four curves of the person's choice over the same steps, with one crosshair. */
export function CurveGrid({
  runId,
  course,
  scores,
  chosen,
  range,
  smoothing,
  onChoose,
  onRange,
  onSmoothing,
}: CurveGridProps) {
  const t = useTranslate();
  return (
    <div className="live-curves">
      {chosen.map((id, place) => (
        <OneCurve
          key={place}
          id={id}
          syncKey={`live ${runId}`}
          course={course}
          scores={scores}
          range={range}
          smoothing={smoothing}
          onRange={onRange}
          onSmoothing={onSmoothing}
          heading={
            <NativeSelect
              size="xs"
              variant="unstyled"
              className="live-choice"
              aria-label={t('live.curve.choose', { place: place + 1 })}
              value={id}
              onChange={(event) => onChoose(place, event.currentTarget.value as CurveId)}
              data={CURVE_IDS.map((each) => ({
                value: each,
                label: t(choiceOf(each).title),
                disabled: each !== id && chosen.includes(each),
              }))}
            />
          }
        />
      ))}
    </div>
  );
}

type OneCurveProps = Omit<CurveGridProps, 'runId' | 'chosen' | 'onChoose'> & {
  id: CurveId;
  syncKey: string;
  heading: ReactNode;
};

function OneCurve({
  id,
  syncKey,
  heading,
  course,
  scores,
  range,
  smoothing,
  onRange,
  onSmoothing,
}: OneCurveProps) {
  const t = useTranslate();
  const series = useMemo(
    () => (choiceOf(id).from === 'score' ? scoreSeries(scores, t) : courseSeries(id, course, t)),
    [id, course, scores, t],
  );
  const { title, note, format, floor } = choiceOf(id);
  return (
    <Curve
      title={t(title)}
      heading={heading}
      note={note === undefined ? undefined : t(note)}
      series={series}
      xLabel={t('live.curve.x')}
      format={format}
      floor={floor}
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
