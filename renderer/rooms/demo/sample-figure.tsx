import { useEffect } from 'react';
import { api, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Loading, QueryState } from '../../ui/index.ts';
import { SAMPLE } from './model.ts';
import { StoryCurves } from './story-curves.tsx';
import './demo.css';

const HEIGHT = 150;

/** What the recorded sample came to, for a lab that has nothing of its own to show; its records are stored first where they are not. */
export function SampleFigure() {
  const t = useTranslate();
  const state = useApiQuery('tour.state', api.tour.state, undefined);
  const show = useApiMutation(api.tour.show, { invalidates: ['tour', 'evaluations'] });
  const { mutate } = show;
  const isThere =
    state.data?.runs.length !== 0 && state.data?.runs.every((run) => run.state === 'done') === true;
  const isMissing = state.data !== undefined && !isThere && !state.data.isRemoved;
  useEffect(() => {
    if (isMissing) mutate();
  }, [isMissing, mutate]);
  const story = useApiQuery('runs.story', api.demo.story, SAMPLE, { enabled: isThere });
  // Without the recording the ways to begin are there all the same.
  if (state.error !== null || show.error !== null || (!isThere && state.data?.isRemoved === true))
    return null;
  if (story.data === undefined && story.error === null) return <Loading label={t('demo.sample.loading')} />;
  return (
    <QueryState read={story} problemOf={readableFailure}>
      {({ tracks }) => <StoryCurves pair={SAMPLE} tracks={tracks} step={null} withContext height={HEIGHT} />}
    </QueryState>
  );
}
