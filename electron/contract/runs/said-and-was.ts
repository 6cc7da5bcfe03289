import { z } from 'zod';

/** How busy the machine was with everything but one run: processors that it kept busy, on average, of those there are. */
export const machineLoadSchema = z.strictObject({
  others: z.number().nonnegative(),
  cores: z.int().positive(),
});
export type MachineLoad = z.infer<typeof machineLoadSchema>;

const seconds = z.number().nonnegative();

/** The event in which a run says, as it begins or is taken up again, how long its steps will take. */
export const RUN_ESTIMATED = 'run.estimated';
export const runEstimatedSchema = z.strictObject({
  /** The steps it is said of: from this one to the last. */
  fromStep: z.int().positive(),
  steps: z.int().positive(),
  /** Of one step, reviews included. */
  stepSeconds: z.strictObject({ low: seconds, high: seconds }),
  /** What that is made of: a step that nobody reviews, and the supervisor's work beside it. */
  parts: z.strictObject({ unreviewed: seconds, reviewing: seconds }),
  /** What the first part rests on. `isExact`: timed at just these sizes. `load`: the machine's while it was timed; null where nobody looked. */
  basis: z.strictObject({
    kind: z.enum(['run', 'probe', 'judge-probe', 'test-load', 'rule']),
    runId: z.string().nullable(),
    at: z.iso.datetime().nullable(),
    n: z.int().nonnegative(),
    isExact: z.boolean(),
    load: machineLoadSchema.nullable(),
  }),
  /** Share of the reviewing that is waited for, and the last run of this kind, which told; null where there was none. */
  waited: z.strictObject({ share: z.number().min(0).max(1), runId: z.string() }).nullable(),
  threads: z.strictObject({ policy: z.int(), supervisor: z.int() }),
  /** The machine's load when it was said. */
  load: machineLoadSchema.nullable(),
});
export type RunEstimated = z.infer<typeof runEstimatedSchema>;

/** A stored step: what it took, and how many processors everything else kept busy meanwhile. */
export type TimedStep = { step: number; seconds: number; others: number | null };

export type SaidAndWas = {
  /** Stored steps that something was said of, and those of the whole run. */
  steps: number;
  of: number;
  /** Seconds of these steps, as said before they were taken and as they took. */
  said: { low: number; high: number };
  was: number;
  /** Loads: while the figures were measured that it was said from, when it was said last, and during the steps. */
  measuredUnder: MachineLoad | null;
  saidUnder: MachineLoad | null;
  tookUnder: number | null;
};

/** What was said of a run's stored steps beside what they took, each step by what was said last before it. Null where nothing was. */
export function saidAndWas(
  estimates: readonly RunEstimated[],
  timed: readonly TimedStep[],
  of: number,
): SaidAndWas | null {
  const last = estimates.at(-1);
  if (last === undefined) return null;
  const said = { low: 0, high: 0 };
  const told = timed.flatMap((one) => {
    const before = estimates.findLast(({ fromStep }) => fromStep <= one.step);
    if (before === undefined) return [];
    said.low += before.stepSeconds.low;
    said.high += before.stepSeconds.high;
    return [one];
  });
  const loads = told.flatMap(({ others }) => (others === null ? [] : [others]));
  return {
    steps: told.length,
    of,
    said,
    was: told.reduce((sum, one) => sum + one.seconds, 0),
    measuredUnder: last.basis.load,
    saidUnder: last.load,
    tookUnder: loads.length === 0 ? null : loads.reduce((sum, load) => sum + load, 0) / loads.length,
  };
}

/** What of a run's records a comparison of said and was reads. */
type SaidReads = {
  eventsOfKind: (runId: string, kind: string) => readonly { body: unknown }[];
  metricSeries: (
    runId: string,
    names: readonly string[],
    options?: { kind?: 'metric' | 'timing' },
  ) => Readonly<Record<string, readonly { step: number; mean: number }[]>>;
};

/** The same from the records of a run of so many steps. */
export function saidAndWasOf(reads: SaidReads, runId: string, of: number): SaidAndWas | null {
  const others = new Map(
    (reads.metricSeries(runId, [OTHERS])[OTHERS] ?? []).map(({ step, mean }) => [step, mean]),
  );
  return saidAndWas(
    reads.eventsOfKind(runId, RUN_ESTIMATED).map(({ body }) => runEstimatedSchema.parse(body)),
    (reads.metricSeries(runId, ['step'], { kind: 'timing' })['step'] ?? []).map(({ step, mean }) => ({
      step,
      seconds: mean,
      others: others.get(step) ?? null,
    })),
    of,
  );
}

const OTHERS = 'resources/others_cores';
