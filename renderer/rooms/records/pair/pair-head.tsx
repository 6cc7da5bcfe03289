import type { ReactNode } from 'react';
import { Num } from '../../../ui/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import type { Rollout } from '../model/types.ts';
import { OutcomeMark } from '../parts/outcome-mark.tsx';

const FINISHES: Partial<Record<Rollout['finish'], MessageId>> = {
  length: 'records.head.cut',
  cancel: 'records.head.cancelled',
  error: 'records.head.error',
};

/** Which record this is and what it earned; stays in view while the texts scroll. */
export function PairHead({ rollout, actions }: { rollout: Rollout; actions: ReactNode }) {
  const t = useTranslate();
  const {
    id,
    step,
    batch,
    index,
    sample,
    role,
    taskType,
    reward,
    advantage,
    promptTokens,
    newTokens,
    logpMean,
    formatOk,
    verdict,
    purpose,
    finish,
  } = rollout;
  const finished = FINISHES[finish];
  return (
    <header className="records-head">
      <div className="records-head-line">
        <h2 className="numbers">{id}</h2>
        <OutcomeMark outcome={verdict.outcome} />
        <span className="kit-spring" />
        {actions}
      </div>
      <div className="records-facts records-quiet">
        <span className="numbers">{t('records.row.step', { step })}</span>
        <span>
          {t('records.head.item')}{' '}
          {sample === null
            ? t('records.row.item', { batch, index })
            : t('records.row.sample', { batch, index, sample })}
        </span>
        <span>
          {t('records.head.role')} {role}, {taskType}
        </span>
        {purpose === 'estimate' ? (
          <span>{t('records.head.untrained')}</span>
        ) : (
          <>
            <span>
              {t('records.head.reward')}{' '}
              <strong>
                <Num value={reward} digits={2} />
              </strong>
            </span>
            <span>
              {t('records.head.advantage')}{' '}
              <strong>
                <Num value={advantage} digits={3} />
              </strong>
            </span>
          </>
        )}
        <span>
          {t('records.head.tokens')} <Num value={promptTokens} /> + <Num value={newTokens} />
        </span>
        <span>
          {t('records.head.logp')} <Num value={logpMean} digits={3} />
        </span>
        <span>
          {t('records.head.format')} {t(formatOk ? 'records.head.format.ok' : 'records.head.format.bad')}
        </span>
      </div>
      {finished !== undefined && <p className="records-warning">{t(finished)}</p>}
    </header>
  );
}
