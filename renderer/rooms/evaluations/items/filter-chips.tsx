import { ITEM_FILTERS, type ItemFilter } from '../../../../electron/contract/index.ts';
import { Chip, Group } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** Which answers the list shows, with how many there are of each kind; kinds without any are left out. */
export function FilterChips({
  counts,
  value,
  onChange,
}: {
  counts: Record<ItemFilter, number>;
  value: ItemFilter;
  onChange: (value: ItemFilter) => void;
}) {
  const t = useTranslate();
  const shown = ITEM_FILTERS.filter((filter) => filter === 'all' || filter === value || counts[filter] > 0);
  return (
    <Chip.Group multiple={false} value={value} onChange={(next) => onChange(next as ItemFilter)}>
      <Group gap={6} role="radiogroup" aria-label={t('evaluations.show')} className="evaluations-chips">
        {shown.map((filter) => (
          <Chip key={filter} size="xs" value={filter}>
            {t('evaluations.show.count', { name: t(`evaluations.show.${filter}`), n: counts[filter] })}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}
