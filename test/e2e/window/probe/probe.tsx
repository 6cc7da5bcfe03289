import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import {
  api,
  queryClient,
  signIn,
  startLive,
  useLiveEvents,
  useLiveState,
  useApiQuery,
} from '../../../../renderer/data/index.ts';

/** What a test reads: every event this page was told of, in order, and how often the list of runs was read. */
export type Probe = { seen: number[]; reads: number; gaps: number; restarts: number };

z.config({ jitless: true });
const probe: Probe = { seen: [], reads: 0, gaps: 0, restarts: 0 };
(globalThis as unknown as { probe: Probe }).probe = probe;

/** The smallest page that lives as rooms do: on the window's own data layer. */
function ProbePage() {
  useEffect(startLive, []);
  useLiveEvents((events) => probe.seen.push(...events.map(({ seq }) => seq)));
  const [gaps, restarts] = [useLiveState((state) => state.gaps), useLiveState((state) => state.restarts)];
  useEffect(() => void Object.assign(probe, { gaps, restarts }), [gaps, restarts]);
  const runs = useApiQuery('runs.list', api.runs.list, {});
  useEffect(() => {
    if (runs.dataUpdatedAt > 0) probe.reads += 1;
  }, [runs.dataUpdatedAt]);
  return <output>{runs.data?.rows.length ?? ''}</output>;
}

if ((await signIn()) === 'in') {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <QueryClientProvider client={queryClient}>
      <ProbePage />
    </QueryClientProvider>,
  );
}
