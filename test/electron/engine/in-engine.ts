import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { APPLICATION, openEngine } from '../../support/engine.ts';

export { APPLICATION, openEngine };

export type Lab = {
  engine: Engine;
  folder: string;
  scratch: string;
  /** The verbs, called as a window calls them. */
  verbs: ReturnType<ReturnType<typeof createRouter>['createCaller']>;
  /** Waits for a job's end. */
  ended: (job: Job) => Promise<Job>;
  remove: () => Promise<void>;
};

/** A real engine on a fresh lab, with a scratch folder beside it. */
export async function makeLab(): Promise<Lab> {
  const base = mkdtempSync(join(tmpdir(), 'anchor-engine-'));
  const folder = join(base, 'lab');
  const engine = await openEngine(folder);
  const lab: Lab = {
    engine,
    folder,
    scratch: base,
    verbs: createRouter(engine).createCaller({}),
    ended: ({ id }) => engine.jobs.ended(id),
    remove: async () => {
      // A test may have opened another one on the same folder.
      await lab.engine.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return lab;
}
