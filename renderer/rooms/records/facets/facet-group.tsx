import { useState } from 'react';
import { Num, UnstyledButton, VisuallyHidden } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

export type Choice = { value: string | boolean; label: string; count: number };

type FacetGroupProps = {
  title: string;
  choices: readonly Choice[];
  chosen: string | boolean | undefined;
  onChoose: (value: string | boolean | undefined) => void;
};

/** Choices shown before somebody asks for all; runs raise dozens of different issues. */
const SHORT = 6;

/** One question and its answers with how many records each would leave; choosing again lifts it. */
export function FacetGroup({ title, choices, chosen, onChoose }: FacetGroupProps) {
  const t = useTranslate();
  const [isLong, setLong] = useState(false);
  const all =
    chosen === undefined || choices.some(({ value }) => value === chosen)
      ? choices
      : [{ value: chosen, label: String(chosen), count: 0 }, ...choices];
  if (all.length === 0) return null;
  const shown = isLong ? all : all.filter(({ value }, index) => index < SHORT || value === chosen);
  return (
    <fieldset className="records-facet">
      <legend>{title}</legend>
      {shown.map(({ value, label, count }) => (
        <UnstyledButton
          key={String(value)}
          className="records-choice"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? undefined : value)}
        >
          <span className="records-choice-label">{label}</span>{' '}
          <span>
            <Num value={count} />
            <VisuallyHidden> {t('records.facet.unit', { n: count })}</VisuallyHidden>
          </span>
        </UnstyledButton>
      ))}
      {all.length > SHORT && (
        <UnstyledButton className="records-choice records-choice-more" onClick={() => setLong(!isLong)}>
          {isLong ? t('records.facet.fewer') : t('records.facet.more', { n: all.length - shown.length })}
        </UnstyledButton>
      )}
    </fieldset>
  );
}
