import { z } from 'zod';
import { useCommand } from '../../commands/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  EmptyState,
  Page,
  QueryState,
  RunTabs,
  StatusDot,
  Term,
  useRoomNavigate,
  useRoomParameter,
  useRoomSearch,
  following,
} from '../../ui/index.ts';
import { LineDetail, WINDOWS } from './line-detail.tsx';
import { LinesFigure } from './lines-figure.tsx';
import type { LineLife } from './lines.ts';

const searchSchema = z.object({
  line: z.string().optional().catch(undefined),
  /** Steps on each side of a change. */
  steps: z.coerce
    .number()
    .int()
    .refine((steps) => (WINDOWS as readonly number[]).includes(steps))
    .default(5)
    .catch(5),
});

/** The lineage of the supervision context: which reviews brought each line, when it was there, what happened around it. */
export function ContextPage() {
  const t = useTranslate();
  const runId = useRoomParameter('runId');
  const run = useApiQuery('runs.get', api.runs.get, { runId }, { keep: false });
  const lives = useApiQuery('contexts.lives', api.contexts.lives, { runId }, { keep: false });
  const supervision = run.data?.config.supervision;
  const isSupervised =
    supervision === undefined || Object.values(supervision.phases).some((probability) => probability > 0);
  return (
    <Page
      title={run.data?.config.name ?? t('contexts.title')}
      origin={run.data?.config.name}
      flush
      aside={
        run.data == null ? (
          <Term id="context" />
        ) : (
          <>
            <StatusDot state={run.data.state} />
            <Term id="context" />
          </>
        )
      }
    >
      <RunTabs runId={runId} active="context" />
      <QueryState read={following(run, lives)} problemOf={readableFailure}>
        {({ lines, newestContext }) =>
          lines.length === 0 ? (
            <NoLines runId={runId} isSupervised={isSupervised} support={supervision?.minimumSupport ?? 1} />
          ) : (
            <Lines runId={runId} lines={lines} newestContext={newestContext} />
          )
        }
      </QueryState>
    </Page>
  );
}

function Lines({
  runId,
  lines,
  newestContext,
}: {
  runId: string;
  lines: readonly LineLife[];
  newestContext: number;
}) {
  const t = useTranslate();
  const [search, change] = useRoomSearch(searchSchema);
  const selected = lines.find(({ id }) => id === search.line) ?? lines[0];
  const place = selected === undefined ? -1 : lines.indexOf(selected);
  const move = (by: 1 | -1): void =>
    change({ line: lines[Math.min(lines.length - 1, Math.max(0, place + by))]?.id });
  const group = t('contexts.title');
  useCommand({
    id: 'contexts.next',
    title: t('contexts.command.next'),
    keys: 'j',
    group,
    run: () => move(1),
  });
  useCommand({
    id: 'contexts.previous',
    title: t('contexts.command.previous'),
    keys: 'k',
    group,
    run: () => move(-1),
  });
  return (
    <div className="ctx-page">
      <div className="ctx-left">
        <LinesFigure
          lines={lines}
          newestContext={newestContext}
          selected={selected?.id ?? null}
          onSelect={(id) => change({ line: id })}
        />
      </div>
      {selected !== undefined && (
        <LineDetail
          key={selected.id}
          runId={runId}
          line={selected}
          newestContext={newestContext}
          steps={search.steps}
          onSteps={(steps) => change({ steps })}
        />
      )}
    </div>
  );
}

/** Nothing to trace yet: says why, and where lines come from. */
function NoLines({
  runId,
  isSupervised,
  support,
}: {
  runId: string;
  isSupervised: boolean;
  support: number;
}) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  return (
    <EmptyState
      title={t(isSupervised ? 'contexts.empty' : 'contexts.unsupervised')}
      text={isSupervised ? t('contexts.empty.text', { support }) : t('contexts.unsupervised.text')}
    >
      <Button variant="default" onClick={() => navigate('/runs/$runId', { runId }, { tab: 'live' })}>
        {t('contexts.toLive')}
      </Button>
      {!isSupervised && <Button onClick={() => navigate('/new')}>{t('contexts.newRun')}</Button>}
    </EmptyState>
  );
}
