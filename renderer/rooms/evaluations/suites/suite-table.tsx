import { SUITE_GROUPS, type SuiteChoice } from '../../../../electron/contract/index.ts';
import { Badge, Checkbox, Duration, Num, Quiet } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';

type SuiteTableProps = {
  suites: readonly SuiteChoice[];
  picked: readonly string[];
  onPick: (name: string) => void;
  selected: string | null;
  onSelect: (name: string) => void;
};

/** Every suite by group, with what it measures and what it needs; picked ones are asked together. */
export function SuiteTable({ suites, picked, onPick, selected, onSelect }: SuiteTableProps) {
  const t = useTranslate();
  const groups = SUITE_GROUPS.map((group) => ({
    group,
    own: suites.filter((suite) => suite.group === group),
  })).filter(({ own }) => own.length > 0);
  return (
    <table className="evaluations-table" aria-label={t('evaluations.suites.table')}>
      <thead>
        <tr>
          <th scope="col">
            <span className="evaluations-hidden">{t('evaluations.suites.pick')}</span>
          </th>
          <th scope="col">{t('evaluations.suites.suite')}</th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.suites.items')}
          </th>
          <th scope="col">{t('evaluations.suites.source')}</th>
          <th scope="col">{t('evaluations.suites.needs')}</th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.suites.pace')}
          </th>
        </tr>
      </thead>
      {groups.map(({ group, own }) => (
        <tbody key={group}>
          <tr className="evaluations-group">
            <th scope="rowgroup" colSpan={6}>
              {t(`evaluations.group.${group}`)}
            </th>
          </tr>
          {own.map((suite) => (
            <tr key={suite.name} data-selected={suite.name === selected}>
              <td>
                <Checkbox
                  size="xs"
                  aria-label={t('evaluations.suites.pickOne', { suite: suite.title })}
                  checked={picked.includes(suite.name)}
                  onChange={() => onPick(suite.name)}
                />
              </td>
              <td>
                <button
                  type="button"
                  className="evaluations-name"
                  aria-pressed={suite.name === selected}
                  onClick={() => onSelect(suite.name)}
                >
                  {suite.title}
                </button>
                <Quiet size="xs">
                  {suite.measures} ·{' '}
                  {t(suite.better === 'lower' ? 'common.lowerIsBetter' : 'common.higherIsBetter')}
                </Quiet>
              </td>
              <td className="evaluations-end">
                <Num value={suite.items} />
              </td>
              <td>
                <SourceMark suite={suite} />
              </td>
              <td>{needsText(t, suite)}</td>
              <td className="evaluations-end">
                {suite.secondsPerItem === null ? (
                  t('evaluations.suites.pace.none')
                ) : (
                  <Duration seconds={suite.secondsPerItem} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** Whether its items are there: with the program, imported, or still to be brought. */
export function SourceMark({ suite: { source } }: { suite: SuiteChoice }) {
  const t = useTranslate();
  if (source.kind === 'bundled')
    return (
      <Badge size="sm" variant="default" tt="none" miw="max-content">
        {t('evaluations.source.bundled')}
      </Badge>
    );
  const color = source.state === 'ready' ? 'green' : 'yellow';
  return (
    <Badge
      size="sm"
      variant="light"
      color={color}
      tt="none"
      miw="max-content"
      c="var(--mantine-color-text)"
      title={source.note ?? undefined}
    >
      {t(`evaluations.source.${source.state}`)}
    </Badge>
  );
}

export function needsText(t: Translate, { needs }: SuiteChoice): string {
  const parts = [
    needs.sandbox ? t('evaluations.needs.sandbox') : '',
    needs.maths ? t('evaluations.needs.maths') : '',
    needs.judge === 'none' ? '' : t(`evaluations.needs.judge.${needs.judge}`),
  ].filter((part) => part !== '');
  return parts.length === 0 ? t('evaluations.needs.nothing') : parts.join(', ');
}
