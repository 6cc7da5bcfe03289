import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { Options } from './options.ts';
import { merged, type Report } from './report.ts';

/** Shares the seeds among processes, each of which takes every nth. @throws when one ends without a report. */
export async function runInWorkers({
  seed,
  stride,
  until,
  faults,
  mutant,
  workers,
}: Options): Promise<Report> {
  const limits =
    until === null
      ? []
      : 'minutes' in until
        ? ['--minutes', String(until.minutes)]
        : ['--steps', String(Math.ceil(until.steps / workers))];
  const children = Array.from({ length: workers }, (_, index) => {
    const own = ['--seed', String(seed + index * stride), '--stride', String(stride * workers)];
    const how = [
      ...(faults === null ? [] : ['--faults', faults.join() || 'none']),
      ...(mutant === null ? [] : ['--mutant', mutant]),
    ];
    return spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...own, ...limits, ...how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => children.forEach((child) => child.kill(signal)));
  const reports = await Promise.all(
    children.map(async ({ stdout }) => {
      const said = await text(stdout);
      if (said === '') throw new Error('a worker ended without a report; the lines above say why.');
      return JSON.parse(said) as Report;
    }),
  );
  return merged(reports);
}
