import { useMemo } from 'react';
import { PHASES, type RunConfig } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useDebouncedValue } from '../../ui/index.ts';
import type { Estimate } from './model/estimate.ts';

const SETTLE_MS = 250; // typing is answered when it pauses

/** What no part of the estimate depends on, set to the same for every plan: moving a slider then asks the engine nothing. */
function sizesOnly(config: RunConfig): RunConfig {
  const phases = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as RunConfig['supervision']['phases'];
  return { ...config, name: 'plan', preset: 'custom', supervision: { ...config.supervision, phases } };
}

/** The engine's estimate for a plan of these sizes; the last one stays while the next is read. */
export function useEstimate(config: RunConfig | null): { estimate: Estimate | null; problem: string | null } {
  const sizes = useMemo(() => (config === null ? null : JSON.stringify(sizesOnly(config))), [config]);
  const [asked] = useDebouncedValue(sizes, SETTLE_MS);
  const input = useMemo(() => (asked === null ? null : (JSON.parse(asked) as RunConfig)), [asked]);
  const read = useApiQuery('plan.estimate', api.plan.estimate, input as RunConfig, {
    enabled: input !== null,
  });
  return {
    estimate: read.data ?? null,
    problem: read.data === undefined && read.error !== null ? readableFailure(read.error).sentence : null,
  };
}
