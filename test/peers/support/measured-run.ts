import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { everyPhase, type ReviewRecord } from '../../../electron/contract/index.ts';
import { ProcessCpu, ROLES, type CpuSeconds } from './process-cpu.ts';

/** This checkout. */
export const ROOT = join(import.meta.dirname, '../../..');
/** How often /proc and the lab are looked at; at 1 % of a thread it costs next to nothing and sees each step's end. */
const LOOK_MS = 100;

export type MeasuredStep = {
  step: number;
  /** Seconds from its start to the start of the next step, so that commit, files and pruning count; null for the last. */
  period: number | null;
  /** The engine's own timings in seconds (gen, estimate, update_actor, supervise, …) and `step`, without the commit. */
  timings: Record<string, number>;
  rollouts: number;
  newTokens: number;
  promptTokens: number;
  /** How many reviews ended how. */
  reviews: Partial<Record<ReviewRecord['status'], number>>;
  /** Reviews done for which a model computed; the others were answered by what was computed from the item. */
  byModel: number;
  /** Lines of the context that its prompts were shown. */
  contextLines: number;
  /** CPU seconds of each process since the step before was stored. */
  cpu: CpuSeconds;
};

export type MeasuredRun = { steps: MeasuredStep[]; cpu: CpuSeconds };

type Settings = Record<string, string | number>;

/** The settings that give every phase the same probability of a review. */
export const reviewedWith = (p: number): Settings =>
  Object.fromEntries(
    Object.entries(everyPhase(p)).map(([phase, value]) => [`supervision.phases.${phase}`, value]),
  );

/**
 * One run of the demo preset with settings changed, in a lab of its own that is gone afterwards.
 * @param checkout whose program runs; it may be of another commit.
 * @throws when the run fails.
 */
export async function measuredRun(settings: Settings, checkout = ROOT): Promise<MeasuredRun> {
  const lab = mkdtempSync(join(tmpdir(), 'anchor-peers-'));
  try {
    const changes = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const program = join(checkout, 'electron/cli/anchor.ts');
    const { cpu, marks } = await drive(lab, [program, '--lab', lab, 'run', '--preset', 'demo', ...changes]);
    return { cpu, steps: stepsOf(lab, marks) };
  } finally {
    rmSync(lab, { recursive: true, force: true });
  }
}

/** CPU totals when a step was first seen stored, by number of stored steps. */
type Marks = Map<number, CpuSeconds>;

async function drive(lab: string, args: readonly string[]): Promise<{ cpu: CpuSeconds; marks: Marks }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const watch = new ProcessCpu(child.pid as number);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  const marks: Marks = new Map();
  let cpu = watch.sample();
  const stored = storedSteps(lab);
  const look = setInterval(() => {
    cpu = watch.sample();
    const count = stored.count();
    if (count > 0 && !marks.has(count)) marks.set(count, cpu);
  }, LOOK_MS);
  // Ctrl-C reaches the run as well, which then ends and fails, so that what was made for it is still taken away.
  const leaveToRun = (): void => {};
  process.on('SIGINT', leaveToRun);
  try {
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('exit', resolve).once('error', reject),
    );
    if (code !== 0) throw new Error(`The run failed: ${said}`);
    return { cpu, marks };
  } finally {
    process.off('SIGINT', leaveToRun);
    clearInterval(look);
    stored.close();
  }
}

/** The number of stored steps, read with a connection of its own while the run writes. */
function storedSteps(lab: string): { count(): number; close(): void } {
  const file = join(lab, 'lab.sqlite');
  let db: SqliteDatabase.Database | null = null;
  return {
    count() {
      if (db === null && !existsSync(file)) return 0;
      try {
        db ??= new SqliteDatabase(file, { readonly: true });
        return (db.prepare('SELECT count(*) AS count FROM steps').get() as { count: number }).count;
      } catch {
        // Just created: its tables are not there yet.
        return 0;
      }
    },
    close: () => db?.close(),
  };
}

function stepsOf(lab: string, marks: Marks): MeasuredStep[] {
  const db = new SqliteDatabase(join(lab, 'lab.sqlite'), { readonly: true });
  try {
    const starts = db.prepare('SELECT step, started_at AS started FROM steps ORDER BY step').all() as {
      step: number;
      started: string;
    }[];
    const timings = db.prepare(`SELECT step, name, value FROM metrics WHERE kind = 'timing'`).all() as {
      step: number;
      name: string;
      value: number;
    }[];
    const tokens = db
      .prepare(
        'SELECT step, count(*) AS rollouts, sum(new_tokens) AS new, sum(prompt_tokens) AS prompt FROM rollouts GROUP BY step',
      )
      .all() as { step: number; rollouts: number; new: number; prompt: number }[];
    const reviews = db
      .prepare(
        'SELECT step, status, count(*) AS count, sum(milliseconds > 0) AS asked FROM reviews GROUP BY step, status',
      )
      .all() as { step: number; status: ReviewRecord['status']; count: number; asked: number }[];
    const lines = db.prepare('SELECT step, count(*) AS count FROM context_lines GROUP BY step').all() as {
      step: number;
      count: number;
    }[];
    return starts.map(({ step, started }, index) => {
      const next = starts[index + 1];
      const work = tokens.find((row) => row.step === step);
      return {
        step,
        period: next === undefined ? null : (Date.parse(next.started) - Date.parse(started)) / 1000,
        timings: Object.fromEntries(
          timings.filter((row) => row.step === step).map(({ name, value }) => [name, value]),
        ),
        rollouts: work?.rollouts ?? 0,
        newTokens: work?.new ?? 0,
        promptTokens: work?.prompt ?? 0,
        reviews: Object.fromEntries(
          reviews.filter((row) => row.step === step).map(({ status, count }) => [status, count]),
        ),
        byModel: reviews.find((row) => row.step === step && row.status === 'done')?.asked ?? 0,
        contextLines: lines.find((row) => row.step === step)?.count ?? 0,
        cpu: between(marks.get(step - 1), marks.get(step)),
      };
    });
  } finally {
    db.close();
  }
}

/** NaN where a step was over before it could be seen. */
function between(before: CpuSeconds | undefined, after: CpuSeconds | undefined): CpuSeconds {
  const difference = ROLES.map(
    (role) => [role, (after?.[role] ?? Number.NaN) - (before?.[role] ?? Number.NaN)] as const,
  );
  return Object.fromEntries(difference) as CpuSeconds;
}
