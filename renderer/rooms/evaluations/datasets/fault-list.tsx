import type { DatasetFault, DatasetRefusal } from '../../../../electron/contract/index.ts';
import { Alert } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';

const faultText = (t: Translate, { file, row, why }: DatasetFault): string =>
  t(row === null ? 'evaluations.fault.file' : 'evaluations.fault.row', { file, row: row ?? 0, why });

/** Why a set was not taken in: the file, the row and the reason of each fault. */
export function FaultList({ refusal: { faults, count }, title }: { refusal: DatasetRefusal; title: string }) {
  const t = useTranslate();
  return (
    <Alert color="red" title={title} role="alert">
      <ul className="evaluations-faults">
        {faults.map((fault) => (
          <li key={`${fault.file} ${fault.row ?? ''} ${fault.why}`}>{faultText(t, fault)}</li>
        ))}
        {count > faults.length && <li>{t('evaluations.fault.more', { n: count - faults.length })}</li>}
      </ul>
    </Alert>
  );
}
