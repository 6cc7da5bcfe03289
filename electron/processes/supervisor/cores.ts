import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Whoever computes at the usual priority gets about nine tenths of a core that both want. */
export const REVIEWING_PRIORITY = 10;

/**
 * Lets other processes of this machine go first: generation, update and verification decide when a step ends, and reviews are only
 * needed by then. Threads that start later inherit it. Where the kernel shares cores among sessions first (autogroup(7)), a
 * priority counts inside its session only, so the one that this process leads yields too; a session that it shares with others
 * (a desktop's) is left alone.
 */
export function yieldToOthers(): void {
  try {
    const priority = Math.max(getPriority(), REVIEWING_PRIORITY);
    setPriority(priority);
    if (process.platform !== 'linux') return;
    // Linux keeps a priority per thread, and Node's pool, which calls the native code, is there already.
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority);
    if (sessionOf(readFileSync('/proc/self/stat', 'utf8')) === process.pid)
      writeFileSync('/proc/self/autogroup', String(priority), { flag: 'r+' });
  } catch {
    // A kernel without autogroups, or a container without /proc: reviews are the same, a step only takes a little longer.
  }
}

/** The session in a line of /proc/PID/stat (proc(5)); a program's name, in parentheses, may hold anything. */
export function sessionOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

/** One evaluation in so many is given to another number of threads, because what else the machine does changes. */
const TRY_EVERY = 24;
/** Weight of the newest measurement. */
const NEWEST = 0.3;

/**
 * The numbers of threads to choose from for so many rows: those that are worth a try. The numbers of a single row depend on how many
 * there are (sequence.ts), so the clock must not choose them; it keeps what was given.
 */
export function threadCounts(rows: number, given: number, processors: number): readonly number[] {
  if (rows === 1) return [given];
  const most = Math.max(given, processors);
  return [...Array.from({ length: 12 }, (_, power) => 2 ** power).filter((count) => count < most), most];
}

type Measured = { threads: number; msPerToken: number | null; lastUsed: number };

/**
 * Chooses how many threads compute, by what each number took. More are not always faster: threads of one evaluation wait for each
 * other at every layer, and where other programs want the same cores two threads can take five times as long as one. Where several
 * tokens are evaluated together their number changes no answer: each computes whole rows of a product and whole tokens of attention. A
 * single token over a long text is another matter (sequence.ts).
 */
export class ThreadChoice {
  readonly #apply: (threads: number) => void;
  readonly #counts: readonly number[];
  readonly #byKind = new Map<string, { measured: Measured[]; used: number }>();

  /** @param counts to choose from. @param apply sets the number for what is evaluated next. */
  constructor(counts: readonly number[], apply: (threads: number) => void) {
    this.#apply = apply;
    this.#counts = counts;
  }

  /** Times `work`, which evaluates `tokens`; kinds of work are measured apart. */
  async time<T>(kind: 'prompt' | 'round', tokens: number, work: () => Promise<T>): Promise<T> {
    const known = this.#known(kind);
    const chosen = this.#next(known);
    chosen.lastUsed = ++known.used;
    this.#apply(chosen.threads);
    const started = performance.now();
    const result = await work();
    const took = (performance.now() - started) / Math.max(1, tokens);
    chosen.msPerToken = chosen.msPerToken === null ? took : (1 - NEWEST) * chosen.msPerToken + NEWEST * took;
    return result;
  }

  /** The number that is the fastest by now; null before anything was measured. */
  best(kind: 'prompt' | 'round'): { threads: number; msPerToken: number } | null {
    const found = this.#fastest(this.#known(kind).measured);
    return found?.msPerToken == null ? null : { threads: found.threads, msPerToken: found.msPerToken };
  }

  /**
   * How long a prompt and its answer may take, in tokens of each: `timeoutMs`, or `patience` times what was measured where that is
   * more; no limit before anything was, since the first answers tell how fast the machine is.
   */
  limitMs(
    { timeoutMs, patience }: { timeoutMs: number; patience?: number | undefined },
    tokens: { prompt: number; answer: number },
  ): number {
    if (patience === undefined) return timeoutMs;
    const perToken = (kind: 'prompt' | 'round'): number => this.best(kind)?.msPerToken ?? Infinity;
    const answerMs = tokens.answer === 0 ? 0 : tokens.answer * perToken('round');
    return Math.max(timeoutMs, patience * (tokens.prompt * perToken('prompt') + answerMs));
  }

  #known(kind: string): { measured: Measured[]; used: number } {
    const known = this.#byKind.get(kind) ?? {
      measured: this.#counts.map((threads) => ({ threads, msPerToken: null, lastUsed: 0 })),
      used: 0,
    };
    this.#byKind.set(kind, known);
    return known;
  }

  #next({ measured, used }: { measured: Measured[]; used: number }): Measured {
    const unknown = measured.find(({ msPerToken }) => msPerToken === null);
    if (unknown !== undefined) return unknown;
    if ((used + 1) % TRY_EVERY === 0)
      return measured.reduce((oldest, one) => (one.lastUsed < oldest.lastUsed ? one : oldest));
    return this.#fastest(measured) as Measured;
  }

  #fastest(measured: readonly Measured[]): Measured | null {
    const timed = measured.filter(({ msPerToken }) => msPerToken !== null);
    if (timed.length === 0) return null;
    return timed.reduce((best, one) =>
      (one.msPerToken as number) < (best.msPerToken as number) ? one : best,
    );
  }
}
