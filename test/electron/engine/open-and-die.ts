/** Opens a lab and is killed as soon as half of the files of a folder of it are gone: `node open-and-die.ts <lab> <folder>`. */
import { readdirSync } from 'node:fs';
import { openEngine } from '../../support/engine.ts';

const [lab = '', folder = ''] = process.argv.slice(2);
const files = (): number => readdirSync(folder, { recursive: true }).length;
const all = files();
await openEngine(lab);
setInterval(() => files() < all / 2 && process.kill(process.pid, 'SIGKILL'), 10);
