import type { Tripwire } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Switch,
  Text,
  Title,
  Quiet,
  visibleString,
  type ModelChoice,
} from '../../../ui/index.ts';
import type { Fields } from '../model/fields.ts';
import { Field, ModelPicker } from '../parts/field.tsx';
import { JudgeOf } from '../parts/judge-of.tsx';

const PLAN = 'evaluation';
const FIRST = { every: 10, items: 40 };

type EvaluationStepProps = {
  fields: Fields;
  suites: readonly { name: string; measures: string; group: string }[];
  /** GGUF models that can judge. */
  judges: readonly ModelChoice[];
  /** Checkpoints there will be; null while unknown. */
  kept: number | null;
  onLibrary: () => void;
};

/** 4. Which checkpoints are kept, and what they are asked. */
export function EvaluationStep({ fields, suites, judges, kept, onLibrary }: EvaluationStepProps) {
  const t = useTranslate();
  const every = fields.value('checkpoints.keepEvery');
  const isOn = fields.value(PLAN) != null;
  const chosen = fields.value(`${PLAN}.suites`);
  const judge = fields.value(`${PLAN}.judge`);
  return (
    <>
      <Title order={2}>{t('new-run.checkpoints.title')}</Title>
      <Quiet mb="xs">
        {typeof every === 'number' && every > 0
          ? t('new-run.checkpoints.text', { every, kept: kept ?? 0 })
          : t('new-run.checkpoints.textNone')}
      </Quiet>
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
        <Quiet>{t('new-run.evaluation.off')}</Quiet>
      ) : (
        <>
          <Quiet mb="sm">{t('new-run.evaluation.pauses')}</Quiet>
          <div className="plan-fields">
            <Field path="evaluation.every" fields={fields} />
            <Field path="evaluation.items" fields={fields} />
            <Field path="evaluation.contexts" fields={fields} />
            <div>
              <ModelPicker
                path="evaluation.judge"
                models={judges}
                fields={fields}
                none={t('new-run.evaluation.judge.none')}
                onLibrary={onLibrary}
              />
              {judges.some(({ name }) => name === judge) && (
                <JudgeOf
                  key={String(judge)}
                  model={String(judge)}
                  threads={Number(fields.value('supervision.threads')) || 1}
                />
              )}
            </div>
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
                  label={visibleString(name)}
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

const PATH = 'evaluation.tripwires';
const WHEN = ['falls', 'rises', 'below', 'above'] as const satisfies readonly Tripwire['when'][];
const ACTIONS = ['mark', 'pause'] as const satisfies readonly Tripwire['action'][];

/** Conditions on scores of the run's own evaluations: each a line that says what it watches and what it does. */
function TripwireList({
  fields,
  suites,
}: {
  fields: Fields;
  /** Those the run is asked. */
  suites: readonly string[];
}) {
  const t = useTranslate();
  const value = fields.value(PATH);
  const wires = Array.isArray(value) ? (value as Tripwire[]) : [];
  const disabled = fields.isLocked('evaluation');
  const set = (next: readonly Tripwire[]): void => fields.set(PATH, next.length === 0 ? undefined : next);
  const change = (place: number, part: Partial<Tripwire>): void =>
    set(wires.map((wire, at) => (at === place ? { ...wire, ...part } : wire)));
  const problem = fields.issue(PATH);
  return (
    <>
      <Title order={3} mt="lg">
        {t('new-run.tripwires')}
      </Title>
      <Quiet mb="xs">{t('new-run.tripwires.text')}</Quiet>
      {wires.map((wire, place) => (
        <Group
          key={place}
          gap="xs"
          align="flex-end"
          mb="xs"
          role="group"
          aria-label={t('new-run.tripwires.one', { place: place + 1 })}
        >
          <NativeSelect
            size="xs"
            label={t('new-run.tripwires.suite')}
            value={wire.suite}
            disabled={disabled}
            data={[...new Set([...suites, wire.suite])]}
            onChange={(event) => change(place, { suite: event.currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            label={t('new-run.tripwires.when')}
            value={wire.when}
            disabled={disabled}
            data={WHEN.map((each) => ({ value: each, label: t(`new-run.tripwires.when.${each}`) }))}
            onChange={(event) => change(place, { when: event.currentTarget.value as Tripwire['when'] })}
          />
          <NumberInput
            size="xs"
            w={90}
            label={t('new-run.tripwires.by')}
            value={wire.by}
            step={0.01}
            decimalScale={4}
            disabled={disabled}
            error={fields.issue(`${PATH}.${place}.by`)}
            onChange={(by) => {
              if (typeof by === 'number') change(place, { by });
            }}
          />
          <NativeSelect
            size="xs"
            label={t('new-run.tripwires.action')}
            value={wire.action}
            disabled={disabled}
            data={ACTIONS.map((each) => ({ value: each, label: t(`new-run.tripwires.action.${each}`) }))}
            onChange={(event) => change(place, { action: event.currentTarget.value as Tripwire['action'] })}
          />
          <Checkbox
            size="xs"
            mb={6}
            label={t('new-run.tripwires.certain')}
            checked={wire.certain}
            disabled={disabled}
            onChange={(event) => change(place, { certain: event.currentTarget.checked })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            mb={2}
            aria-label={t('new-run.tripwires.remove', { place: place + 1 })}
            disabled={disabled}
            onClick={() => set(wires.filter((_, at) => at !== place))}
          >
            ×
          </ActionIcon>
        </Group>
      ))}
      {problem !== undefined && (
        <Text size="sm" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
      <Button
        size="compact-sm"
        variant="default"
        disabled={disabled || suites.length === 0}
        onClick={() =>
          set([
            ...wires,
            { suite: suites[0] ?? '', when: 'falls', by: 0.06, action: 'pause', certain: false },
          ])
        }
      >
        {t('new-run.tripwires.add')}
      </Button>
    </>
  );
}
