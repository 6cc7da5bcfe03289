import type { RunConfig } from '../../../../electron/contract/index.ts';
import { useJudgeProbe } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { JudgeProbeNote, Switch, Title } from '../../../ui/index.ts';
import type { Estimate } from '../model/estimate.ts';
import type { Fields } from '../model/fields.ts';
import { firstValues } from '../model/schema.ts';
import { Field, type ModelChoice, ModelPicker } from '../parts/field.tsx';
import { PhaseEditor } from '../parts/phase-editor.tsx';
import { SupervisionCost } from '../parts/supervision-cost.tsx';
import type { RunPhases } from '../parts/phase-presets.tsx';

const PERSON = 'supervision.human';

type SupervisionStepProps = {
  fields: Fields;
  /** Null while a value is wrong. */
  config: RunConfig | null;
  estimate: Estimate | null;
  now: Date;
  runs: readonly RunPhases[];
  reviewers: readonly string[];
  supervisors: readonly ModelChoice[];
  onLibrary: () => void;
};

/** 3. Who looks at what, how often, and what becomes of what is said. */
export function SupervisionStep({
  fields,
  config,
  estimate,
  now,
  runs,
  reviewers,
  supervisors,
  onLibrary,
}: SupervisionStepProps) {
  const t = useTranslate();
  const hasPerson = fields.value(PERSON) != null;
  const person = fields.entries.find((entry) => entry.path === PERSON);
  return (
    <>
      <PhaseEditor fields={fields} estimate={estimate} runs={runs} />
      {config !== null && estimate !== null && (
        <SupervisionCost config={config} estimate={estimate} now={now} />
      )}
      <Title order={2} mt="xl">
        {t('new-run.supervisor.title')}
      </Title>
      <div className="plan-fields">
        <Field path="supervision.reviewer" fields={fields} offered={reviewers} />
        {fields.value('supervision.reviewer') === 'llama' && (
          <div>
            <ModelPicker
              path="supervision.model"
              models={supervisors}
              fields={fields}
              onLibrary={onLibrary}
            />
            <JudgeOf
              key={String(fields.value('supervision.model'))}
              model={String(fields.value('supervision.model') ?? '')}
              threads={Number(fields.value('supervision.threads')) || 1}
            />
          </div>
        )}
        <Field path="supervision.retry" fields={fields} />
        <Field path="supervision.budgetSeconds" fields={fields} />
      </div>
      <Title order={2} mt="xl">
        {t('new-run.human.title')}
      </Title>
      <Switch
        size="sm"
        my="xs"
        label={t('new-run.human.on')}
        checked={hasPerson}
        disabled={fields.isLocked(PERSON)}
        onChange={(event) =>
          fields.set(
            PERSON,
            event.currentTarget.checked && person?.kind === 'group' ? firstValues(person) : undefined,
          )
        }
      />
      {hasPerson && (
        <div className="plan-fields">
          <Field path="supervision.human.share" fields={fields} />
          <Field path="supervision.human.timeoutSeconds" fields={fields} />
          <Field path="supervision.human.fallback" fields={fields} />
        </div>
      )}
      <Title order={2} mt="xl">
        {t('new-run.context.title')}
      </Title>
      <div className="plan-fields">
        <Field path="supervision.summaryScope" fields={fields} />
        <Field path="supervision.merge" fields={fields} />
        <Field path="supervision.contextTokens" fields={fields} />
        <Field path="supervision.contextLines" fields={fields} />
      </div>
    </>
  );
}

/** How good the chosen supervisor is as a judge, before a run is trusted to it. */
function JudgeOf({ model, threads }: { model: string; threads: number }) {
  const note = useJudgeProbe(model, threads);
  return note === null ? null : <JudgeProbeNote {...note} showsJob />;
}
