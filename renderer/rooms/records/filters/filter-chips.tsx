import type { JudgedOutcome, RecordFilter } from '../../../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { batchText, issueText, UnstyledButton } from '../../../ui/index.ts';
import { FILTER_KEYS, searchOf, type RecordsSearch, type FilterKey } from './address.ts';

type Chip = { key: string; label: string; remove: () => void };

/** The conditions in force, each with a cross to lift it, and all of them at once. */
export function FilterChips({ chips, onClear }: { chips: readonly Chip[]; onClear: () => void }) {
  const t = useTranslate();
  if (chips.length === 0) return null;
  return (
    <div className="records-chips">
      {chips.map(({ key, label, remove }) => (
        <UnstyledButton
          key={key}
          className="records-chip"
          aria-label={t('records.chip.remove', { condition: label })}
          onClick={remove}
        >
          {label} <span aria-hidden>×</span>
        </UnstyledButton>
      ))}
      {chips.length > 1 && (
        <UnstyledButton className="records-chip" onClick={onClear}>
          {t('common.clearFilters')}
        </UnstyledButton>
      )}
    </div>
  );
}

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

export type FacetKey = Exclude<FilterKey, 'fromStep' | 'toStep'>;

/** A value of a facet in words; names of task types and roles are their own. */
export function valueLabel(t: Translate, key: FacetKey, value: string | boolean): string {
  switch (key) {
    case 'outcome':
      return t(`outcome.${value as JudgedOutcome}`);
    case 'reviewed':
      return t(value === true ? 'records.value.reviewed.true' : 'records.value.reviewed.false');
    case 'decision':
      return t(`records.value.decision.${value as 'continue' | 'retry'}`);
    case 'phase':
      return t(`phase.${value as 'task' | 'plan' | 'thought' | 'output' | 'exec'}.short`);
    case 'leak':
      return t('records.value.leak.true');
    case 'issue':
      return issueText(t, value as string);
    case 'batch':
      return batchText(t, value as string);
    case 'role':
    case 'taskType':
      return String(value);
  }
}
