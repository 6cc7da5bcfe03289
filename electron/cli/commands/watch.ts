import type { ProgressEvent, RunRecord } from '../../contract/index.ts';
import type { Engine } from '../../engine/index.ts';
import { systemClock, type Program } from '../program.ts';
import { progressLine } from '../text/progress-line.ts';

/** Draws every run's progress on standard error until the returned function is called. */
export function watchProgress(
  program: Program,
  engine: Engine,
  labelOf: (run: RunRecord) => string,
): () => void {
  const line = progressLine(program.terminal.stderr, systemClock.monotonicMs);
  const latest = new Map<string, { label: string; event: ProgressEvent }>();
  const unsubscribe = engine.onProgress((event) => {
    const run = latest.get(event.runId)?.label ?? labelOf(engine.store.getRun(event.runId) as RunRecord);
    latest.set(event.runId, { label: run, event });
    line.show(
      [...latest.values()].map(
        ({ label, event: { stage, step, steps, done, total, ratePerSecond, etaSeconds } }) => ({
          label,
          done: stage === 'committed' || stage === 'evaluate' ? step : step - 1,
          total: steps,
          unit: 'step',
          ratePerSecond,
          etaSeconds,
          detail: stage === 'committed' ? 'stored' : `${stage}${total > 1 ? ` ${done}/${total}` : ''}`,
        }),
      ),
    );
  });
  return () => {
    unsubscribe();
    line.end();
  };
}

/** Watches runs until all have ended; Ctrl-C stops them. */
export async function watchRuns(
  program: Program,
  engine: Engine,
  runs: readonly { id: string; label: string }[],
  signal: AbortSignal,
): Promise<RunRecord[]> {
  const unwatch = watchProgress(program, engine, (run) => run.config.name);
  const stop = (): void => runs.forEach(({ id }) => engine.isActive(id) && engine.stop(id));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.all(runs.map(({ id }) => engine.waitFor(id)));
  } finally {
    signal.removeEventListener('abort', stop);
    unwatch();
  }
}
