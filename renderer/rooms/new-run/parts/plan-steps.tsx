import { useTranslate } from '../../../i18n/index.ts';
import { STEPS, type Step } from '../model/search.ts';

export type StepMarks = Record<Step, { wrong: number; changed: number }>;

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
