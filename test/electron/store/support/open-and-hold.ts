/**
 * Child: opens the lab in argv[2], says "open", and holds it until it is killed. With argv[3] `used` it stores the run "before" first; with
 * `deleted` the database is deleted after that, and it says "saved FILE" once it has noticed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE, openLab } from '../../../../electron/store/index.ts';
import { makeConfig } from './make-records.ts';

const [, , folder = '', how] = process.argv;
const lab = await openLab(folder, { now: () => new Date() });
if (how !== undefined) lab.createRun({ id: 'before', config: makeConfig(), folder: 'runs/before' });
process.stdout.write('open\n');
if (how === 'deleted') {
  rmSync(join(folder, DATABASE_FILE));
  try {
    lab.setRunState('before', 'setting-up', null);
  } catch (error) {
    const [, copy] = / is in (.*): put it in the place/.exec((error as Error).message) ?? [];
    process.stdout.write(`saved ${copy}\n`);
  }
}
setInterval(() => undefined, 60_000);
