import type { RecordFilter } from '../../../../electron/contract/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { FILTER_KEYS, searchOf, type RecordsSearch } from '../model/search-schema.ts';
import { valueLabel } from './value-label.ts';
import type { Chip } from './filter-chips.tsx';

/** The conditions of an address in words, each with what lifts it. */
export function chipsOf(
  t: Translate,
  search: RecordsSearch,
  filter: RecordFilter,
  onChange: (part: Partial<RecordsSearch>) => void,
): Chip[] {
  const chips: Chip[] = FILTER_KEYS.flatMap((key) => {
    const value = filter[key];
    if (value === undefined) return [];
    const label =
      key === 'fromStep' || key === 'toStep'
        ? t(`records.chip.${key}`, { value: String(value) })
        : `${t(`records.facet.${key}`)}: ${valueLabel(t, key, value as string | boolean)}`;
    return [{ key, label, remove: () => onChange(searchOf({ [key]: undefined })) }];
  });
  if (search.q !== undefined && search.q.trim() !== '')
    chips.push({
      key: 'q',
      label: t('records.chip.search', { value: search.q }),
      remove: () => onChange({ q: undefined }),
    });
  if (search.similar !== undefined)
    chips.push({
      key: 'similar',
      label: t('records.chip.similar', { value: search.similar }),
      remove: () => onChange({ similar: undefined }),
    });
  return chips;
}
