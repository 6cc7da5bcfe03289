import { useState } from 'react';
import { z } from 'zod';
import { phaseSchema } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  Page,
  QueryState,
  SegmentedControl,
  Switch,
  Quiet,
  useRoomParameter,
  useRoomSearch,
} from '../../../ui/index.ts';
import { Guidelines } from '../queue/guidelines.tsx';
import { AUDIT_KEYS } from '../queue/decision-bar.tsx';
import { ITEM_STATES } from '../queue/queue.ts';
import { AuditQueue } from './audit-queue.tsx';
import { AuditResultsView } from './audit-results.tsx';

const searchSchema = z.object({
  view: z.enum(['label', 'results']).optional().catch(undefined),
  blind: z.enum(['off']).optional().catch(undefined),
  state: z.enum(ITEM_STATES).optional().catch(undefined),
  phase: phaseSchema.optional().catch(undefined),
  item: z.coerce.string().optional().catch(undefined),
});

/** One audit: labelling its sample, and what the labels come to. */
export function AuditPage() {
  const t = useTranslate();
  const auditId = useRoomParameter('auditId');
  const [search, setSearch] = useRoomSearch(searchSchema);
  const [isGuideOpen, setGuideOpen] = useState(false);
  const audit = useApiQuery('reviews.audits.get', api.reviews.audits.get, { auditId });
  const view = search.view ?? 'label';
  const isBlind = search.blind !== 'off';
  const setBlind = (on: boolean): void => setSearch({ blind: on ? undefined : 'off' });
  useCommand({
    id: 'reviews.guidelines',
    title: t('reviews.key.guidelines'),
    keys: 'h',
    group: t('reviews.title'),
    run: () => setGuideOpen(true),
  });
  useCommand({
    id: 'reviews.blind',
    title: t('reviews.key.blind'),
    keys: 'b',
    group: t('reviews.title'),
    run: () => setBlind(!isBlind),
  });
  return (
    <QueryState read={audit} problemOf={readableFailure}>
      {(data) => (
        <Page
          title={t('reviews.audit.title', { run: data.head.runName })}
          origin={data.head.runName}
          flush={view === 'label'}
          aside={
            <Quiet>
              {t('reviews.audit.meta', {
                n: data.items.length,
                from: data.head.plan.fromStep,
                to: data.head.plan.toStep,
                seed: data.head.plan.seed,
              })}
            </Quiet>
          }
          actions={
            <>
              <Switch
                size="sm"
                label={t('reviews.audit.blind')}
                title={t('reviews.audit.blind.hint')}
                checked={isBlind}
                onChange={(event) => setBlind(event.currentTarget.checked)}
              />
              <SegmentedControl
                size="xs"
                aria-label={t('reviews.audit.view')}
                value={view}
                onChange={(value) => setSearch({ view: value === 'results' ? 'results' : undefined })}
                data={[
                  { value: 'label', label: t('reviews.audit.view.label') },
                  { value: 'results', label: t('reviews.audit.view.results') },
                ]}
              />
              <Button variant="default" size="xs" onClick={() => setGuideOpen(true)}>
                {t('reviews.guidelines')}
              </Button>
            </>
          }
        >
          <Guidelines
            purpose="audit"
            keys={AUDIT_KEYS}
            opened={isGuideOpen}
            onClose={() => setGuideOpen(false)}
          />
          {view === 'results' ? (
            <AuditResultsView
              audit={data}
              onItem={(ordinal) =>
                setSearch({ view: undefined, item: String(ordinal), state: undefined, phase: undefined })
              }
            />
          ) : (
            <AuditQueue
              key={`${auditId} ${isBlind}`}
              audit={data}
              isBlind={isBlind}
              address={search}
              setSearch={setSearch}
              onResults={() => setSearch({ view: 'results' })}
            />
          )}
        </Page>
      )}
    </QueryState>
  );
}
