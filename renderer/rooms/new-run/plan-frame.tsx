import { useTranslate } from '../../i18n/index.ts';
import { Banner, Button, ConfirmButton, FileButton, Group } from '../../ui/index.ts';
import type { Only, Origin } from './model/draft.ts';
import { neighbour, type Step, type StepMarks, STEPS } from './model/steps.ts';

/** The five steps; each can be gone to at any time, and says what is wrong or changed in it. */
export function PlanSteps({
  at,
  marks,
  onStep,
}: {
  at: Step;
  marks: StepMarks;
  onStep: (step: Step) => void;
}) {
  const t = useTranslate();
  return (
    <nav className="plan-steps" aria-label={t('new-run.steps')}>
      {STEPS.map((step, index) => {
        const { wrong, changed } = marks[step];
        return (
          <button
            key={step}
            type="button"
            aria-current={step === at ? 'step' : undefined}
            onClick={() => onStep(step)}
          >
            <span className="plan-step-number" aria-hidden>
              {index + 1}
            </span>
            <span>
              {t(`new-run.step.${step}`)}
              {wrong > 0 && (
                <span className="plan-step-mark" data-tone="bad">
                  ▲ {t('new-run.step.wrong', { n: wrong })}
                </span>
              )}
              {wrong === 0 && changed > 0 && (
                <span className="plan-step-mark">● {t('new-run.step.changed', { n: changed })}</span>
              )}
            </span>
          </button>
        );
      })}
    </nav>
  );
}

type PlanActionsProps = {
  /** Runs at work, and how many may be; decides between starting and queueing. */
  atWork: number;
  places: number;
  canStart: boolean;
  isStarting: boolean;
  hint: string | null;
  onFile: (file: File) => void;
  onClear: () => void;
  onStart: () => void;
};

/** What acts on the whole plan: read one, start over, start. */
export function PlanActions({
  atWork,
  places,
  canStart,
  isStarting,
  hint,
  onFile,
  onClear,
  onStart,
}: PlanActionsProps) {
  const t = useTranslate();
  const queues = atWork >= places;
  return (
    <>
      <FileButton
        accept=".yaml,.yml,text/yaml"
        onChange={(file) => {
          if (file !== null) onFile(file);
        }}
      >
        {(props) => (
          <Button {...props} variant="default">
            {t('new-run.import')}
          </Button>
        )}
      </FileButton>
      <ConfirmButton
        label={t('new-run.clear')}
        title={t('new-run.clear.title')}
        consequence={t('new-run.clear.text')}
        confirm={t('new-run.clear')}
        onConfirm={onClear}
      />
      <Button
        disabled={!canStart}
        loading={isStarting}
        title={hint ?? (queues ? t('new-run.queue.hint', { atWork, places }) : undefined)}
        onClick={onStart}
      >
        {t(queues ? 'new-run.queue' : 'new-run.start')}
      </Button>
    </>
  );
}

/** Says that the plan has to stay like another run, and how to lift that. */
export function PlanBanner({
  origin,
  only,
  onLift,
}: {
  origin: Origin | null;
  only: Only;
  onLift: () => void;
}) {
  const t = useTranslate();
  if (only === null || origin?.kind !== 'run') return null;
  return (
    <Banner
      action={
        <Button size="compact-sm" variant="default" style={{ flexShrink: 0 }} onClick={onLift}>
          {t('new-run.only.lift')}
        </Button>
      }
    >
      {t('new-run.only.gate', { name: origin.name })}
    </Banner>
  );
}

/** To the step before and to the one after. */
export function StepButtons({ at, onStep }: { at: Step; onStep: (by: 1 | -1) => void }) {
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
