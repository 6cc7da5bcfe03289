/** Child: opens the lab in argv[2], says "open", and holds it until it is killed. */
import { openLab } from '../../../../electron/store/index.ts';

await openLab(process.argv[2] ?? '', { now: () => new Date() });
process.stdout.write('open\n');
setInterval(() => undefined, 60_000);
