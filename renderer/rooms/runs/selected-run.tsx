import { api, notify, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import { bytesText, QueryState, useRoomNavigate } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Inspector } from './parts/inspector.tsx';

/** The panel beside the list: reads what the list does not carry and does what its buttons say. */
export function SelectedRun({
  runId,
  onOpen,
  onClose,
}: {
  runId: string;
  onOpen: () => void;
  onClose: () => void;
}) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const row = useApiQuery('runs.row', api.runs.row, { runId }, { keep: false });
  const details = useApiQuery(
    'runs.details',
    api.runs.details,
    { runId },
    { enabled: row.data != null, keep: false },
  );
  const disk = useApiQuery('runs.disk', api.runs.disk, { runId }, { enabled: row.data != null, keep: false });
  const resume = useApiMutation(api.runs.resume, { invalidates: ['runs'] });
  const pause = useApiMutation(api.runs.pause, { invalidates: ['runs'] });
  const stop = useApiMutation(api.runs.stop, { invalidates: ['runs'] });
  const remove = useApiMutation(api.runs.delete, { invalidates: ['runs'] });
  const annotate = useApiMutation(api.runs.annotate, { invalidates: ['runs'] });
  const bytes = disk.data?.total ?? null;
  if (row.data === null) return null; // deleted meanwhile, or a link to another lab
  return (
    <div className="runs-side">
      <QueryState read={{ ...row, data: row.data ?? undefined }} problemOf={readableFailure}>
        {(data) => (
          <Inspector
            row={data}
            details={details.data ?? null}
            bytes={bytes}
            isBusy={resume.isPending || pause.isPending || stop.isPending || remove.isPending}
            onOpen={onOpen}
            onClose={onClose}
            onResume={() =>
              resume.mutate({ runId }, { onSuccess: ({ redo }) => notify(t('runs.resumed', { redo })) })
            }
            onPause={() => pause.mutate({ runId }, { onSuccess: () => notify(t('runs.paused')) })}
            onStop={() => stop.mutate({ runId })}
            onDelete={() =>
              remove.mutate(
                { runId },
                {
                  onSuccess: () => {
                    notify(t('runs.deleted', { name: data.name, bytes: bytesText(bytes) }));
                    onClose();
                  },
                },
              )
            }
            onAnnotate={(change) =>
              annotate.mutate(
                { runIds: [runId], change },
                {
                  onSuccess: () => {
                    if (change.archived !== undefined)
                      notify(change.archived ? t('runs.archived', { n: 1 }) : t('runs.unarchived'));
                  },
                },
              )
            }
            onCopy={(gate) =>
              navigate('/new', {}, { from: runId, ...(gate ? { only: 'gate', at: 'supervision' } : {}) })
            }
          />
        )}
      </QueryState>
    </div>
  );
}
