/** Deletes run `a` of a lab piece by piece and says so after each: `node delete-run.ts <folder>`. */
import { setImmediate } from 'node:timers/promises';
import { openLab } from '../../../../electron/store/index.ts';

const [folder = ''] = process.argv.slice(2);
const lab = await openLab(folder, { now: () => new Date() });
lab.deleteRun('a');
for (let pieces = 1; lab.deletePiece(); pieces += 1) {
  process.stdout.write(`piece ${pieces}\n`);
  await setImmediate();
}
process.stdout.write('done\n');
