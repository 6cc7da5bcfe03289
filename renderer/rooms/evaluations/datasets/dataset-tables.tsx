import type { DatasetEntry, DatasetKind } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Bytes, Num, Text, When, Quiet, visibleString } from '../../../ui/index.ts';

/** The sets of the lab; one is chosen by its name. */
export function DatasetTable({
  datasets,
  selected,
  onSelect,
}: {
  datasets: readonly DatasetEntry[];
  selected: string | null;
  onSelect: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <table className="evaluations-table" aria-label={t('evaluations.datasets.table')}>
      <thead>
        <tr>
          <th scope="col">{t('evaluations.datasets.name')}</th>
          <th scope="col">{t('evaluations.datasets.use')}</th>
          <th scope="col">{t('evaluations.datasets.state')}</th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.datasets.rows')}
          </th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.datasets.size')}
          </th>
          <th scope="col">{t('evaluations.datasets.added')}</th>
        </tr>
      </thead>
      <tbody>
        {datasets.map((dataset) => (
          <tr key={dataset.name} data-selected={dataset.name === selected}>
            <td>
              <button
                type="button"
                className="evaluations-name"
                aria-pressed={dataset.name === selected}
                onClick={() => onSelect(dataset.name)}
              >
                {visibleString(dataset.name)}
              </button>
              <Quiet size="xs">{dataset.title}</Quiet>
            </td>
            <td>{t(`evaluations.use.${dataset.use}`)}</td>
            <td>
              <span className="evaluations-state" data-state={dataset.state}>
                {t(`evaluations.datasets.${dataset.state}`)}
              </span>
            </td>
            <td className="evaluations-end">
              <Num value={dataset.rows} />
            </td>
            <td className="evaluations-end">
              <Bytes value={dataset.bytes} />
            </td>
            <td>
              <When iso={dataset.addedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What can be brought: every official file that is recognised, where it is published, and what it is for. */
export function KindTable({
  kinds,
  selected,
  onSelect,
}: {
  kinds: readonly DatasetKind[];
  selected: string | null;
  onSelect: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <table className="evaluations-table" aria-label={t('evaluations.kinds')}>
      <thead>
        <tr>
          <th scope="col">{t('evaluations.kinds.set')}</th>
          <th scope="col">{t('evaluations.datasets.use')}</th>
          <th scope="col">{t('evaluations.kinds.source')}</th>
          <th scope="col">{t('evaluations.kinds.licence')}</th>
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind.name} data-selected={kind.name === selected}>
            <td>
              <button
                type="button"
                className="evaluations-name"
                aria-pressed={kind.name === selected}
                onClick={() => onSelect(kind.name)}
              >
                {kind.title}
              </button>
            </td>
            <td>{t(`evaluations.use.${kind.use}`)}</td>
            <td className="evaluations-wrap">
              {kind.source}
              {kind.official.length > 0 && (
                <Quiet size="xs" className="numbers">
                  {kind.official
                    .map(({ what, rows }) => t('evaluations.kinds.official', { what, rows }))
                    .join('; ')}
                </Quiet>
              )}
            </td>
            <td className="evaluations-wrap">
              {kind.licence}
              {kind.terms !== null && (
                <Text size="xs" c="var(--warn)">
                  {t(`evaluations.kinds.terms.${kind.terms.kind}`)}
                </Text>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
