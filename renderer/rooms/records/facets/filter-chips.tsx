import { UnstyledButton } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

export type Chip = { key: string; label: string; remove: () => void };

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
