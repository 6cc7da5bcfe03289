import { useState } from 'react';
import type { MatrixColumn } from '../../../../electron/contract/index.ts';
import {
  Curve,
  type CurveRange,
  type CurveSeries,
  followedSuites,
  SCORE_BOUNDS,
  scoreSeries,
  wiresOfSuite,
} from '../../../charts/index.ts';
import { nameOfColumn } from './grid.ts';
import { api, useSideQuery } from '../../../data/index.ts';
import { percentText, Quiet, visibleString } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type ScoreCurvesProps = {
  columns: readonly Pick<MatrixColumn, 'runId' | 'label' | 'step' | 'withContext'>[];
};

/** The runs of the table's columns along their steps: one small figure a suite, all over the same steps and the same axis. */
export function ScoreCurves({ columns }: ScoreCurvesProps) {
  const t = useTranslate();
  const [range, setRange] = useState<CurveRange | null>(null);
  const asked = [...new Set(columns.map(({ withContext }) => withContext))];
  const runIds = [...new Set(columns.flatMap(({ runId }) => runId ?? []))];
  const read = useSideQuery(
    'evaluations.scoresOfRuns',
    api.runs.scores,
    { runIds },
    { enabled: runIds.length > 0 },
  );
  const runs = runIds.length === 0 ? [] : (read.data ?? []);
  const suites = [...new Set(runs.flatMap(({ scores }) => followedSuites(scores)))].sort();
  if (suites.length === 0) return null;
  const nameOf = (runId: string): string => {
    const column = columns.find((one) => one.runId === runId);
    return visibleString(nameOfColumn(column ?? { label: runId }));
  };
  return (
    <details className="evaluations-curves" open>
      <summary>{t('evaluations.curves')}</summary>
      <Quiet size="xs">{t('evaluations.curves.text')}</Quiet>
      <div className="evaluations-multiples">
        {suites.map((suite) => (
          <Curve
            key={suite}
            title={suite}
            series={runs.flatMap(({ runId, scores }, color): CurveSeries[] =>
              scoreSeries(scores, (name, told) =>
                name === suite && asked.includes(told)
                  ? told && asked.length > 1
                    ? t('figure.score.withContext', { suite: nameOf(runId) })
                    : nameOf(runId)
                  : null,
              ).map((one) => ({
                ...one,
                id: `${runId} ${one.id}`,
                look: { color, dash: asked.length > 1 ? (one.look?.dash ?? 0) : color },
              })),
            )}
            xLabel={t('live.curve.x')}
            yLabel={t('figure.unit.share')}
            format={(value) => percentText(value, 0)}
            bounds={SCORE_BOUNDS}
            {...wiresOfSuite(
              t,
              runs.filter(({ scores }) => scores.some((score) => score.suite === suite)),
              suite,
              nameOf,
            )}
            height={120}
            syncKey="evaluations"
            range={range}
            onRange={setRange}
          />
        ))}
      </div>
    </details>
  );
}
