import { join } from 'node:path';
import type { Job } from '../../electron/contract/index.ts';
import { Engine, type ExportedRun } from '../../electron/engine/index.ts';
import type { Finding } from '../../electron/machine/index.ts';

export const APPLICATION = join(import.meta.dirname, '../..');

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** The engine of this checkout on a lab folder, with the real clock. */
export const openEngine = (labFolder: string, maxActiveRuns?: number): Promise<Engine> =>
  Engine.open({ application: APPLICATION, labFolder, clock, maxActiveRuns });

/** What a job came to. @throws with its sentence where it came to nothing. */
export async function resultOf<T>(engine: Engine, { id }: Pick<Job, 'id'>): Promise<T> {
  const { problem } = await engine.jobs.ended(id);
  const result = engine.jobs.resultOf<T>(id);
  if (result === null) throw new Error(problem ?? 'The job came to nothing.');
  return result;
}

/** What the doctor finds. */
export const findingsOf = (engine: Engine): Promise<Finding[]> => resultOf(engine, engine.doctor());

/** Exports a run and waits for it. */
export const exported = (engine: Engine, ...order: Parameters<Engine['exportRun']>): Promise<ExportedRun> =>
  resultOf(engine, engine.exportRun(...order));
