import { Checkbox, Switch, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Field } from '../parts/field.tsx';
import { TripwireList } from '../parts/tripwire-list.tsx';
import type { Fields } from '../model/fields.ts';

const PLAN = 'evaluation';
const FIRST = { every: 10, items: 40 };

type EvaluationStepProps = {
  fields: Fields;
  suites: readonly { name: string; measures: string; group: string }[];
  /** Checkpoints there will be; null while unknown. */ kept: number | null;
};

/** 4. Which checkpoints are kept, and what they are asked. */
export function EvaluationStep({ fields, suites, kept }: EvaluationStepProps) {
  const t = useTranslate();
  const every = fields.value('checkpoints.keepEvery');
  const isOn = fields.value(PLAN) != null;
  const chosen = fields.value(`${PLAN}.suites`);
  return (
    <>
      <Title order={2}>{t('new-run.checkpoints.title')}</Title>
      <Text size="sm" c="var(--quiet)" mb="xs">
        {typeof every === 'number' && every > 0
          ? t('new-run.checkpoints.text', { every, kept: kept ?? 0 })
          : t('new-run.checkpoints.textNone')}
      </Text>
      <div className="plan-fields">
        <Field path="checkpoints.keepEvery" fields={fields} />
      </div>
      <Title order={2} mt="xl">
        {t('new-run.evaluation.title')}
      </Title>
      <Switch
        size="sm"
        my="xs"
        label={t('new-run.evaluation.on')}
        checked={isOn}
        disabled={fields.isLocked(PLAN)}
        onChange={(event) =>
          fields.set(
            PLAN,
            event.currentTarget.checked
              ? { ...FIRST, suites: suites.filter(({ group }) => group === 'toy').map(({ name }) => name) }
              : undefined,
          )
        }
      />
      {!isOn ? (
        <Text size="sm" c="var(--quiet)">
          {t('new-run.evaluation.off')}
        </Text>
      ) : (
        <>
          <Text size="sm" c="var(--quiet)" mb="sm">
            {t('new-run.evaluation.pauses')}
          </Text>
          <div className="plan-fields">
            <Field path="evaluation.every" fields={fields} />
            <Field path="evaluation.items" fields={fields} />
            <Field path="evaluation.contexts" fields={fields} />
            <Field path="evaluation.judge" fields={fields} />
          </div>
          <Checkbox.Group
            mt="md"
            label={t('new-run.evaluation.suites')}
            error={fields.issue(`${PLAN}.suites`)}
            value={Array.isArray(chosen) ? (chosen as string[]) : []}
            onChange={(names) =>
              fields.set(
                `${PLAN}.suites`,
                suites.map(({ name }) => name).filter((name) => names.includes(name)),
              )
            }
          >
            <div className="plan-suites">
              {suites.map(({ name, measures }) => (
                <Checkbox
                  key={name}
                  size="xs"
                  value={name}
                  label={name}
                  description={measures}
                  disabled={fields.isLocked(PLAN)}
                />
              ))}
            </div>
          </Checkbox.Group>
          <TripwireList fields={fields} suites={Array.isArray(chosen) ? (chosen as string[]) : []} />
        </>
      )}
    </>
  );
}
