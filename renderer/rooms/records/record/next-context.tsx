import { api, readableFailure, useApiQuery, useRecord } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Anchor,
  Drawer,
  following,
  QueryState,
  Text,
  useRoomNavigate,
  visibleString,
  Quiet,
} from '../../../ui/index.ts';
import { linesWithCauses } from './record.ts';

type NextContextProps = { runId: string; recordId: string | null; isOpen: boolean; onClose: () => void };

/** The context of the next step, and which of its lines this record's reviews brought. */
export function NextContext({ runId, recordId, isOpen, onClose }: NextContextProps) {
  const t = useTranslate();
  const before = Number(recordId?.split('/')[0] ?? 0);
  const step = before + 1;
  return (
    <Drawer
      opened={isOpen && recordId !== null}
      onClose={onClose}
      position="right"
      title={t('records.context.title', { step })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {isOpen && recordId !== null && <Lines runId={runId} recordId={recordId} step={step} />}
    </Drawer>
  );
}

function Lines({ runId, recordId, step }: { runId: string; recordId: string; step: number }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const context = useApiQuery('contexts.get', api.contexts.get, { runId, step }, { keep: false });
  const record = useRecord(runId, recordId, { keep: false });
  return (
    <QueryState read={following(record, context)} problemOf={readableFailure}>
      {(found) => {
        if (found === null) return <Text>{t('records.context.missing', { step, before: step - 1 })}</Text>;
        const lines = linesWithCauses(found.lines, record.data ?? null);
        return (
          <>
            <Quiet mb="sm">{t('records.context.text', { step, before: step - 1 })}</Quiet>
            {lines.length === 0 && <Text>{t('records.context.empty')}</Text>}
            <ul className="records-context">
              {lines.map(({ line, phases }) => (
                <li key={line.id} data-caused={phases.length > 0}>
                  <p>{visibleString(line.text)}</p>
                  {phases.length > 0 && (
                    <p className="records-quiet">
                      <strong>
                        {t('records.context.from', {
                          phases: phases.map((phase) => t(`phase.${phase}.short`)).join(', '),
                        })}
                      </strong>
                    </p>
                  )}
                  <p className="records-quiet">
                    {t('records.context.support', { n: line.reviewIds.length, since: line.enteredStep })}
                  </p>
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    onClick={() => navigate('/runs/$runId/context', { runId }, { line: line.id })}
                  >
                    {t('records.context.lineage')}
                  </Anchor>
                </li>
              ))}
            </ul>
            {lines.length > 0 && lines.every(({ phases }) => phases.length === 0) && (
              <Text size="sm">{t('records.context.none')}</Text>
            )}
          </>
        );
      }}
    </QueryState>
  );
}
