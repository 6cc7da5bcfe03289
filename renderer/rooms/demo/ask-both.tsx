import type { Job } from '../../../electron/contract/index.ts';
import { api, useApiMutation, useSideQuery, useJobs } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Button, JobLine, Quiet, useRoomNavigate } from '../../ui/index.ts';
import { endsOf, type Story } from './model.ts';

/** The way from the demo to a question of one's own, to both runs as they ended. */
export function AskBoth({ story, isSample }: { story: Story; isSample: boolean }) {
  const navigate = useRoomNavigate();
  const isOver = story.alone.state === 'done' && story.supervised.state === 'done';
  // Named by the runs: their checkpoints come and go with their steps.
  const subjects = useSideQuery('runs.subjects', api.evaluations.subjects, undefined, {
    enabled: isOver,
  });
  const [job] = useJobs(['sample-checkpoints']);
  const make = useApiMutation(api.tour.makeCheckpoints, { invalidates: ['jobs', 'tour'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const ends = subjects.data === undefined ? null : endsOf(subjects.data, story);
  if (isOver && subjects.data === undefined) return null;
  return (
    <WayToAsk
      state={!isOver ? 'unfinished' : ends !== null ? 'ready' : isSample ? 'unmade' : 'gone'}
      job={job?.state === 'running' ? job : null}
      isMaking={make.isPending}
      onAsk={() => ends !== null && navigate('/ask', {}, ends)}
      onMake={() => make.mutate()}
      onCancel={(id) => cancel.mutate({ id })}
    />
  );
}

type WayToAskProps = {
  /** `unmade`: the weights of the sample can be made here; `gone`: a last checkpoint of the lab was deleted. */
  state: 'unfinished' | 'unmade' | 'gone' | 'ready';
  /** What makes the sample's checkpoints now. */
  job: Job | null;
  isMaking: boolean;
  onAsk: () => void;
  onMake: () => void;
  onCancel: (id: string) => void;
};

/** Leads there, or says what comes first. */
export function WayToAsk({ state, job, isMaking, onAsk, onMake, onCancel }: WayToAskProps) {
  const t = useTranslate();
  if (state === 'ready')
    return (
      <Button variant="default" onClick={onAsk}>
        {t('demo.ask')}
      </Button>
    );
  if (state === 'unmade' && job !== null) return <JobLine job={job} onCancel={() => onCancel(job.id)} />;
  return (
    <span className="demo-ask">
      <Quiet size="sm" span>
        {t(`demo.ask.${state}`)}
      </Quiet>
      {state === 'unmade' && (
        <Button variant="default" loading={isMaking} onClick={onMake}>
          {t('demo.ask.make')}
        </Button>
      )}
    </span>
  );
}
