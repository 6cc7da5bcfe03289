import type { JudgeCalibration } from '../../../../electron/contract/index.ts';
import { Button, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { agreementText } from './calibration-words.ts';

/** A GGUF model of the library as a judge. `sha256` is null until it was hashed. */
export type JudgeChoice = {
  name: string;
  path: string;
  sha256: string | null;
  embedded: boolean;
  calibrations: JudgeCalibration[];
};

type JudgeTableProps = {
  judges: readonly JudgeChoice[];
  chosen: string | null;
  selected: string | null;
  onSelect: (name: string) => void;
  onChoose: (name: string | null) => void;
};

/** Who can judge here, how each agrees with people, and which one the lab uses. */
export function JudgeTable({ judges, chosen, selected, onSelect, onChoose }: JudgeTableProps) {
  const t = useTranslate();
  return (
    <table className="evaluations-table" aria-label={t('evaluations.judges.table')}>
      <thead>
        <tr>
          <th scope="col">{t('evaluations.judges.model')}</th>
          <th scope="col">{t('evaluations.judges.agreement')}</th>
          <th scope="col">
            <span className="evaluations-hidden">{t('evaluations.list.acts')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {judges.map(({ name, embedded, sha256, calibrations }) => {
          const newest = calibrations[0];
          return (
            <tr key={name} data-selected={name === selected}>
              <td>
                <button
                  type="button"
                  className="evaluations-name"
                  aria-pressed={name === selected}
                  onClick={() => onSelect(name)}
                >
                  {name}
                </button>
                <Text size="xs" c="var(--quiet)">
                  {embedded
                    ? t('evaluations.judges.embedded')
                    : sha256 === null
                      ? t('evaluations.judges.unhashed')
                      : sha256.slice(0, 12)}
                </Text>
              </td>
              <td className="numbers">
                {newest === undefined ? (
                  <Text size="sm" c="var(--warn)">
                    {t('evaluations.judges.uncalibrated')}
                  </Text>
                ) : (
                  agreementText(t, newest)
                )}
              </td>
              <td className="evaluations-acts">
                {name === chosen && (
                  <Text span size="xs" fw={600}>
                    {t('evaluations.judges.chosen')}
                  </Text>
                )}
                {name === chosen ? (
                  <Button size="compact-xs" variant="default" onClick={() => onChoose(null)}>
                    {t('evaluations.judges.unchoose')}
                  </Button>
                ) : (
                  <Button size="compact-xs" variant="default" onClick={() => onChoose(name)}>
                    {t('evaluations.judges.choose')}
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
