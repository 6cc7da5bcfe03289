import { openLab } from '../../../../electron/store/index.ts';
import { makeSteps } from '../../../peers/window/recipe.ts';
import { makeConfig, makeContext, makeInitial, steadyClock } from './make-records.ts';

/** A lab with runs of `steps` steps of the generated kind, about 0.7 MB each; closed. */
export async function fillLab(folder: string, runs: readonly string[], steps: number): Promise<void> {
  const lab = await openLab(folder, { now: steadyClock() });
  for (const id of runs) {
    lab.createRun({ id, config: { ...makeConfig(id), steps }, folder: `runs/${id}` });
    lab.putInitial(id, { ...makeInitial(), context: { ...makeContext(1), lines: [] } });
    for (const to of ['setting-up', 'stepping'] as const) lab.setRunState(id, to, null);
    for (const commit of makeSteps(steps)) lab.commitStep(id, commit);
    lab.setRunState(id, 'done', null);
  }
  lab.close();
}
