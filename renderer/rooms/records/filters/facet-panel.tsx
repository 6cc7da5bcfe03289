import { useState, useEffect } from 'react';
import type { RecordFilter } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Text,
  Num,
  UnstyledButton,
  VisuallyHidden,
  NumberInput,
  useDebouncedValue,
  Quiet,
} from '../../../ui/index.ts';
import type { Facets } from '../record/record.ts';
import { valueLabel, type FacetKey } from './filter-chips.tsx';

type FacetPanelProps = {
  facets: Facets | undefined;
  /** They could not be counted; the list says why. */
  hasFailed: boolean;
  filter: RecordFilter;
  steps: number;
  isSearching: boolean;
  onChange: (part: Partial<RecordFilter>) => void;
};

const KEYS = [
  'taskType',
  'batch',
  'role',
  'outcome',
  'reviewed',
  'phase',
  'decision',
  'leak',
  'issue',
] as const satisfies readonly FacetKey[];

/** Every question a list of records can be asked, with the count behind each answer. */
export function FacetPanel({ facets, hasFailed, filter, steps, isSearching, onChange }: FacetPanelProps) {
  const t = useTranslate();
  const choices = (key: (typeof KEYS)[number]): Choice[] =>
    (facets?.[key] ?? []).map(({ value, count }) => ({ value, count, label: valueLabel(t, key, value) }));
  return (
    <section className="records-facets" aria-label={t('records.facets')}>
      <StepRange
        from={filter.fromStep}
        to={filter.toStep}
        steps={steps}
        onChange={(fromStep, toStep) => onChange({ fromStep, toStep })}
      />
      {facets === undefined && (
        <Text size="sm" c="var(--quiet)" role="status">
          {t(hasFailed ? 'records.facets.failed' : 'records.facets.counting')}
        </Text>
      )}
      {isSearching && <Quiet size="xs">{t('records.facets.unsearched')}</Quiet>}
      {KEYS.map((key) => (
        <FacetGroup
          key={key}
          title={t(`records.facet.${key}`)}
          choices={choices(key)}
          chosen={filter[key]}
          onChoose={(value) => onChange({ [key]: value })}
        />
      ))}
      <Quiet size="xs" mt={4}>
        {t('records.facet.reviewNote')}
      </Quiet>
    </section>
  );
}

type Choice = { value: string | boolean; label: string; count: number };

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

type StepRangeProps = {
  from: number | undefined;
  to: number | undefined;
  /** Steps stored so far. */ steps: number;
  onChange: (from: number | undefined, to: number | undefined) => void;
};

const PAUSE_MS = 250; // digits of one number come within this

const asStep = (value: number | string): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

/** First and last step of the list; empty is from the beginning, to the end. */
function StepRange({ from, to, steps, onChange }: StepRangeProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState<{ from: number | string; to: number | string }>({
    from: from ?? '',
    to: to ?? '',
  });
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  useEffect(() => setTyped({ from: from ?? '', to: to ?? '' }), [from, to]);
  useEffect(() => {
    const [first, last] = [asStep(settled.from), asStep(settled.to)];
    if (first !== from || last !== to) onChange(first, last);
    // Reports only what was typed; the rest came from the address.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [settled]);
  const field = (which: 'from' | 'to') => (
    <NumberInput
      size="xs"
      min={1}
      max={Math.max(1, steps)}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="blur"
      placeholder={which === 'from' ? '1' : String(steps)}
      aria-label={t(`records.facet.step.${which}`)}
      value={typed[which]}
      onChange={(value) => setTyped((now) => ({ ...now, [which]: value }))}
    />
  );
  return (
    <fieldset className="records-facet">
      <legend>{t('records.facet.step')}</legend>
      <div className="records-range">
        {field('from')}
        <span aria-hidden>–</span>
        {field('to')}
      </div>
    </fieldset>
  );
}
