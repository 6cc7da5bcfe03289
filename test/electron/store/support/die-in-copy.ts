/**
 * Child: begins argv[3] on the lab in argv[2], into the place argv[4], and dies as by kill -9 as soon as there is something at argv[5]. A
 * lab that it only opens is brought up to date.
 */
import { existsSync } from 'node:fs';
import type { Job } from '../../../../electron/contract/index.ts';
import { Jobs } from '../../../../electron/engine/jobs.ts';
import { Removals } from '../../../../electron/library/index.ts';
import { Backups } from '../../../../electron/machine/index.ts';
import { openLab } from '../../../../electron/store/index.ts';

const [root = '', what = '', to = '', mark = ''] = process.argv.slice(2);
const clock = { now: () => new Date(0), monotonicMs: () => performance.now() };

function look(): void {
  if (existsSync(mark)) process.kill(process.pid, 'SIGKILL');
  setImmediate(look);
}
look();

const store = await openLab(root, { now: clock.now });
const jobs = new Jobs(() => {}, clock);
const backups = new Backups({ store, lab: { root }, clock, jobs, emit: () => {}, removals: new Removals() });
const from = 'whole.sqlite';
const begin: Record<string, () => Job> = {
  copy: () => backups.makeWhole(to),
  restore: () => backups.restore({ from, to, withRuns: true }),
  salvage: () => backups.restore({ from, to, withRuns: true, salvage: true }),
};
const job = begin[what]?.();
// It has come to an end without anything there.
process.stdout.write(`${job === undefined ? 'opened' : (await jobs.ended(job.id)).problem}\n`);
process.exit();
