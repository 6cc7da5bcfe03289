import { join } from 'node:path';
import { Engine } from '../../electron/engine/index.ts';
import type { Finding } from '../../electron/machine/index.ts';

export const APPLICATION = join(import.meta.dirname, '../..');

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** The engine of this checkout on a lab folder, with the real clock. */
export const openEngine = (labFolder: string, maxActiveRuns?: number): Promise<Engine> =>
  Engine.open({ application: APPLICATION, labFolder, clock, maxActiveRuns });

/** What the doctor finds. */
export async function findingsOf(engine: Engine): Promise<Finding[]> {
  const { id } = engine.doctor();
  const { problem } = await engine.jobs.ended(id);
  const findings = engine.jobs.resultOf<Finding[]>(id);
  if (findings === null) throw new Error(problem ?? 'The doctor did not come to its end.');
  return findings;
}
