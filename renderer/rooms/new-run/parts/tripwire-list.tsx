import type { Tripwire } from '../../../../electron/contract/index.ts';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Text,
  Title,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { Fields } from '../model/fields.ts';

const PATH = 'evaluation.tripwires';
const WHEN = ['falls', 'rises', 'below', 'above'] as const satisfies readonly Tripwire['when'][];
const ACTIONS = ['mark', 'pause'] as const satisfies readonly Tripwire['action'][];

/** Conditions on scores of the run's own evaluations: each a line that says what it watches and what it does. */
export function TripwireList({
  fields,
  suites,
}: {
  fields: Fields;
  /** Those the run is asked. */ suites: readonly string[];
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
      <Text size="sm" c="var(--quiet)" mb="xs">
        {t('new-run.tripwires.text')}
      </Text>
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
