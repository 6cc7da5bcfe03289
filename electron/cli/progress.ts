import type { Job, ProgressEvent, RunRecord } from '../contract/index.ts';
import type { JobHandle, JobRequest } from '../core/index.ts';
import type { WorkingEngine } from './engine-elsewhere.ts';
import { type Program, type Screen, systemClock } from './program.ts';
import { formatBytes, formatDuration } from './table.ts';

export type ProgressView = {
  label: string;
  done: number;
  total: number;
  unit: string;
  ratePerSecond: number | null;
  etaSeconds: number | null;
  detail: string;
};

const BAR_WIDTH = 24; // characters; leaves room for rate, ETA and a label in 100 columns
const PLAIN_INTERVAL_MS = 10_000; // without a terminal, one line this often

/** Draws progress on stderr: one line redrawn in place on a terminal, a plain line now and then elsewhere. */
export function progressLine(
  stream: Screen,
  monotonicMs: () => number,
): { show: (views: ProgressView[]) => void; end: () => void } {
  let lastPlain = -Infinity;
  let drawn = 0;
  const text = (view: ProgressView): string => {
    const share = view.total === 0 ? 0 : Math.min(1, view.done / view.total);
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    // At no rate there is nothing to say of it, as in the window.
    const rate = (view.ratePerSecond ?? 0) > 0 ? ` ${rateText(view.ratePerSecond ?? 0, view.unit)}` : '';
    const eta = view.etaSeconds === null ? '' : `, ${formatDuration(view.etaSeconds)} left`;
    return `${view.label.padEnd(12)} ${bar} ${amountText(view)}${rate}${eta}  ${view.detail}`;
  };
  return {
    show(views) {
      if (stream.isTTY) {
        const columns = stream.columns ?? 100;
        stream.write(
          `${drawn > 0 ? `\u001B[${drawn}A` : ''}${views.map((view) => `\u001B[2K${text(view).slice(0, columns - 1)}\n`).join('')}`,
        );
        drawn = views.length;
      } else if (monotonicMs() - lastPlain >= PLAIN_INTERVAL_MS) {
        lastPlain = monotonicMs();
        stream.write(`${views.map((view) => text(view).replace(/[█░]+ /, '')).join('\n')}\n`);
      }
    },
    end() {
      drawn = 0;
    },
  };
}

/** `3/12 steps`, `1.2 GB/3.4 GB`. */
const amountText = ({ done, total, unit }: ProgressView): string =>
  unit === 'byte' ? `${formatBytes(done)}/${formatBytes(total)}` : `${Math.floor(done)}/${total} ${unit}s`;

function rateText(perSecond: number, unit: string): string {
  if (unit === 'byte') return `${formatBytes(perSecond)}/s`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} ${unit}/s` : `${(1 / perSecond).toFixed(1)} s/${unit}`;
}

/** Draws every run's progress on standard error until the returned function is called. */
export function watchProgress(
  program: Program,
  engine: Pick<WorkingEngine, 'onProgress' | 'store'>,
  labelOf: (run: RunRecord) => string,
): () => void {
  const line = progressLine(program.terminal.stderr, systemClock.monotonicMs);
  const latest = new Map<string, { label: string; event: ProgressEvent }>();
  const unsubscribe = engine.onProgress((event) => {
    const run = latest.get(event.runId)?.label ?? labelOf(engine.store.getRun(event.runId) as RunRecord);
    latest.set(event.runId, { label: run, event });
    line.show(
      [...latest.values()].map(
        ({ label, event: { stage, step, steps, done, total, unit, ratePerSecond, etaSeconds } }) => ({
          label,
          // Before step 1 the policy may write its first tasks, which are counted as what they are.
          ...(stage === 'seeds'
            ? { done, total, unit }
            : {
                done: stage === 'committed' || stage === 'evaluate' ? step : step - 1,
                total: steps,
                unit: 'step',
              }),
          ratePerSecond,
          etaSeconds,
          detail: detailOf(stage, done, total),
        }),
      ),
    );
  });
  return () => {
    unsubscribe();
    line.end();
  };
}

function detailOf(stage: string, done: number, total: number): string {
  if (stage === 'committed') return 'stored';
  if (stage === 'seeds') return 'the policy writes its first tasks';
  return `${stage}${total > 1 ? ` ${done}/${total}` : ''}`;
}

/** Ctrl-C may have come before there was anything to stop. */
export function onceAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

/** Watches runs until all have ended; Ctrl-C stops them. */
export async function watchRuns(
  program: Program,
  engine: Pick<WorkingEngine, 'onProgress' | 'store' | 'isActive' | 'stop' | 'waitFor'>,
  runs: readonly { id: string; label: string }[],
  signal: AbortSignal,
): Promise<RunRecord[]> {
  const unwatch = watchProgress(program, engine, (run) => run.config.name);
  const stop = (): void => runs.forEach(({ id }) => engine.isActive(id) && engine.stop(id));
  onceAborted(signal, stop);
  try {
    return await Promise.all(runs.map(({ id }) => engine.waitFor(id)));
  } finally {
    signal.removeEventListener('abort', stop);
    unwatch();
  }
}

function viewOf(job: Job): ProgressView {
  const detail = [
    ...(job.generated === undefined ? [] : [`${job.generated} generated`]),
    ...(job.judged === undefined ? [] : [`${job.judged} judged by a model`]),
  ].join(', ');
  return { ...job, label: job.title.slice(0, 40), detail };
}

/** Does a job in this process alone, for what needs no open lab, and draws it; Ctrl-C cancels it. */
export async function doJob<T>(
  program: Program,
  request: JobRequest,
  work: (job: JobHandle) => Promise<T>,
): Promise<{ result: T | null; problem: string | null }> {
  const { Jobs } = await import('../engine/index.ts');
  const line = progressLine(program.terminal.stderr, systemClock.monotonicMs);
  const jobs = new Jobs((event) => event.kind === 'job' && line.show([viewOf(event.job)]), systemClock);
  return program.untilInterrupted(async (signal) => {
    const { id } = jobs.start(request, work);
    onceAborted(signal, () => jobs.cancel(id));
    const { problem } = await jobs.ended(id);
    line.end();
    return { result: jobs.resultOf<T>(id), problem };
  });
}

/**
 * Draws a job on standard error, once it `isShown`, until it has ended; Ctrl-C cancels it. `problem` is its sentence when it did not come to
 * its end.
 */
export async function followJob<T>(
  program: Program,
  engine: Pick<WorkingEngine, 'jobs' | 'live'>,
  { id }: Job,
  signal: AbortSignal,
  isShown: (job: Job) => boolean = () => true,
): Promise<{ result: T | null; problem: string | null }> {
  const line = progressLine(program.terminal.stderr, systemClock.monotonicMs);
  const stop = new AbortController();
  const cancel = (): void => engine.jobs.cancel(id);
  onceAborted(signal, cancel);
  const watching = (async () => {
    for await (const { events } of engine.live.follow(null, stop.signal)) {
      const job = events.findLast(({ event }) => event.kind === 'job' && event.job.id === id)?.event;
      if (job?.kind === 'job' && isShown(job.job)) line.show([viewOf(job.job)]);
    }
  })();
  try {
    const { problem } = await engine.jobs.ended(id);
    return { result: await engine.jobs.resultOf<T>(id), problem };
  } finally {
    signal.removeEventListener('abort', cancel);
    stop.abort();
    await watching;
    line.end();
  }
}
