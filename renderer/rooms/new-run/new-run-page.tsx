import { useCallback, useMemo, useState } from 'react';
import { useCommand } from '../../commands/index.ts';
import { api, notify, readableFailure, useApiMutation, useApiQuery, useSideQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  fileName,
  Loading,
  Page,
  QueryState,
  Quiet,
  saveText,
  useInterval,
  useRoomNavigate,
  useRoomSearch,
} from '../../ui/index.ts';
import { useBeginning, useEstimate, useMemoryPlan, useMethods, usePlanFile, useProbe } from './hooks.ts';
import { draftChanges, useDraft } from './model/draft.ts';
import { checkDraft, fieldsOf } from './model/fields.ts';
import { neighbour, newRunSearch, stepMarks } from './model/steps.ts';
import type { Tree } from './model/tree.ts';
import { EstimatePanel } from './parts/estimate-panel.tsx';
import { Advanced } from './parts/parameter-list.tsx';
import { PlanActions, PlanBanner, PlanSteps, StepButtons } from './plan-frame.tsx';
import { BaseStep, TrainingStep } from './steps/base-step.tsx';
import { EvaluationStep } from './steps/evaluation-step.tsx';
import { ReviewStep } from './steps/review-step.tsx';
import { SupervisionStep } from './steps/supervision-step.tsx';
import './new-run.css';

const RUNS_OFFERED = 30;
const AGE_MS = 30_000; // ages of measurements are told in minutes

/** /new: a run is planned in five steps, with what it would take beside them. */
export function NewRunPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ at, from, only: asked, preset, person }, change] = useRoomSearch(newRunSearch);
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), AGE_MS, { autoInvoke: true });
  const choices = useApiQuery('plan.choices', api.plan.choices, undefined);
  const { config: draft, origin, base, only, begin, set, reset, lift, clear } = useDraft();
  const forget = useCallback(
    () => change({ from: undefined, only: undefined, preset: undefined, person: undefined }),
    [change],
  );
  useBeginning(
    { from, only: asked ?? null, preset, person },
    choices.data?.presets as { name: string; config: Tree }[] | undefined,
    forget,
  );
  const readFile = usePlanFile();

  const { config, issues } = useMemo(
    () => (draft === null ? { config: null, issues: new Map<string, string>() } : checkDraft(draft, t)),
    [draft, t],
  );
  const { estimate, problem } = useEstimate(config);
  const memory = useMemoryPlan(config);
  const methods = useMethods(config);
  const found = useSideQuery('plan.problems', api.plan.problems, config as NonNullable<typeof config>, {
    enabled: config !== null,
  });
  const problems = useMemo(() => (config === null ? [] : (found.data ?? [])), [config, found.data]);
  const written = useSideQuery('plan.text', api.plan.text, config as NonNullable<typeof config>, {
    enabled: config !== null && at === 'review',
  });
  const text = config === null ? null : (written.data ?? null);
  const runs = useSideQuery('runs.rows', api.runs.rows, { limit: RUNS_OFFERED });
  const activity = useSideQuery('runs.activity', api.runs.activity, undefined);
  const atWork = activity.data?.atWork.length ?? 0;
  const places = activity.data?.places ?? 1;
  const probe = useProbe(config);

  const start = useApiMutation(api.runs.start, { invalidates: ['runs'] });
  const canStart = config !== null && found.data?.length === 0;
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
  const step = (by: 1 | -1): void => change({ at: neighbour(at, by) }, { replace: false });

  const group = t('new-run.group');
  const [next, previous] = [t(`new-run.step.${neighbour(at, 1)}`), t(`new-run.step.${neighbour(at, -1)}`)];
  useCommand(
    { id: 'new-run.next', title: t('new-run.next', { step: next }), keys: ']', group, run: () => step(1) },
    at !== 'review',
  );
  useCommand(
    {
      id: 'new-run.back',
      title: t('new-run.back', { step: previous }),
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
    { id: 'new-run.probe', title: t('new-run.estimate.probe'), keys: null, group, run: probe.start },
    config !== null,
  );

  // What the engine would refuse stands at its field as well, like what the schema refuses.
  const told = useMemo(
    () => new Map([...problems.map(({ path, sentence }) => [path, sentence] as const), ...issues]),
    [problems, issues],
  );
  const fields = draft === null ? null : fieldsOf({ config: draft, base, issues: told, only, set, reset });
  const wrong = issues.size > 0 ? t('new-run.wrong', { n: issues.size }) : null;
  const onLibrary = (): void => navigate('/library/import');
  return (
    <Page
      title={t('new-run.title')}
      flush
      aside={origin !== null && <Quiet>{t(`new-run.origin.${origin.kind}`, { name: origin.name })}</Quiet>}
      actions={
        <PlanActions
          atWork={atWork}
          places={places}
          canStart={canStart}
          isStarting={start.isPending}
          hint={wrong ?? problems[0]?.sentence ?? null}
          onFile={readFile}
          onClear={clear}
          onStart={launch}
        />
      }
    >
      <QueryState read={choices} problemOf={readableFailure}>
        {({ presets, policies, frameworks, reviewers, supervisors, suites }) =>
          draft === null || fields === null ? (
            <Loading />
          ) : (
            <>
              <PlanBanner origin={origin} only={only} onLift={lift} />
              <section className="plan-split" aria-label={t('new-run.title')}>
                <PlanSteps
                  at={at}
                  marks={stepMarks({ config: draft, base }, [
                    ...issues.keys(),
                    ...problems.map(({ path }) => path),
                  ])}
                  onStep={(chosen) => change({ at: chosen }, { replace: false })}
                />
                <div className="plan-main">
                  {at === 'base' && (
                    <BaseStep
                      fields={fields}
                      presets={presets.map(({ name }) => name)}
                      preset={origin?.kind === 'preset' ? origin.name : null}
                      onPreset={(name) => {
                        const chosen = presets.find((one) => one.name === name);
                        if (chosen !== undefined) begin({ kind: 'preset', name }, chosen.config as Tree);
                      }}
                      policies={policies}
                      frameworks={frameworks}
                      onLibrary={onLibrary}
                      isLocked={only !== null}
                    />
                  )}
                  {at === 'training' && <TrainingStep fields={fields} config={config} methods={methods} />}
                  {at === 'supervision' && (
                    <SupervisionStep
                      fields={fields}
                      config={config}
                      now={now}
                      estimate={estimate}
                      runs={(runs.data?.rows ?? []).map(({ id, name, phases }) => ({ id, name, phases }))}
                      reviewers={reviewers}
                      supervisors={supervisors}
                      onLibrary={onLibrary}
                    />
                  )}
                  {at === 'evaluation' && (
                    <EvaluationStep
                      fields={fields}
                      suites={suites}
                      judges={supervisors}
                      kept={estimate?.checkpointsKept ?? null}
                      onLibrary={onLibrary}
                    />
                  )}
                  {at === 'review' && (
                    <ReviewStep
                      fields={fields}
                      changed={draftChanges({ config: draft, base })}
                      text={text}
                      wrong={issues.size}
                      problems={problems}
                      onSave={() =>
                        saveText(fileName([String(draft['name'])], 'yaml'), 'text/yaml', text?.yaml ?? '')
                      }
                    />
                  )}
                  <Advanced key={at} step={at} fields={fields} />
                  <StepButtons at={at} onStep={step} />
                </div>
                <EstimatePanel
                  config={config}
                  estimate={estimate}
                  problem={problem}
                  now={now}
                  probe={probe.job}
                  atWork={atWork}
                  memory={memory}
                  onProbe={probe.start}
                  onCancelProbe={probe.cancel}
                />
              </section>
            </>
          )
        }
      </QueryState>
    </Page>
  );
}
