import { useCallback, useMemo, useState } from 'react';
import { useCommand } from '../../commands/index.ts';
import {
  api,
  notify,
  notifyFailure,
  queryClient,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useJobs,
} from '../../data/index.ts';
import { fileName, saveText } from '../../charts/index.ts';
import {
  Button,
  Group,
  Loading,
  Page,
  QueryState,
  Text,
  useInterval,
  useRoomNavigate,
  useRoomSearch,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { draftChanges, type Origin, type Tree, useDraft } from './model/draft.ts';
import { checkDraft, fieldsOf } from './model/fields.ts';
import { newRunSearch, type Step, stepMarks, STEPS } from './model/steps.ts';
import { EstimatePanel } from './parts/estimate-panel.tsx';
import { PlanActions, PlanBanner, PlanSteps } from './plan-frame.tsx';
import { StepView } from './parts/step-view.tsx';
import { useBeginning, useEstimate, useFileDrop } from './hooks.ts';
import './new-run.css';

const RUNS_OFFERED = 30;
const AGE_MS = 30_000; // ages of measurements are told in minutes

/** /new: a run is planned in five steps, with what it would take beside them. */
export function NewRunPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ at, from, only: asked, preset }, change] = useRoomSearch(newRunSearch);
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), AGE_MS, { autoInvoke: true });
  const choices = useApiQuery('plan.choices', api.plan.choices, undefined);
  const { config: draft, origin, base, only, begin, set, reset, lift, clear } = useDraft();
  const forget = useCallback(() => change({ from: undefined, only: undefined, preset: undefined }), [change]);
  useBeginning(
    { from, only: asked ?? null, preset },
    choices.data?.presets as { name: string; config: Tree }[] | undefined,
    forget,
  );

  const { config, issues } = useMemo(
    () => (draft === null ? { config: null, issues: new Map<string, string>() } : checkDraft(draft, t)),
    [draft, t],
  );
  const { estimate, problem } = useEstimate(config);
  const problems = useApiQuery('plan.problems', api.plan.problems, config as NonNullable<typeof config>, {
    enabled: config !== null,
  });
  const text = useApiQuery('plan.text', api.plan.text, config as NonNullable<typeof config>, {
    enabled: config !== null && at === 'review',
  });
  const runs = useApiQuery('runs.rows', api.runs.rows, { limit: RUNS_OFFERED });
  const activity = useApiQuery('runs.activity', api.runs.activity, undefined);
  const probe = useApiMutation(api.plan.probe, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const [job = null] = useJobs(['probe']);
  const start = useApiMutation(api.runs.start, { invalidates: ['runs'] });

  const atWork = activity.data?.atWork.length ?? 0;
  const places = activity.data?.places ?? 1;
  const canStart = config !== null && problems.data?.length === 0;
  const launch = (): void => {
    if (config === null || !canStart) return;
    start.mutate(config, {
      onSuccess: (run) => {
        notify(t(atWork >= places ? 'new-run.queued' : 'new-run.started', { name: run.config.name }));
        clear();
        navigate('/runs/$runId', { runId: run.id });
      },
    });
  };
  const read = async (file: File): Promise<void> => {
    try {
      const found = await queryClient.fetchQuery({
        queryKey: ['plan.read', file.name, file.lastModified, file.size],
        queryFn: async () => api.plan.read.query({ yaml: await file.text() }),
        gcTime: 0,
      });
      begin({ kind: 'file', name: file.name }, found as Tree);
      notify(t('new-run.imported', { file: file.name }));
    } catch (error) {
      notifyFailure(readableFailure(error).sentence);
    }
  };
  const step = (by: 1 | -1): void => {
    const next = STEPS[STEPS.indexOf(at) + by];
    if (next !== undefined) change({ at: next }, { replace: false });
  };
  const group = t('new-run.group');
  useCommand(
    {
      id: 'new-run.next',
      title: t('new-run.next', { step: t(`new-run.step.${neighbour(at, 1)}`) }),
      keys: ']',
      group,
      run: () => step(1),
    },
    at !== 'review',
  );
  useCommand(
    {
      id: 'new-run.back',
      title: t('new-run.back', { step: t(`new-run.step.${neighbour(at, -1)}`) }),
      keys: '[',
      group,
      run: () => step(-1),
    },
    at !== 'base',
  );
  useCommand(
    { id: 'new-run.start', title: t('new-run.start'), keys: '$mod+Enter', group, run: launch },
    canStart,
  );
  useCommand(
    {
      id: 'new-run.probe',
      title: t('new-run.estimate.probe'),
      keys: null,
      group,
      run: () => {
        if (config !== null) probe.mutate(config);
      },
    },
    config !== null,
  );

  useFileDrop((file) => void read(file));
  const wrong = t('new-run.wrong', { n: issues.size });
  return (
    <Page
      title={t('new-run.title')}
      flush
      aside={
        origin !== null && (
          <Text size="sm" c="var(--quiet)">
            {originText(t, origin)}
          </Text>
        )
      }
      actions={
        <PlanActions
          atWork={atWork}
          places={places}
          canStart={canStart}
          isStarting={start.isPending}
          hint={issues.size > 0 ? wrong : (problems.data?.[0]?.sentence ?? null)}
          onFile={(file) => void read(file)}
          onClear={clear}
          onStart={launch}
        />
      }
    >
      <QueryState read={choices} problemOf={readableFailure}>
        {(offered) =>
          draft === null ? (
            <Loading />
          ) : (
            <>
              <PlanBanner origin={origin} only={only} onLift={lift} />
              <section className="plan-split" aria-label={t('new-run.title')}>
                <PlanSteps
                  at={at}
                  marks={stepMarks(draft, base, issues, problems.data ?? [])}
                  onStep={(next) => change({ at: next }, { replace: false })}
                />
                <div className="plan-main">
                  <StepView
                    at={at}
                    fields={fieldsOf(draft, base, issues, only, set, reset)}
                    choices={offered}
                    estimate={estimate}
                    preset={origin?.kind === 'preset' ? origin.name : null}
                    isLocked={only !== null}
                    runs={(runs.data?.rows ?? []).map(({ id, name, phases }) => ({ id, name, phases }))}
                    onLibrary={() => navigate('/library/import')}
                    onPreset={(name) => {
                      const chosen = offered.presets.find((one) => one.name === name);
                      if (chosen !== undefined) begin({ kind: 'preset', name }, chosen.config as Tree);
                    }}
                    review={{
                      changed: draftChanges(draft, base),
                      text: config === null ? null : (text.data ?? null),
                      wrong: issues.size,
                      problems: problems.data ?? [],
                      onSave: () =>
                        saveText(fileName(String(draft['name']), 'yaml'), 'text/yaml', text.data?.yaml ?? ''),
                    }}
                  />
                  <StepButtons at={at} onStep={step} />
                </div>
                <EstimatePanel
                  config={config}
                  estimate={estimate}
                  problem={problem}
                  now={now}
                  probe={job}
                  atWork={atWork}
                  onProbe={() => {
                    if (config !== null) probe.mutate(config);
                  }}
                  onCancelProbe={() => {
                    if (job !== null) cancel.mutate({ id: job.id });
                  }}
                />
              </section>
            </>
          )
        }
      </QueryState>
    </Page>
  );
}

const neighbour = (at: Step, by: 1 | -1): Step => STEPS[STEPS.indexOf(at) + by] ?? at;

function originText(t: ReturnType<typeof useTranslate>, origin: Origin): string {
  return t(`new-run.origin.${origin.kind}`, { name: origin.name });
}

function StepButtons({ at, onStep }: { at: Step; onStep: (by: 1 | -1) => void }) {
  const t = useTranslate();
  return (
    <Group justify="space-between" mt="xl">
      {at === 'base' ? (
        <span />
      ) : (
        <Button variant="default" onClick={() => onStep(-1)}>
          {t('new-run.back', { step: t(`new-run.step.${neighbour(at, -1)}`) })}
        </Button>
      )}
      {at !== 'review' && (
        <Button variant="default" onClick={() => onStep(1)}>
          {t('new-run.next', { step: t(`new-run.step.${neighbour(at, 1)}`) })}
        </Button>
      )}
    </Group>
  );
}
