/**
 * Child: opens the lab in argv[2] and stores step after step of run "k", writing "ack N" only after step N was stored.
 * With argv[3] it stops after that many steps. Ends with "failed KIND" when the store refuses.
 */
import { writeSync } from 'node:fs';
import { Failure } from '../../../../electron/contract/index.ts';
import { openLab } from '../../../../electron/store/index.ts';
import { makeCommit, makeConfig, makeInitial } from './make-records.ts';

const say = (line: string): void => void writeSync(1, `${line}\n`);
const last = Number(process.argv[3] ?? Number.MAX_SAFE_INTEGER);
try {
  const lab = await openLab(process.argv[2] ?? '', { now: () => new Date() });
  if (lab.getRun('k') === null) lab.createRun({ id: 'k', config: makeConfig('killed'), folder: 'runs/k' });
  lab.putInitial('k', makeInitial());
  for (let step = (lab.getRun('k')?.committedSteps ?? 0) + 1; step <= last; step += 1) {
    lab.commitStep('k', makeCommit(step));
    say(`ack ${step}`);
  }
  lab.close();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  say(`failed ${error.kind}`);
}
