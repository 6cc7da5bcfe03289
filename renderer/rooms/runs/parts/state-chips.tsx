import { Chip, Group } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { groupCount, STATE_GROUP_NAMES, type StateGroup } from '../model/filter.ts';

/** The states there are under the filter, with how many runs are in each; one of them, or all. */
export function StateChips({
  states,
  selected,
  onSelect,
}: {
  states: Record<string, number>;
  selected: StateGroup | null;
  onSelect: (group: StateGroup | null) => void;
}) {
  const t = useTranslate();
  const all = Object.values(states).reduce((sum, n) => sum + n, 0);
  const shown = STATE_GROUP_NAMES.filter((group) => group === selected || groupCount(group, states) > 0);
  return (
    <Chip.Group
      multiple={false}
      value={selected ?? 'all'}
      onChange={(value) => onSelect(value === 'all' ? null : (value as StateGroup))}
    >
      <Group gap={6} role="radiogroup" aria-label={t('runs.states')}>
        <Chip size="xs" value="all">
          {t('runs.chip', { name: t('runs.states.all'), n: all })}
        </Chip>
        {shown.map((group) => (
          <Chip key={group} size="xs" value={group}>
            {t('runs.chip', { name: t(`runs.states.${group}`), n: groupCount(group, states) })}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}
