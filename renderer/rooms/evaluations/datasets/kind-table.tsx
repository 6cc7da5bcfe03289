import type { DatasetKind } from '../../../../electron/contract/index.ts';
import { Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

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
                <Text size="xs" c="var(--quiet)" className="numbers">
                  {kind.official
                    .map(({ what, rows }) => t('evaluations.kinds.official', { what, rows }))
                    .join('; ')}
                </Text>
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
