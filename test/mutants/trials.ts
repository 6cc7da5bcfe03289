import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, placeOf } from './edit.ts';
import { nameOf, type Mutant } from './mutant.ts';
import type { Options } from './options.ts';
import { Progress, say, type Ended } from './report.ts';
import { Results } from './results.ts';
import { clearAbandoned, Workshop } from './workshop.ts';

/** How long a test file may take on sources as they are. */
const LONGEST_MS = 300_000;
/** A mutant that takes so many times as long as its tests do without it, and this much more, is taken to go on for ever. */
const PATIENCE = 10;
const GRACE_MS = 30_000;

/**
 * Tries mutants in copies of the sources, several beside each other, and keeps what came of each. Those with a result are not tried again.
 * @returns those that ended, which are not all where `signal` aborts. @throws when the tests fail on sources as they are.
 */
export async function tryAll(
  mutants: readonly Mutant[],
  { workers, results: path, fresh }: Options,
  signal: AbortSignal,
): Promise<Ended[]> {
  const results = new Results(path, fresh);
  const ended: Ended[] = mutants.filter(isStale).map((mutant) => ({ mutant, outcome: 'stale', by: null }));
  const fitting = mutants.filter((mutant) => !isStale(mutant));
  const pending: Mutant[] = [];
  for (const mutant of fitting) {
    const kept = results.of(mutant);
    if (kept === null) pending.push(mutant);
    else ended.push({ mutant, outcome: kept.outcome, by: kept.by });
  }
  const known = fitting.length - pending.length;
  if (known > 0) say(`${known} results are known from a run before; --fresh tries these again.`);
  if (pending.length === 0) return ended;

  clearAbandoned();
  const workshops = Array.from({ length: Math.min(workers, pending.length) }, () => Workshop.open());
  // Whoever waits for a test is woken by the end of its host.
  const closeAll = (): void => workshops.forEach((workshop) => workshop.close());
  signal.addEventListener('abort', closeAll, { once: true });
  try {
    const unchanged = new Unchanged();
    const progress = new Progress(pending.length);
    await shared(workshops, pending, signal, async (workshop, mutant) => {
      const began = performance.now();
      const trial = await workshop.try(
        mutant,
        async (test) => (await unchanged.time(workshop, test)) * PATIENCE + GRACE_MS,
      );
      const one = { mutant, ...trial };
      results.keep(mutant, nameOf(mutant), trial, Math.round((performance.now() - began) / 100) / 10);
      ended.push(one);
      progress.tell(one);
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', closeAll);
    closeAll();
  }
  const order = new Map(mutants.map((mutant, place) => [mutant, place]));
  return ended.toSorted((a, b) => (order.get(a.mutant) as number) - (order.get(b.mutant) as number));
}

function isStale(mutant: Mutant): boolean {
  try {
    placeOf(mutant);
    for (const test of mutant.tests) readFileSync(join(CHECKOUT, test));
    return false;
  } catch {
    return true;
  }
}

/** Test files on sources as they are, which they have to pass; each is asked once, before the first mutant that names it. */
class Unchanged {
  readonly #times = new Map<string, Promise<number>>();

  /** How long it takes, in milliseconds. @throws when it fails. */
  time(workshop: Workshop, test: string): Promise<number> {
    const known = this.#times.get(test) ?? this.#measure(workshop, test);
    this.#times.set(test, known);
    return known;
  }

  async #measure(workshop: Workshop, test: string): Promise<number> {
    const began = performance.now();
    const answer = await workshop.runUnchanged(test, LONGEST_MS);
    if (answer === null) throw new Error(`${test} takes longer than ${LONGEST_MS / 1000} s.`);
    const [failed = answer.problem] = answer.failed;
    if (failed !== null)
      throw new Error(
        `${test} fails without any mutant (${failed}); mutants can be told only by tests that pass.`,
      );
    if (answer.passed === 0) throw new Error(`${test} has no test that runs.`);
    say(`unchanged: ${test}, ${answer.passed} passed`);
    return performance.now() - began;
  }
}

/** Work that the workshops take from one list, each the next when it is done with one. */
async function shared<T>(
  workshops: readonly Workshop[],
  all: readonly T[],
  signal: AbortSignal,
  work: (workshop: Workshop, one: T) => Promise<void>,
): Promise<void> {
  const left = [...all];
  let failure: unknown = null;
  await Promise.all(
    workshops.map(async (workshop) => {
      for (let next = left.shift(); next !== undefined && !signal.aborted; next = left.shift())
        try {
          await work(workshop, next);
        } catch (error) {
          failure ??= error;
          left.length = 0;
        }
    }),
  );
  if (failure !== null) throw failure;
  signal.throwIfAborted();
}
