import type { EvaluationMatrix } from '../../../../electron/contract/index.ts';
import { NativeSelect, Switch } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { CONTEXTS, type ChangeSearch, type EvaluationsSearch } from '../page-state.ts';

type MatrixBarProps = {
  search: EvaluationsSearch;
  matrix: Pick<EvaluationMatrix, 'columns' | 'seeds' | 'limits' | 'judges'>;
  onChange: ChangeSearch;
};

/** Which figures the table shows and how: all of it is in the address. */
export function MatrixBar({ search, matrix: { columns, seeds, limits, judges }, onChange }: MatrixBarProps) {
  const t = useTranslate();
  const { context, seed, limit, judge, base = '', delta, sort, scores } = search;
  const isCompared = delta === 'on' || sort === 'change';
  return (
    <div className="evaluations-bar" role="group" aria-label={t('evaluations.bar')}>
      <NativeSelect
        size="xs"
        aria-label={t('evaluations.context')}
        value={context}
        data={CONTEXTS.map((value) => ({ value, label: t(`evaluations.context.${value}`) }))}
        onChange={(event) => onChange({ context: event.currentTarget.value as EvaluationsSearch['context'] })}
      />
      <Choice
        label={t('evaluations.seed')}
        value={seed}
        data={seeds.map((one) => ({ value: String(one), label: t('evaluations.seed.value', { seed: one }) }))}
        any={t('evaluations.seed.any')}
        onChange={(value) => onChange({ seed: asNumber(value) })}
      />
      <Choice
        label={t('evaluations.limit')}
        value={limit}
        any={t('evaluations.limit.any')}
        onChange={(value) => onChange({ limit: asNumber(value) })}
        data={limits.flatMap((one) =>
          one === null ? [] : [{ value: String(one), label: t('evaluations.limit.value', { limit: one }) }],
        )}
      />
      <Choice
        label={t('evaluations.judge')}
        value={judge}
        data={judges.map((name) => ({ value: name, label: t('evaluations.judge.value', { judge: name }) }))}
        any={t('evaluations.judge.any')}
        onChange={(value) => onChange({ judge: value })}
      />
      <Switch
        size="xs"
        label={t('evaluations.scores')}
        checked={scores === 'on'}
        onChange={(event) => onChange({ scores: event.currentTarget.checked ? 'on' : undefined })}
      />
      <span className="ui-spring" />
      <Switch
        size="xs"
        label={t('evaluations.delta')}
        checked={delta === 'on'}
        onChange={(event) => onChange({ delta: event.currentTarget.checked ? 'on' : undefined })}
      />
      <Switch
        size="xs"
        label={t('evaluations.sort')}
        checked={sort === 'change'}
        onChange={(event) => onChange({ sort: event.currentTarget.checked ? 'change' : undefined })}
      />
      {isCompared && (
        <NativeSelect
          w={150}
          size="xs"
          aria-label={t('evaluations.base')}
          value={base}
          onChange={(event) =>
            onChange({ base: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
          }
          data={[
            { value: '', label: t('evaluations.base.own') },
            ...columns.map(({ key, label }) => ({
              value: key,
              label: t('evaluations.base.column', { label }),
            })),
          ]}
        />
      )}
    </div>
  );
}

type ChoiceProps = {
  label: string;
  value: number | string | undefined;
  data: { value: string; label: string }[];
  /** When nothing is chosen. */ any: string;
  onChange: (value: string | undefined) => void;
};

const asNumber = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

/** One of those that there are figures of; nothing to choose, nothing shown. */
function Choice({ label, value, data, any, onChange }: ChoiceProps) {
  if (data.length < 2 && value === undefined) return null;
  return (
    <NativeSelect
      w={112}
      size="xs"
      aria-label={label}
      value={value === undefined ? '' : String(value)}
      data={[{ value: '', label: any }, ...data]}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
    />
  );
}
