import { memo, useRef, type ReactNode } from 'react';
import type { Phase, PhaseProbabilities } from '../../../../electron/contract/index.ts';
import { readableFailure, useRecord } from '../../../data/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import { EmptyState, QueryState, Num, Button, Group, Menu, SegmentedControl } from '../../../ui/index.ts';
import { OutcomeMark } from './task-and-verdict.tsx';
import { PairView } from './pair-view.tsx';
import type { Rollout } from './record.ts';

type ShownRecordProps = {
  runId: string;
  recordId: string | null;
  probabilities: PhaseProbabilities;
  phase: Phase | undefined;
  view: 'rendered' | 'raw';
  isFocused: boolean;
  onView: (view: 'rendered' | 'raw') => void;
  onFocus: () => void;
  onAct: (act: RecordAct) => void;
  onRecord: (id: string) => void;
};

/** The record of the address, read and shown; the one before stays until it is there. */
export const ShownRecord = memo(function ShownRecord({
  runId,
  recordId,
  probabilities,
  phase,
  view,
  isFocused,
  onView,
  onFocus,
  onAct,
  onRecord,
}: ShownRecordProps) {
  const t = useTranslate();
  const record = useRecord(runId, recordId);
  // The list, which is still read, could not be or has nothing, says so itself.
  if (recordId === null) return <div className="records-right-pane" />;
  return (
    <div className="records-right-pane">
      <QueryState read={record} problemOf={readableFailure}>
        {(found) =>
          found === null ? (
            <EmptyState title={t('records.noRecord.title')} text={t('records.noRecord', { id: recordId })} />
          ) : (
            <>
              <PairHead
                rollout={found.rollout}
                actions={
                  <RecordActions
                    view={view}
                    onView={onView}
                    isFocused={isFocused}
                    onFocus={onFocus}
                    onAct={onAct}
                  />
                }
              />
              <PairView
                key={found.rollout.id}
                record={found}
                probabilities={probabilities}
                view={view}
                phase={phase}
                onRecord={onRecord}
              />
            </>
          )
        }
      </QueryState>
    </div>
  );
});

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
        <OutcomeMark outcome={verdict.outcome} batch={batch} />
        <span className="ui-spring" />
        {actions}
      </div>
      <div className="records-facts records-quiet">
        <span className="numbers">{t('records.row.step', { step })}</span>
        <span>
          {t('records.head.item')}{' '}
          {sample === null ? t('records.row.item', { index }) : t('records.row.sample', { index, sample })}
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

export type RecordAct = 'link' | 'export' | 'context' | 'similar' | 'queue';

type RecordActionsProps = {
  view: 'rendered' | 'raw';
  onView: (view: 'rendered' | 'raw') => void;
  isFocused: boolean;
  onFocus: () => void;
  onAct: (act: RecordAct) => void;
};

const ACTS: readonly RecordAct[] = ['link', 'export', 'context', 'similar', 'queue'];

/** How the record is shown, and what can be done with it. */
const RecordActions = memo(function RecordActions({
  view,
  onView,
  isFocused,
  onFocus,
  onAct,
}: RecordActionsProps) {
  const t = useTranslate();
  const more = useRef<HTMLButtonElement>(null);
  return (
    <Group gap={6} wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label={t('records.pair.view')}
        value={view}
        onChange={(value) => onView(value === 'raw' ? 'raw' : 'rendered')}
        data={[
          { value: 'rendered', label: t('records.pair.rendered') },
          { value: 'raw', label: t('records.pair.raw') },
        ]}
      />
      <Button variant="default" size="compact-sm" aria-pressed={isFocused} onClick={onFocus}>
        {t(isFocused ? 'records.focus.off' : 'records.focus.short')}
      </Button>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Button ref={more} variant="default" size="compact-sm" aria-label={t('records.action.menu')}>
            {t('records.action.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ACTS.map((act) => (
            <Menu.Item
              key={act}
              onClick={() => {
                // What it opens gives the focus back to here: the item itself is gone by then.
                more.current?.focus();
                onAct(act);
              }}
            >
              {t(`records.action.${act}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
});
