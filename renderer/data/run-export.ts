import { useState } from 'react';
import type { CheckpointFormat, Job, RunRecord } from '../../electron/contract/index.ts';
import { api, type Api } from './client.ts';
import { bridge } from './host.ts';
import { useJobs } from './live.ts';
import { type Read, readableFailure, useApiMutation, useApiQuery } from './query.ts';

type Exported = NonNullable<Awaited<ReturnType<Api['runs']['exported']['query']>>>;
type Places = Awaited<ReturnType<Api['library']['places']['query']>>;
type Listing = Awaited<ReturnType<Api['library']['folder']['query']>>;

type RunExport = {
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
  /** Whether the weights of its last stored step are there; true until that is read. */
  hasCheckpoint: boolean;
  /** The newest one of this run, at work or ended. */
  job: Job | null;
  /** What that one wrote; null until it is done. */
  exported: Exported | null;
  /** What the form rests on; where one of them failed, it says so. */
  reads: readonly Read[];
  problemOf: typeof readableFailure;
  isAsked: boolean;
  /** Why the last one that was asked for was not begun, one sentence. */
  refusal: string | null;
  onStart: (target: string, formats: readonly CheckpointFormat[]) => void;
  onCancel: (jobId: string) => void;
  /** Folders to look through in a browser tab; null in the desktop window, which has the system's dialog for it, and until they are read. */
  folders: {
    places: Places;
    folder: string;
    listing: Read<Listing>;
    problemOf: typeof readableFailure;
    onFolder: (path: string) => void;
  } | null;
  /** Opens the system's dialog, which comes to a folder or to nothing; null in a browser tab. */
  onChoose: ((title: string) => Promise<string | null>) | null;
};

/** The newest export of a run: its job, what it wrote, and ways to begin and to stop one. It goes on while the window shows something else. */
export function useRunExport({ id: runId, committedSteps }: RunRecord): RunExport {
  const [isOpen, setOpen] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [folder, setFolder] = useState<string | null>(null);
  const checkpoints = useApiQuery('runs.checkpoints', api.runs.checkpoints, { runId }, { enabled: isOpen });
  const places = useApiQuery('library.places', api.library.places, undefined, {
    enabled: isOpen && bridge === null,
  });
  const shown = folder ?? places.data?.[0]?.path ?? '';
  const listing = useApiQuery(
    'library.folder',
    api.library.folder,
    { path: shown },
    { enabled: isOpen && shown !== '' },
  );
  const [job = null] = useJobs([`export:${runId}`]);
  const exported = useApiQuery(
    'runs.exported',
    api.runs.exported,
    { jobId: job?.id ?? '' },
    { enabled: job?.state === 'done', keep: false },
  );
  const start = useApiMutation(api.runs.export, { invalidates: ['jobs'], onFailure: setRefusal });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  return {
    isOpen,
    onOpen: () => setOpen(true),
    onClose: () => {
      setOpen(false);
      setRefusal(null);
    },
    hasCheckpoint: checkpoints.data?.some(({ step }) => step === committedSteps) ?? true,
    job,
    exported: job?.state === 'done' ? (exported.data ?? null) : null,
    reads: [checkpoints, places, exported],
    problemOf: readableFailure,
    isAsked: start.isPending,
    refusal,
    onStart: (target, formats) => {
      setRefusal(null);
      start.mutate({ runId, target, formats: [...formats] });
    },
    onCancel: (id) => cancel.mutate({ id }),
    folders:
      places.data === undefined
        ? null
        : {
            places: places.data,
            folder: shown,
            listing,
            problemOf: readableFailure,
            onFolder: setFolder,
          },
    onChoose: bridge === null ? null : (title) => chosenFolder(bridge as NonNullable<typeof bridge>, title),
  };
}

async function chosenFolder(shell: NonNullable<typeof bridge>, title: string): Promise<string | null> {
  const [chosen = null] = await shell.choosePaths({ kind: 'folder', many: false, title, extensions: [] });
  return chosen;
}
