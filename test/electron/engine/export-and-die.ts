/** Opens a lab, exports evaluation `asked` to a file and is killed as soon as some of it is there: `node export-and-die.ts <lab> <file>`. */
import { existsSync } from 'node:fs';
import { createRouter } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';

const [folder = '', target = ''] = process.argv.slice(2);
const engine = await openEngine(folder);
await createRouter(engine).createCaller({}).evaluations.exportItems({ id: 'asked', format: 'csv', target });
setInterval(() => existsSync(`${target}.partial`) && process.kill(process.pid, 'SIGKILL'), 1);
