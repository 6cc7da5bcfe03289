import type { Job } from '../../contract/index.ts';
import type { Engine } from '../../engine/index.ts';
import { systemClock, type Program } from '../program.ts';
import { progressLine } from '../text/progress-line.ts';

/** Draws a job on standard error until it has ended; Ctrl-C cancels it. `problem` is its sentence when it did not come to its end. */
export async function followJob<T>(
  program: Program,
  engine: Engine,
  { id }: Job,
  signal: AbortSignal,
): Promise<{ ids: T | null; problem: string | null }> {
  const line = progressLine(program.terminal.stderr, systemClock.monotonicMs);
  const stop = new AbortController();
  const cancel = (): void => engine.jobs.cancel(id);
  signal.addEventListener('abort', cancel, { once: true });
  const watching = (async () => {
    for await (const { events } of engine.live.follow(null, stop.signal)) {
      const job = events.findLast(({ event }) => event.kind === 'job' && event.job.id === id)?.event;
      if (job?.kind === 'job') line.show([{ label: job.job.title.slice(0, 40), ...job.job, detail: '' }]);
    }
  })();
  try {
    const { problem } = await engine.jobs.ended(id);
    return { ids: engine.jobs.resultOf<T>(id), problem };
  } finally {
    signal.removeEventListener('abort', cancel);
    stop.abort();
    await watching;
    line.end();
  }
}
