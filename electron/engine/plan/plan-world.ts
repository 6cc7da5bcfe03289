import {
  pressureItemSchema,
  seedRecordSchema,
  type Clock,
  type PressureItem,
  type SeedRecord,
} from '../../evolution/index.ts';
import { readJsonLines, type ResourcePaths } from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Children } from '../children.ts';
import type { LabFolder } from '../lab-folder.ts';

/** What planning a run looks at: everything a run would use, and nothing that changes because of it. */
export type PlanWorld = {
  store: Lab;
  resources: ResourcePaths;
  lab: LabFolder;
  children: Children;
  clock: Clock;
  pressure: () => readonly PressureItem[];
  seeds: () => readonly SeedRecord[];
};

export function planWorld({
  store,
  resources,
  lab,
  children,
  clock,
}: Omit<PlanWorld, 'pressure' | 'seeds'>): PlanWorld {
  let pressure: PressureItem[] | null = null;
  return {
    store,
    resources,
    lab,
    children,
    clock,
    pressure: () => (pressure ??= readJsonLines(resources.pressure, pressureItemSchema)),
    seeds: () => readJsonLines(resources.seeds, seedRecordSchema),
  };
}
