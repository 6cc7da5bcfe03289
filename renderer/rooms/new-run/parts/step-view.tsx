import type { Estimate } from '../model/estimate.ts';
import type { Fields } from '../model/fields.ts';
import type { Step } from '../model/steps.ts';
import { BaseStep, TrainingStep } from '../steps/base-step.tsx';
import { EvaluationStep } from '../steps/evaluation-step.tsx';
import { ReviewStep } from '../steps/review-step.tsx';
import { SupervisionStep } from '../steps/supervision-step.tsx';
import { Advanced } from './parameter-list.tsx';
import type { ModelChoice } from './field.tsx';
import type { RunPhases } from './phase-presets.tsx';

/** What the steps offer; the engine knows it. */
type Choices = {
  presets: readonly { name: string }[];
  policies: readonly ModelChoice[];
  supervisors: readonly ModelChoice[];
  frameworks: readonly string[];
  reviewers: readonly string[];
  suites: readonly { name: string; measures: string; group: string }[];
};

type StepViewProps = {
  at: Step;
  fields: Fields;
  choices: Choices;
  estimate: Estimate | null;
  runs: readonly RunPhases[];
  preset: string | null;
  isLocked: boolean;
  review: Omit<Parameters<typeof ReviewStep>[0], 'fields'>;
  onPreset: (name: string) => void;
  onLibrary: () => void;
};

/** The step that is shown, and below it every value of the schema that belongs to it. */
export function StepView({
  at,
  fields,
  choices,
  estimate,
  runs,
  preset,
  isLocked,
  review,
  onPreset,
  onLibrary,
}: StepViewProps) {
  const step = (() => {
    switch (at) {
      case 'base':
        return (
          <BaseStep
            fields={fields}
            presets={choices.presets.map(({ name }) => name)}
            preset={preset}
            onPreset={onPreset}
            policies={choices.policies}
            frameworks={choices.frameworks}
            onLibrary={onLibrary}
            isLocked={isLocked}
          />
        );
      case 'training':
        return <TrainingStep fields={fields} />;
      case 'supervision':
        return (
          <SupervisionStep
            fields={fields}
            estimate={estimate}
            runs={runs}
            reviewers={choices.reviewers}
            supervisors={choices.supervisors}
            onLibrary={onLibrary}
          />
        );
      case 'evaluation':
        return (
          <EvaluationStep fields={fields} suites={choices.suites} kept={estimate?.checkpointsKept ?? null} />
        );
      case 'review':
        return <ReviewStep fields={fields} {...review} />;
    }
  })();
  return (
    <>
      {step}
      <Advanced key={at} step={at} fields={fields} />
    </>
  );
}
