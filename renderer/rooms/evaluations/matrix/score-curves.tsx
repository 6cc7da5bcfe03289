import { useState } from 'react';
import type { MatrixColumn } from '../../../../electron/contract/index.ts';
import {
  Curve,
  type CurveRange,
  type CurveSeries,
  followedSuites,
  SCORE_BOUNDS,
  scoreSeries,
} from '../../../charts/index.ts';
import { api, useApiQuery } from '../../../data/index.ts';
import { percentText, Quiet, visibleString } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type ScoreCurvesProps = {
  columns: readonly Pick<MatrixColumn, 'runId' | 'label' | 'step'>[];
  withContext: boolean;
};

/** The runs of the table's columns along their steps: one small figure a suite, all over the same steps and the same axis. */
export function ScoreCurves({ columns, withContext }: ScoreCurvesProps) {
  const t = useTranslate();
  const [range, setRange] = useState<CurveRange | null>(null);
  const runIds = [...new Set(columns.flatMap(({ runId }) => runId ?? []))];
  const read = useApiQuery(
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
    return visibleString((column?.label ?? runId).replace(/, step \d+$/, ''));
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
                name === suite && told === withContext ? nameOf(runId) : null,
              ).map((one) => ({ ...one, id: `${runId} ${one.id}`, look: { color, dash: color } })),
            )}
            xLabel={t('live.curve.x')}
            format={(value) => percentText(value, 0)}
            bounds={SCORE_BOUNDS}
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
