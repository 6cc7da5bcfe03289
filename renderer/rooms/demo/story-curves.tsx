import { Curve, type CurveSeries, SCORE_BOUNDS, scoreSeries, wiresOfSuite } from '../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import { percentText, QueryState } from '../../ui/index.ts';
import { ARMS, type Arm, type Pair, type Story } from './model.ts';

/** An arm keeps its colour on the whole page; its context is the dashed one of a pair. */
const COLORS: Record<Arm, number> = { alone: 1, supervised: 0 };

type StoryCurvesProps = {
  pair: Pair;
  tracks: Story['tracks'];
  /** Where the crosshair stands; null for nowhere. */
  step: number | null;
  withContext: boolean;
  height: number;
};

/** What each kind of rewarded prompts trains away, in both runs, step by step: held-out questions with their 95 % intervals. */
export function StoryCurves({ pair, tracks, step, withContext, height }: StoryCurvesProps) {
  const t = useTranslate();
  const read = useApiQuery('evaluations.scoresOfRuns', api.runs.scores, {
    runIds: [pair.alone, pair.supervised],
  });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(scores) => (
        <div className="demo-curves">
          {tracks.map(({ suite, kind }) =>
            kind === null ? null : (
              <Curve
                key={suite}
                title={t(`demo.track.${kind}`)}
                note={t('demo.track.note', { suite })}
                series={ARMS.flatMap((arm) =>
                  armSeries(
                    scores.find(({ runId }) => runId === pair[arm])?.scores ?? [],
                    suite,
                    arm,
                    withContext,
                    t,
                  ),
                )}
                xLabel={t('live.curve.x')}
                yLabel={t('figure.unit.share')}
                format={(value) => percentText(value, 0)}
                bounds={SCORE_BOUNDS}
                {...wiresOfSuite(t, scores, suite, (runId) =>
                  t(runId === pair.alone ? 'demo.alone' : 'demo.supervised'),
                )}
                at={step}
                syncKey="demo"
                height={height}
              />
            ),
          )}
        </div>
      )}
    </QueryState>
  );
}

function armSeries(
  scores: Parameters<typeof scoreSeries>[0],
  suite: string,
  arm: Arm,
  withContext: boolean,
  t: Translate,
): CurveSeries[] {
  return scoreSeries(scores, (name, told) =>
    name !== suite || (told && !withContext) ? null : t(told ? `demo.${arm}.context` : `demo.${arm}`),
  ).map((one) => ({
    ...one,
    id: `${arm} ${one.id}`,
    look: { color: COLORS[arm], dash: one.look?.dash ?? 0 },
  }));
}
