import {
  isWordedByModel,
  PHASES,
  type RunConfig,
  reviewTerms,
  totals,
} from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { shortDurationText, Switch, Text, Title, type ModelChoice } from '../../../ui/index.ts';
import { type Estimate, reviewQuantity } from '../model/estimate.ts';
import { PERSON } from '../model/draft.ts';
import type { Fields } from '../model/fields.ts';
import { firstValues } from '../model/schema.ts';
import { Field, ModelPicker } from '../parts/field.tsx';
import { PhaseEditor } from '../parts/phase-editor.tsx';
import { EstimateLine, rangeText, waitedText } from '../parts/estimate-line.tsx';
import { JudgeOf } from '../parts/judge-of.tsx';
import type { RunPhases } from '../parts/phase-presets.tsx';

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
  const modelReviews = fields.value('supervision.reviewer') === 'llama';
  const modelWords = ['supervision.summary', 'supervision.merge'].some(
    (path) => fields.value(path) === 'model',
  );
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
        {(modelReviews || modelWords) && (
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
              onlyWords={!modelReviews}
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
      {hasPerson && config !== null && PHASES.every((phase) => config.supervision.phases[phase] === 0) && (
        <Text size="sm" c="var(--warn)" role="status" mb="xs">
          {t('new-run.human.nothing')}
        </Text>
      )}
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
        <Field path="supervision.summary" fields={fields} absent="rule" />
        <Field path="supervision.merge" fields={fields} />
        <Field path="supervision.contextTokens" fields={fields} />
        <Field path="supervision.contextLines" fields={fields} />
      </div>
    </>
  );
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** What the chosen probabilities cost in a step: how many reviews, how long each takes here, and what that adds. */
export function SupervisionCost({
  config,
  estimate,
  now,
}: {
  config: RunConfig;
  estimate: Estimate;
  now: Date;
}) {
  const t = useTranslate();
  const { supervision } = config;
  const sums = totals(config, estimate);
  const { reviewsPerStep, secondsAReview, waitedSeconds } = sums;
  if (PHASES.every((phase) => supervision.phases[phase] === 0)) return null;
  const waited = waitedText(t, sums, estimate, config.policy.threads + supervision.threads);
  const terms = reviewTerms(supervision.phases, estimate)
    .map(({ phase, p, items, written }) =>
      t('new-run.cost.term', {
        phase: t(`phase.${phase}.short`),
        p: number(p),
        items: number(items),
        written: written < 1 ? written.toFixed(2) : 'all',
      }),
    )
    .join(' + ');
  const words = isWordedByModel(supervision);
  const modelReviews = supervision.reviewer === 'llama';
  return (
    <section aria-labelledby="supervision-cost">
      <Title order={2} mt="xl" id="supervision-cost">
        {t('new-run.cost.title')}
      </Title>
      <dl className="plan-lines">
        <EstimateLine
          name={t('new-run.cost.reviews')}
          value={number(reviewsPerStep)}
          hint={`${t('new-run.cost.formula')} ${terms} = ${number(reviewsPerStep)}`}
        />
        <EstimateLine
          name={t('new-run.cost.each')}
          value={secondsAReview === null ? t('new-run.cost.unmeasured') : shortDurationText(secondsAReview)}
          quantity={reviewQuantity(config, estimate)}
          about="review"
          now={now}
          hint={
            secondsAReview !== null
              ? undefined
              : modelReviews
                ? t('new-run.cost.measure', { command: `anchor judge probe ${supervision.model}` })
                : t('new-run.cost.measure.step')
          }
        />
        <EstimateLine
          name={t('new-run.cost.added')}
          value={waitedSeconds === null ? t('new-run.estimate.unknown') : rangeText(t, waitedSeconds)}
          hint={
            waitedSeconds === null
              ? undefined
              : [waited, words ? t('new-run.cost.words') : null].filter((text) => text != null).join(' ')
          }
        />
      </dl>
    </section>
  );
}
