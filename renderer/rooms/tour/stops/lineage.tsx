import { useState } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { QueryState, Stack, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { SUPERVISED } from '../model.ts';
import { Pane } from '../parts/pane.tsx';
import type { StopExhibit } from './stop.ts';

const SHOWN_CAUSES = 8;

/** Lines of the context, each with the reviews that caused it. */
export const LineageStop: StopExhibit = ({ onDone }) => {
  const t = useTranslate();
  const [open, setOpen] = useState<string | null>(null);
  const lines = useApiQuery('contexts.lines', api.contexts.lines, { runId: SUPERVISED });
  const choose = (id: string): void => {
    setOpen(id);
    onDone();
  };
  return (
    <QueryState read={lines} problemOf={readableFailure}>
      {(found) => (
        <div className="tour-pair">
          <Pane label={t('tour.lineage.lines')}>
            <Text size="sm" c="var(--quiet)" mb={4}>
              {t('tour.lineage.lines')}
            </Text>
            <ul className="tour-lines">
              {found.map(({ id, text, sources, firstContext, lastContext }) => (
                <li key={id}>
                  <button type="button" aria-pressed={open === id} onClick={() => choose(id)}>
                    {t('tour.lineage.line', { text, sources, first: firstContext, last: lastContext })}
                  </button>
                </li>
              ))}
            </ul>
          </Pane>
          <Pane label={t('tour.lineage.causes')}>
            <Text size="sm" c="var(--quiet)" mb={4}>
              {t('tour.lineage.causes')}
            </Text>
            {open !== null && <Causes lineId={open} />}
          </Pane>
        </div>
      )}
    </QueryState>
  );
};

function Causes({ lineId }: { lineId: string }) {
  const t = useTranslate();
  const lineage = useApiQuery('contexts.lineage', api.contexts.lineage, { runId: SUPERVISED, lineId });
  return (
    <QueryState read={lineage} problemOf={readableFailure}>
      {(found) => (
        <Stack gap={6}>
          {(found?.causes ?? []).slice(0, SHOWN_CAUSES).map(({ review }) => (
            <Text key={review.id} size="sm">
              {t('tour.lineage.cause', {
                step: review.step,
                phase: t(`phase.${review.phase}.short`),
                feedback: review.feedback,
              })}
            </Text>
          ))}
        </Stack>
      )}
    </QueryState>
  );
}
