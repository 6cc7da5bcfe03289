import type { JudgeCalibration } from '../../../../electron/contract/index.ts';
import { percentText } from '../../../ui/index.ts';
import type { Translate } from '../../../i18n/index.ts';

/** With a minus sign that is as wide as a digit. */
const signed = (value: number): string => value.toFixed(2).replace('-', '−');

/** Agreement with the majority of people and its interval. */
export function agreementText(t: Translate, { agreement, n }: JudgeCalibration): string {
  if (agreement.share === null) return t('evaluations.calibration.nothing');
  return t('evaluations.calibration.agreement', {
    share: percentText(agreement.share),
    low: percentText(agreement.low),
    high: percentText(agreement.high),
    n,
  });
}

/** Agreement beyond chance; says so where it is not defined. */
export function kappaText(t: Translate, { kappa }: JudgeCalibration): string {
  return kappa === null
    ? t('evaluations.calibration.kappa.none')
    : t('evaluations.calibration.kappa', {
        kappa: signed(kappa.kappa),
        low: signed(kappa.low),
        high: signed(kappa.high),
      });
}
