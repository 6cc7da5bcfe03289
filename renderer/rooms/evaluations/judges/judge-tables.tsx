import type { JudgeCalibration } from '../../../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { Button, Text, Num, Percent, When, percentText, Quiet, visibleString } from '../../../ui/index.ts';

/** A GGUF model of the library as a judge. `sha256` is null until it was hashed. */
type JudgeChoice = {
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
          const hashText = sha256 === null ? t('evaluations.judges.unhashed') : sha256.slice(0, 12);
          return (
            <tr key={name} data-selected={name === selected}>
              <td>
                <button
                  type="button"
                  className="evaluations-name"
                  aria-pressed={name === selected}
                  onClick={() => onSelect(name)}
                >
                  {visibleString(name)}
                </button>
                <Quiet size="xs">{embedded ? t('evaluations.judges.embedded') : hashText}</Quiet>
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

/** How judges agreed with people, newest first. */
export function CalibrationTable({ calibrations }: { calibrations: readonly JudgeCalibration[] }) {
  const t = useTranslate();
  if (calibrations.length === 0) return <Quiet>{t('evaluations.calibrations.none')}</Quiet>;
  return (
    <table className="evaluations-table" aria-label={t('evaluations.calibrations')}>
      <thead>
        <tr>
          <th scope="col">{t('evaluations.judges.model')}</th>
          <th scope="col">{t('evaluations.calibrations.set')}</th>
          <th scope="col">{t('evaluations.judges.agreement')}</th>
          <th scope="col">{t('evaluations.calibrations.kappa')}</th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.calibrations.people')}
          </th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.calibrations.judge')}
          </th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.calibrations.unjudged')}
          </th>
          <th scope="col">{t('evaluations.list.when')}</th>
        </tr>
      </thead>
      <tbody>
        {calibrations.map((calibration) => (
          <tr key={calibration.id}>
            <td>
              {visibleString(calibration.judge.name)}
              <Quiet size="xs">
                {t('evaluations.rubric.version', { version: calibration.judge.promptVersion })}
              </Quiet>
            </td>
            <td className="evaluations-wrap">{calibration.set}</td>
            <td className="numbers">
              {agreementText(t, calibration)}
              <Quiet size="xs">
                {t('evaluations.calibration.unanimous', {
                  agreed: calibration.unanimous.agreed,
                  n: calibration.unanimous.n,
                })}
              </Quiet>
            </td>
            <td
              className="numbers"
              title={calibration.kappa === null ? t('evaluations.calibration.kappa.why') : undefined}
            >
              {kappaText(t, calibration)}
            </td>
            <td className="evaluations-end">
              <Percent value={calibration.humanRate} />
            </td>
            <td className="evaluations-end">
              <Percent value={calibration.judgeRate} />
            </td>
            <td className="evaluations-end">
              <Num value={calibration.unjudged} />
            </td>
            <td>
              <When iso={calibration.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** With a minus sign that is as wide as a digit. */
const signed = (value: number): string => value.toFixed(2).replace('-', '−');

/** Agreement with the majority of people and its interval. */
function agreementText(t: Translate, { agreement, n }: JudgeCalibration): string {
  if (agreement.share === null) return t('evaluations.calibration.nothing');
  return t('evaluations.calibration.agreement', {
    share: percentText(agreement.share),
    low: percentText(agreement.low),
    high: percentText(agreement.high),
    n,
  });
}

/** Agreement beyond chance; says so where it is not defined. */
function kappaText(t: Translate, { kappa }: JudgeCalibration): string {
  return kappa === null
    ? t('evaluations.calibration.kappa.none')
    : t('evaluations.calibration.kappa', {
        kappa: signed(kappa.kappa),
        low: signed(kappa.low),
        high: signed(kappa.high),
      });
}
