import { useState } from 'react';
import { INDICATORS, type Job, type RunRow, shownIndicator } from '../../../../electron/contract/index.ts';
import { api, type SampleState, useApiMutation, useSideQuery, useJobs } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  bytesText,
  Checkbox,
  ConfirmButton,
  JobLine,
  Quiet,
  StatusDot,
  visibleString,
} from '../../../ui/index.ts';
import { ScoreCell } from './run-cells.tsx';

type SampleGroupProps = {
  rows: readonly RunRow[];
  picked: readonly string[];
  onPick: (id: string) => void;
  onOpen: (id: string) => void;
  onDemo: () => void;
  onDelete: () => void;
};

/** The runs of the recorded sample, apart from the lab's own and marked as what they are; they can be opened, compared and deleted. */
export function SampleGroup({ rows, picked, onPick, onOpen, onDemo, onDelete }: SampleGroupProps) {
  const t = useTranslate();
  if (rows.length === 0) return null;
  return (
    <section className="runs-sample" aria-label={t('runs.sample')}>
      <strong>{t('runs.sample')}</strong>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Checkbox
              size="xs"
              checked={picked.includes(row.id)}
              aria-label={t('runs.pick', { name: row.name })}
              onChange={() => onPick(row.id)}
            />
            <Button size="compact-sm" variant="subtle" onClick={() => onOpen(row.id)}>
              {visibleString(row.name)}
            </Button>
            <StatusDot state={row.state} />
            <Quiet size="xs" span className="numbers">
              {t('runs.progress', { done: row.committedSteps, steps: row.steps })}
            </Quiet>
            {INDICATORS.filter((one) => shownIndicator(one, row.scores, []).score !== null).map((one) => (
              <span key={one} className="runs-sample-score">
                <Quiet size="xs" span>
                  {t(`runs.column.${one}`)}
                </Quiet>
                <ScoreCell indicator={one} scores={row.scores} aggregates={[]} />
              </span>
            ))}
          </li>
        ))}
      </ul>
      <span className="ui-spring" />
      <Button size="compact-sm" variant="default" onClick={onDemo}>
        {t('runs.sample.demo')}
      </Button>
      <ConfirmButton
        size="compact-sm"
        label={t('tour.delete')}
        title={t('tour.delete.title')}
        consequence={t('tour.delete.text')}
        confirm={t('tour.delete.confirm')}
        onConfirm={onDelete}
      />
      <SampleCheckpoints />
    </section>
  );
}

function SampleCheckpoints() {
  const read = useSideQuery('tour.state', api.tour.state, undefined);
  const [job] = useJobs(['sample-checkpoints']);
  const make = useApiMutation(api.tour.makeCheckpoints, { invalidates: ['jobs', 'tour'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const checkpoints = read.data?.checkpoints ?? null;
  if (checkpoints === null) return null;
  return (
    <CheckpointsOfSample
      checkpoints={checkpoints}
      job={job}
      isAsked={make.isPending}
      onMake={() => make.mutate()}
      onCancel={(id) => cancel.mutate({ id })}
    />
  );
}

type CheckpointsProps = {
  checkpoints: NonNullable<SampleState['checkpoints']>;
  /** The newest one that makes them, at work or ended. */
  job: Job | undefined;
  isAsked: boolean;
  onMake: () => void;
  onCancel: (id: string) => void;
};

/** The weights of the sample's runs do not ship: what is there of them, or a way to make them, with progress and a way to stop it. */
export function CheckpointsOfSample({ checkpoints, job, isAsked, onMake, onCancel }: CheckpointsProps) {
  const t = useTranslate();
  const [hidden, setHidden] = useState<string | null>(null);
  const { areMade, areOwn, bytes } = checkpoints;
  const facts = { steps: checkpoints.steps.join(', '), size: bytesText(bytes) };
  if (areMade)
    return (
      <Quiet size="xs" className="runs-sample-checkpoints">
        {t(areOwn ? 'runs.sample.made.own' : 'runs.sample.made', facts)}
      </Quiet>
    );
  return (
    <div className="runs-sample-checkpoints">
      {!isAsked && job?.state !== 'running' && (
        <>
          <Button size="compact-sm" variant="default" onClick={onMake}>
            {t('runs.sample.make')}
          </Button>{' '}
          <Quiet size="xs" span>
            {t('runs.sample.make.text', facts)}
          </Quiet>
        </>
      )}
      {job !== undefined && job.state !== 'done' && job.id !== hidden && (
        <JobLine job={job} onCancel={() => onCancel(job.id)} onDismiss={() => setHidden(job.id)} />
      )}
    </div>
  );
}
