import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { uniform } from '../../../electron/core/index.ts';
import { makeApplication } from '../engine/application.ts';
import type { Door, Life } from '../engine/launch.ts';
import { VARIANTS, type Variant } from '../engine/short-run.ts';
import { buildShim } from '../shim/shim.ts';
import { undisturbed, type Arena, type Reference } from './reference.ts';
import { KILLS_PER_RUN, playRound, type Round } from './round.ts';
import { TARGETS, type Target } from './strike.ts';
import { KillState, summarize, type KillSummary } from './state.ts';

/** One run in four is driven through the command line, the others through the engine itself. */
const CLI_SHARE = 0.25;

export type Campaign = {
  kills: number;
  seed: number;
  /** Scratch folder for labs; may be gone between two campaigns. */
  folder: string;
  stateFile: string;
  /** These are struck, each once, and no others: as many kills as there are of them. All of them, again and again, without. */
  once?: readonly Target[];
  /** Starts trainers; the checkout's own without. */
  python?: string | undefined;
  onRound?: (round: Round, done: number) => void;
  signal?: AbortSignal;
};

/** Kills until `kills` are in the state file, beginning where it ends. */
export async function killAround({
  kills,
  seed,
  folder,
  stateFile,
  once,
  python,
  onRound,
  signal,
}: Campaign): Promise<KillSummary> {
  const state = new KillState(stateFile);
  if (state.lines.length >= kills) return summarize(state.lines);
  mkdirSync(folder, { recursive: true });
  const arena: Arena = {
    folder,
    application: makeApplication(join(folder, 'application'), python),
    shim: buildShim(folder),
    compileCache: join(folder, 'compiled'),
  };
  let life: Life | null = null;
  const isStopped = (): boolean => signal?.aborted === true;
  signal?.addEventListener('abort', () => life?.process.kill('SIGKILL'));
  // Measured again each time: what the code gives today is what interrupted runs of today must give.
  const references = new Map<Variant, Reference>();
  for (let round = state.nextRound; state.lines.length < kills && !isStopped(); round += 1) {
    const door: Door = uniform(seed, 'door', round, 0) < CLI_SHARE ? 'cli' : 'engine';
    const variant = VARIANTS[Math.floor(uniform(seed, 'variant', round, 0) * VARIANTS.length)] as Variant;
    const budget = Math.min(KILLS_PER_RUN, kills - state.lines.length);
    const reference = references.get(variant) ?? (await undisturbed(arena, variant));
    const struck = state.lines.map(({ target }) => target);
    const spared = new Set(
      once === undefined ? [] : TARGETS.filter((one) => !once.includes(one) || struck.includes(one)),
    );
    const played = await playRound(
      arena,
      reference,
      { seed, round, door, budget, spared, eachOnce: once !== undefined },
      (now) => {
        life = now;
      },
    );
    if (isStopped()) break; // its last kill was ours, so it proves nothing
    record(state, played, seed);
    references.set(variant, {
      ...reference,
      measure: { ...reference.measure, seconds: paceAfter(reference.measure.seconds, played) },
    });
    onRound?.(played, state.lines.length);
  }
  return summarize(state.lines);
}

/** How long an undisturbed run takes now: a machine gets busier and quieter. A run with kills in it takes longer than one without. */
function paceAfter(before: number, { kills, seconds }: Round): number {
  return kills.length === 0 ? seconds : Math.min(before, seconds);
}

/**
 * Adds what a run met. A run that nothing was killed in has no line to say that it came out otherwise, and would be forgotten.
 * @throws an Error with what differs in such a run.
 */
export function record(state: KillState, played: Round, seed: number): void {
  if (played.kills.length === 0 && played.difference !== null)
    throw new Error(
      `Run ${played.round} of seed ${seed} came out otherwise although nothing was killed in it: ${played.difference}`,
    );
  state.add(played, seed);
}
