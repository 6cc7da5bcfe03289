import type { RecordFilter } from '../../../../electron/contract/index.ts';
import { Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { Facets } from '../model/types.ts';
import { FacetGroup, type Choice } from './facet-group.tsx';
import { StepRange } from './step-range.tsx';
import { valueLabel, type FacetKey } from './value-label.ts';

type FacetPanelProps = {
  facets: Facets | undefined;
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
export function FacetPanel({ facets, filter, steps, isSearching, onChange }: FacetPanelProps) {
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
          {t('records.facets.counting')}
        </Text>
      )}
      {isSearching && (
        <Text size="xs" c="var(--quiet)">
          {t('records.facets.unsearched')}
        </Text>
      )}
      {KEYS.map((key) => (
        <FacetGroup
          key={key}
          title={t(`records.facet.${key}`)}
          choices={choices(key)}
          chosen={filter[key]}
          onChoose={(value) => onChange({ [key]: value })}
        />
      ))}
      <Text size="xs" c="var(--quiet)" mt={4}>
        {t('records.facet.reviewNote')}
      </Text>
    </section>
  );
}
