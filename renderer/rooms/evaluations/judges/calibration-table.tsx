import type { JudgeCalibration } from '../../../../electron/contract/index.ts';
import { Num, Percent, Text, When } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { agreementText, kappaText } from './calibration-words.ts';

/** How judges agreed with people, newest first. */
export function CalibrationTable({ calibrations }: { calibrations: readonly JudgeCalibration[] }) {
  const t = useTranslate();
  if (calibrations.length === 0)
    return (
      <Text size="sm" c="var(--quiet)">
        {t('evaluations.calibrations.none')}
      </Text>
    );
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
              {calibration.judge.name}
              <Text size="xs" c="var(--quiet)">
                {t('evaluations.rubric.version', { version: calibration.judge.promptVersion })}
              </Text>
            </td>
            <td className="evaluations-wrap">{calibration.set}</td>
            <td className="numbers">
              {agreementText(t, calibration)}
              <Text size="xs" c="var(--quiet)">
                {t('evaluations.calibration.unanimous', {
                  agreed: calibration.unanimous.agreed,
                  n: calibration.unanimous.n,
                })}
              </Text>
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
