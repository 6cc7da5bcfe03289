import { join } from 'node:path';
import { Engine } from '../../electron/engine/index.ts';

export const APPLICATION = join(import.meta.dirname, '../..');

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** The engine of this checkout on a lab folder, with the real clock. */
export const openEngine = (labFolder: string, maxActiveRuns?: number): Promise<Engine> =>
  Engine.open({ application: APPLICATION, labFolder, clock, maxActiveRuns });
