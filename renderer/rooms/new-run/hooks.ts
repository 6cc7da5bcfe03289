import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type Job, PHASES, type RunConfig } from '../../../electron/contract/index.ts';
import {
  api,
  notify,
  notifyFailure,
  queryClient,
  readableFailure,
  settleNotices,
  useApiMutation,
  useApiQuery,
  useJobs,
} from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { useDebouncedValue } from '../../ui/index.ts';
import { type Only, useDraft } from './model/draft.ts';
import type { Estimate, MemoryPlan, MethodPlan } from './model/estimate.ts';
import type { Tree } from './model/tree.ts';

const FIRST_PRESET = 'demo';

type Asked = { from?: string; only?: Only; preset?: string; person?: true };
type Preset = { name: string; config: Tree };

/**
 * Begins the draft as the address asks: like another run, or from a preset; without either it goes on with what is being written.
 * A draft that is to ask a person is given one, unless it has one.
 * What was asked is then taken out of the address, so that a reload does not undo later changes.
 */
export function useBeginning(
  { from, only = null, preset, person }: Asked,
  presets: readonly Preset[] | undefined,
  onBegun: () => void,
): void {
  const t = useTranslate();
  const begin = useDraft((state) => state.begin);
  const askPerson = useDraft((state) => state.askPerson);
  // Whether there is a draft, not which: beginning one must not be a reason to begin it again.
  const isEmpty = useDraft((state) => state.config === null);
  const run = useApiQuery(
    'runs.get',
    api.runs.get,
    { runId: from ?? '' },
    { enabled: from !== undefined, keep: false },
  );
  const asked = presets?.find(({ name }) => name === (preset ?? FIRST_PRESET));
  useEffect(() => {
    if (from !== undefined && run.data != null) {
      const { name } = run.data.config;
      begin({ kind: 'run', runId: from, name }, run.data.config as Tree, {
        only,
        name: t(only === 'gate' ? 'new-run.gateName' : 'new-run.copyName', { name }),
      });
      onBegun();
    } else if (from !== undefined && (run.data === null || run.error !== null)) {
      const failure = run.error === null ? null : readableFailure(run.error);
      notify(
        failure === null || failure.kind === 'unknownRun' ? t('new-run.origin.gone') : failure.sentence,
        'bad',
      );
      onBegun();
    } else if (from === undefined && asked !== undefined && (preset !== undefined || isEmpty)) {
      begin({ kind: 'preset', name: asked.name }, asked.config);
      if (preset !== undefined) onBegun();
    } else if (person === true && !isEmpty) {
      askPerson();
      onBegun();
    }
  }, [from, only, preset, person, run.data, run.error, asked, isEmpty, begin, askPerson, onBegun, t]);
}

const SETTLE_MS = 250; // typing is answered when it pauses

/** What no part of the estimate depends on, set to the same for every plan: moving a slider then asks the engine nothing. */
function sizesOnly(config: RunConfig): RunConfig {
  const phases = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as RunConfig['supervision']['phases'];
  return { ...config, name: 'plan', preset: 'custom', supervision: { ...config.supervision, phases } };
}

/** What the engine is asked about a plan, once its sizes have stood still for a moment. */
function useSettledSizes(config: RunConfig | null): RunConfig | null {
  const sizes = useMemo(() => (config === null ? null : JSON.stringify(sizesOnly(config))), [config]);
  const [asked] = useDebouncedValue(sizes, SETTLE_MS);
  return useMemo(() => (asked === null ? null : (JSON.parse(asked) as RunConfig)), [asked]);
}

/** The engine's estimate for a plan of these sizes; the last one stays while the next is read. */
export function useEstimate(config: RunConfig | null): { estimate: Estimate | null; problem: string | null } {
  const input = useSettledSizes(config);
  const read = useApiQuery('plan.estimate', api.plan.estimate, input as RunConfig, {
    enabled: input !== null,
  });
  return {
    estimate: read.data ?? null,
    problem: read.data === undefined && read.error !== null ? readableFailure(read.error).sentence : null,
  };
}

/** What each phase takes of the memory, once somebody asked: a trainer is started for it, so moving a slider does not ask again. */
export function useMemoryPlan(config: RunConfig | null): {
  plan: MemoryPlan | null;
  isAsking: boolean;
  problem: string | null;
  onAsk: () => void;
} {
  const [isWanted, setWanted] = useState(false);
  const input = useSettledSizes(config);
  const read = useApiQuery('plan.memory', api.plan.memory, input as RunConfig, {
    enabled: isWanted && input !== null,
  });
  return {
    plan: (isWanted ? read.data : null) ?? null,
    isAsking: isWanted && read.isFetching,
    problem: isWanted && read.error !== null ? readableFailure(read.error).sentence : null,
    onAsk: () => setWanted(true),
  };
}

/** Every way to train this plan against this machine, once somebody asked. */
export function useMethods(config: RunConfig | null): {
  methods: readonly MethodPlan[] | null;
  isAsking: boolean;
  problem: string | null;
  onAsk: () => void;
} {
  const [isWanted, setWanted] = useState(false);
  // Which of them is chosen changes nothing of what each takes, but for the size of an adapter.
  const sizes = useSettledSizes(config);
  const input = useMemo(() => {
    if (sizes === null) return null;
    const { precision: _, optimizer: __, ...train } = sizes.train;
    return { ...sizes, train };
  }, [sizes]);
  const read = useApiQuery('plan.methods', api.plan.methods, input as RunConfig, {
    enabled: isWanted && input !== null,
  });
  return {
    methods: (isWanted ? read.data : null) ?? null,
    isAsking: isWanted && read.isFetching,
    problem: isWanted && read.error !== null ? readableFailure(read.error).sentence : null,
    onAsk: () => setWanted(true),
  };
}

/** A measurement of a step on this machine: the one under way or last made, how to begin one, and how to stop it. */
export function useProbe(config: RunConfig | null): {
  job: Job | null;
  start: () => void;
  cancel: () => void;
} {
  const probe = useApiMutation(api.plan.probe, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const [job = null] = useJobs(['probe']);
  return {
    job,
    start: () => {
      if (config !== null) probe.mutate(config);
    },
    cancel: () => {
      if (job !== null) cancel.mutate({ id: job.id });
    },
  };
}

/** What is said of a file that was not taken stays until another one is tried. */
const PLAN_FILE = 'plan.file';

/** Begins the draft with a file: one that is given, or dropped anywhere on the window. */
export function usePlanFile(): (file: File) => void {
  const t = useTranslate();
  const begin = useDraft((state) => state.begin);
  const read = async (file: File): Promise<void> => {
    settleNotices(PLAN_FILE);
    try {
      const config = await queryClient.fetchQuery({
        queryKey: ['plan.read', file.name, file.lastModified, file.size],
        queryFn: async () => api.plan.read.query({ yaml: await file.text() }),
        gcTime: 0,
      });
      begin({ kind: 'file', name: file.name }, config as Tree);
      notify(t('new-run.imported', { file: file.name }));
    } catch (error) {
      notifyFailure(readableFailure(error).sentence, PLAN_FILE);
    }
  };
  const take = (file: File): void => void read(file);
  useFileDrop(take);
  return take;
}

/** Takes the first file that is dropped anywhere on the window while the component is there; the browser itself would leave the page for it. */
function useFileDrop(onFile: (file: File) => void): void {
  const take = useEffectEvent(onFile);
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) take(file);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, []);
}
