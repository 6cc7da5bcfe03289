import { percentText, visibleString, TextBlock } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { FullRecord } from '../model/types.ts';
import { comparison } from '../model/verifier.ts';
import { OutcomeMark } from '../parts/outcome-mark.tsx';

/** What the verifier found, with both sides of its comparison where they are stored. */
export function VerifierBlock({ record }: { record: FullRecord }) {
  const t = useTranslate();
  const { outcome, reason, sandboxLevel } = record.rollout.verdict;
  return (
    <div className="records-verifier">
      <div className="records-facts">
        <OutcomeMark outcome={outcome} />
        {reason !== null && (
          <span>
            {t('records.verifier.reason')}: <code>{visibleString(reason)}</code>
          </span>
        )}
        <span>
          {t('records.verifier.sandbox')}: {sandboxLevel ?? t('records.verifier.sandbox.none')}
        </span>
      </div>
      <Sides record={record} />
      <p className="records-quiet">{t('records.verifier.unrecorded')}</p>
    </div>
  );
}

function Sides({ record }: { record: FullRecord }) {
  const t = useTranslate();
  const compared = comparison(record);
  const side = (title: string, text: string | null) => (
    <>
      <dt>{title}</dt>
      <dd>
        {text === null ? (
          <span className="records-quiet">{t('records.pair.noAnswer')}</span>
        ) : (
          <TextBlock text={text} look="code" label={title} />
        )}
      </dd>
    </>
  );
  switch (compared.kind) {
    case 'value':
      return (
        <dl className="records-sides">
          {side(t('records.verifier.expected'), compared.expected)}
          {side(t('records.verifier.got'), compared.got)}
        </dl>
      );
    case 'input':
      return (
        <>
          <dl className="records-sides">
            {side(t('records.verifier.anyInput'), compared.output)}
            {side(t('records.verifier.got'), compared.got)}
          </dl>
          <p className="records-quiet">{t('records.verifier.inputNote')}</p>
        </>
      );
    case 'program':
      return (
        <p>
          {t('records.verifier.program', { share: percentText(compared.accuracy, 0), pairs: compared.pairs })}
        </p>
      );
    case 'proposal':
      return compared.taskId === null ? (
        <p>{t('records.verifier.proposal.none')}</p>
      ) : (
        <p>
          {t('records.verifier.proposal.task', { id: compared.taskId })}
          {compared.solveRate !== null &&
            ` ${t('records.verifier.proposal.rate', { share: percentText(compared.solveRate, 0) })}`}
        </p>
      );
    case 'none':
      return <p className="records-quiet">{t('records.verifier.none')}</p>;
  }
}
