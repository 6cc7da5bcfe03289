import { api, notify, readableFailure, useAct, useRead } from '../../data/index.ts';
import { bytesText, ReadState, useGo } from '../../ui/index.ts';
import { useWords } from '../../i18n/index.ts';
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
  const t = useWords();
  const go = useGo();
  const row = useRead('runs.row', api.runs.row, { runId }, { keep: false });
  const details = useRead(
    'runs.details',
    api.runs.details,
    { runId },
    { enabled: row.data != null, keep: false },
  );
  const disk = useRead('runs.disk', api.runs.disk, { runId }, { enabled: row.data != null, keep: false });
  const resume = useAct(api.runs.resume, { invalidates: ['runs'] });
  const pause = useAct(api.runs.pause, { invalidates: ['runs'] });
  const stop = useAct(api.runs.stop, { invalidates: ['runs'] });
  const remove = useAct(api.runs.delete, { invalidates: ['runs'] });
  const annotate = useAct(api.runs.annotate, { invalidates: ['runs'] });
  const bytes = disk.data?.total ?? null;
  if (row.data === null) return null; // deleted meanwhile, or a link to another lab
  return (
    <div className="runs-side">
      <ReadState read={{ ...row, data: row.data ?? undefined }} problemOf={readableFailure}>
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
              go('/new', {}, { from: runId, ...(gate ? { only: 'gate', at: 'supervision' } : {}) })
            }
          />
        )}
      </ReadState>
    </div>
  );
}
