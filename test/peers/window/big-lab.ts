import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLab } from '../../../electron/store/index.ts';
import { SCHEMA_SHA256 } from '../../../electron/store/opening/migrate.ts';
import {
  makeConfig,
  makeContext,
  makeInitial,
  steadyClock,
} from '../../electron/store/support/make-records.ts';
import { makeSteps, RECIPE } from './recipe.ts';

export const BIG_RUN = 'run-big';

/** The lab with the generated run; made once and kept in the system's temporary folder under the hash of its recipe and of the tables it is written to. */
export async function bigLab(tell: (line: string) => void): Promise<string> {
  const name = createHash('sha256')
    .update(JSON.stringify({ ...RECIPE, schema: SCHEMA_SHA256 }))
    .digest('hex')
    .slice(0, 12);
  const folder = join(tmpdir(), `anchor-window-${name}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const lab = await openLab(making, { now: steadyClock() });
  const config = makeConfig('a hundred thousand records');
  lab.createRun({
    id: BIG_RUN,
    config: {
      ...config,
      steps: RECIPE.steps,
      supervision: {
        ...config.supervision,
        reviewer: 'rubric',
        phases: { task: 0.35, plan: 0.35, thought: 0.35, output: 0.35, exec: 1 },
      },
    },
    folder: `runs/${BIG_RUN}`,
  });
  lab.putInitial(BIG_RUN, { ...makeInitial(), context: { ...makeContext(1), lines: [] } });
  for (const to of ['setting-up', 'stepping'] as const) lab.setRunState(BIG_RUN, to, null);
  for (const commit of makeSteps()) {
    lab.commitStep(BIG_RUN, commit);
    if (commit.step.step % 50 === 0) tell(`generating the run: step ${commit.step.step} of ${RECIPE.steps}`);
  }
  lab.setRunState(BIG_RUN, 'done', null);
  lab.close();
  renameSync(making, folder);
  return folder;
}
