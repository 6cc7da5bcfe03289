import { MEMORY_PLANNED, memoryPlannedSchema, type MemoryPlanned } from '../contract/index.ts';
import type { Lab } from '../store/index.ts';

/** What a run's trainer planned when it loaded weights last, one entry a role. */
export function memoryPlanned(store: Pick<Lab, 'eventsOfKind'>, runId: string): MemoryPlanned[] {
  const told = store.eventsOfKind(runId, MEMORY_PLANNED).map(({ body }) => memoryPlannedSchema.parse(body));
  return [...new Map(told.map((one) => [one.role, one])).values()];
}
