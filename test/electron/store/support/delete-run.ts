/** Deletes run `a` of a lab piece by piece and says so after each: `node delete-run.ts <folder>`. */
import { openLab } from '../../../../electron/store/index.ts';

const [folder = ''] = process.argv.slice(2);
const lab = await openLab(folder, { now: () => new Date() });
lab.deleteRun('a');
let pieces = 0;
await lab.takeOutDeleted({ onProgress: () => process.stdout.write(`piece ${(pieces += 1)}\n`) });
process.stdout.write('done\n');
