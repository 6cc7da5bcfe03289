import type { CsvTable, EvaluationRowCounts } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { CsvButton, FilterInput, NativeSelect, Text, visibleString } from '../../../ui/index.ts';
import { NOBODY, type ChangeSearch, type EvaluationsSearch } from '../page-state.ts';

type ListBarProps = {
  search: EvaluationsSearch;
  onChange: ChangeSearch;
  onText: (text: string) => void;
  counts: EvaluationRowCounts;
  /** Every row that the list is narrowed to, in its order. */
  table: () => Promise<CsvTable>;
};

/** What the list of evaluations is narrowed by: words, and one choice of each kind with how many it leaves. */
export function ListBar({ search, onChange, onText, counts, table }: ListBarProps) {
  const t = useTranslate();
  const { facets, total, all } = counts;
  return (
    <div className="ui-filter-bar evaluations-list-bar" role="search">
      <FilterInput
        text={search.q}
        onText={onText}
        label={t('evaluations.list.find')}
        placeholder={t('evaluations.list.find.placeholder')}
        help={t('evaluations.list.find.help')}
      />
      <Choices
        label={t('evaluations.list.suite')}
        any={t('evaluations.list.anySuite')}
        chosen={search.suite}
        choices={facets.suite.map(({ value, count }) => ({ value, count, name: value }))}
        onChoose={(suite) => onChange({ suite })}
      />
      <Choices
        label={t('evaluations.list.subject')}
        any={t('evaluations.list.anySubject')}
        chosen={search.of}
        choices={facets.subject.map(({ value, count, label }) => ({
          value,
          count,
          name: visibleString(label),
        }))}
        onChoose={(of) => onChange({ of })}
      />
      <Choices
        label={t('evaluations.context')}
        any={t('evaluations.list.anyContext')}
        chosen={search.asked}
        choices={facets.context.map(({ value, count }) => ({
          value,
          count,
          name: t(`evaluations.context.${value}`),
        }))}
        onChoose={(asked) => onChange({ asked: asked as EvaluationsSearch['asked'] })}
      />
      <Choices
        label={t('evaluations.list.judge')}
        any={t('evaluations.list.anyJudge')}
        chosen={search.judgedBy}
        choices={facets.judge.map(({ value, count }) => ({
          value: value ?? NOBODY,
          count,
          name: value === null ? t('evaluations.judge.none') : visibleString(value),
        }))}
        onChoose={(judgedBy) => onChange({ judgedBy })}
      />
      <Choices
        label={t('evaluations.list.state')}
        any={t('evaluations.list.anyState')}
        chosen={search.state}
        choices={facets.state.map(({ value, count }) => ({
          value,
          count,
          name: t(`evaluations.state.${value}`),
        }))}
        onChoose={(state) => onChange({ state: state as EvaluationsSearch['state'] })}
      />
      <Text size="xs" c="var(--quiet)" className="numbers" role="status">
        {t('evaluations.list.count', { total, all })}
      </Text>
      {total > 0 && <CsvButton title={t('evaluations.list')} table={table} />}
    </div>
  );
}

type ChoicesProps = {
  label: string;
  any: string;
  chosen: string | undefined;
  choices: readonly { value: string; name: string; count: number }[];
  onChoose: (value: string | undefined) => void;
};

function Choices({ label, any, chosen, choices, onChoose }: ChoicesProps) {
  const t = useTranslate();
  const known = choices.map(({ value, name, count }) => ({
    value,
    label: t('evaluations.list.choice', { name, n: count }),
  }));
  // A link can name what is no choice under the other conditions, or one checkpoint of a run.
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen);
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={chosen ?? ''}
      data-chosen={chosen !== undefined}
      onChange={({ currentTarget: { value } }) => onChoose(value === '' ? undefined : value)}
      data={[
        { value: '', label: any },
        ...(isKnown ? [] : [{ value: chosen, label: visibleString(chosen) }]),
        ...known,
      ]}
    />
  );
}
