import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLab } from '../../../electron/store/index.ts';
import { exporting } from '../engine/application.ts';
import { childOf, type Door, type Life } from '../engine/launch.ts';
import { resultOf, storedRun, whereIs, type Result, type StepPhase } from '../engine/short-run.ts';
import { shimEnvironment } from '../shim/shim.ts';
import { launchIn, type Arena, type Reference } from './reference.ts';
import { drawStrike, TARGETS, type Moment, type Strike, type Target } from './strike.ts';

/** A kill that took place. `life`: how many engines had worked on the run before, `awake`: whether this one had begun its work. */
export type Kill = {
  target: Target;
  moment: Moment;
  life: number;
  step: number;
  phase: StepPhase;
  awake: boolean | null;
};

/** `difference` is null when the run ended as if nothing had happened, else what differs. */
export type Round = {
  round: number;
  door: Door;
  variant: Reference['variant'];
  kills: Kill[];
  hash: string;
  difference: string | null;
  seconds: number;
};

/** More would make the restart policy of a child give up, which is a right of its own. */
export const KILLS_PER_RUN = 6;
const LIFE_LIMIT_SECONDS = 900; // a life that lasts longer hangs, on the slowest of machines
const LOOK_EVERY_MS = 20;

export type Rules = {
  seed: number;
  round: number;
  door: Door;
  /** At most so many kills. */
  budget: number;
  /** Targets that are left alone in this run. */
  spared: ReadonlySet<Target>;
  /** A target that was struck in this run is left alone from then on. */
  eachOnce: boolean;
};

/** One run with kills in it, from its start to its end. */
export async function playRound(
  arena: Arena,
  reference: Reference,
  { seed, round, door, budget, spared, eachOnce }: Rules,
  onLife: (life: Life | null) => void,
): Promise<Round> {
  const began = performance.now();
  const lab = join(arena.folder, `lab-${round}`);
  const kills: Kill[] = [];
  for (const path of [lab, `${lab}.stderr`]) rmSync(path, { recursive: true, force: true });
  let difference: string | null = null;
  for (let lives = 0; ; lives += 1) {
    const run = storedRun(lab);
    if (run?.state === 'done') break; // killed after its last commit
    const ending = await liveOnce(lives, run === null ? { run: reference.config } : { resume: run.id });
    if (ending === 'done') break;
    if (ending !== 'killed') {
      difference = ending;
      break;
    }
  }
  difference ??= await compare(lab, reference.result);
  const hash = resultOf(lab).steps.at(-1)?.step_hash ?? '';
  if (difference === null)
    for (const path of [lab, `${lab}.stderr`]) rmSync(path, { recursive: true, force: true });
  return {
    round,
    door,
    variant: reference.variant,
    kills,
    hash,
    difference,
    seconds: (performance.now() - began) / 1000,
  };

  /** One engine from start to end: 'done', 'killed', or a sentence about an end that should not be. */
  async function liveOnce(lives: number, what: { run: string } | { resume: string }): Promise<string> {
    arena.application.forget();
    const mark = `${lab}.mark`;
    rmSync(mark, { force: true });
    let move = lives * 10;
    const draw = (fresh: boolean): Strike | null =>
      kills.length >= budget
        ? null
        : drawStrike(
            {
              seed,
              round,
              move: move++,
              door,
              fresh,
              first: kills.length === 0,
              avoid: [...spared, ...(eachOnce ? kills.map(({ target }) => target) : worn(kills))],
            },
            reference.measure,
          );
    let strike = draw(true);
    const shim =
      strike?.moment.clock === 'operation'
        ? shimEnvironment(arena.shim, { under: `${lab}/`, killAt: strike.moment.operation, mark })
        : {};
    if (strike?.target === 'trainer') arena.application.beforeNext('trainer', exporting(shim));
    const life = launchIn(arena, lab, door, what, strike?.target === 'engine' ? shim : {});
    onLife(life);
    const note = ({ target, moment }: Strike): void =>
      void kills.push({
        target,
        moment,
        life: lives,
        ...whereIs(lab),
        awake: door === 'engine' ? life.events.length > 0 : null,
      });
    const limit = setTimeout(() => life.process.kill('SIGKILL'), LIFE_LIMIT_SECONDS * 1000);
    let slain = false;
    for (; strike !== null && !slain; strike = draw(false)) {
      const due = await reach(
        life,
        strike.moment,
        mark,
        reference.measure.seconds / reference.measure.events,
      );
      slain = strike.target === 'engine' && (due ? land(life, strike) : existsSync(mark));
      if (slain || (due && strike.target !== 'engine' && land(life, strike))) note(strike);
      if (life.hasEnded()) break;
    }
    const { code, signal } = await life.ended;
    clearTimeout(limit);
    onLife(null);
    if (code === 0) return 'done';
    return slain && signal === 'SIGKILL'
      ? 'killed'
      : `the engine ended by itself (code ${code}, signal ${signal}): ${life.said().trim().split('\n').slice(-6).join(' / ')}`;
  }
}

/** A child that met two kills in a row, or three in all, is left alone: losing one thing again and again is a reason to stop a run. */
function worn(kills: readonly Kill[]): Target[] {
  const times = (one: Target): number => kills.filter(({ target }) => target === one).length;
  const twice = kills.length > 1 && kills.at(-1)?.target === kills.at(-2)?.target;
  return TARGETS.filter(
    (one) => one !== 'engine' && (times(one) >= 3 || (twice && kills.at(-1)?.target === one)),
  );
}

/** Waits for the moment. False when the engine ended before. */
async function reach(life: Life, moment: Moment, mark: string, gapSeconds: number): Promise<boolean> {
  if (moment.clock === 'time') await sleepUnlessEnded(life, moment.seconds);
  else if (moment.clock === 'operation')
    while (!life.hasEnded() && !existsSync(mark)) await sleepUnlessEnded(life, LOOK_EVERY_MS / 1000);
  else {
    const wanted = life.events.length + moment.event;
    await Promise.race([
      life.ended,
      new Promise<void>((resolve) => {
        life.onEvent = () => {
          if (life.events.length >= wanted) resolve();
        };
      }),
    ]);
    await sleepUnlessEnded(life, 2 * gapSeconds * moment.gapShare);
  }
  return !life.hasEnded();
}

async function sleepUnlessEnded(life: Life, seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    life.ended,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000);
    }),
  ]);
  clearTimeout(timer);
}

/** Kills the victim if it is there at this moment. At an operation it has done so itself. */
function land(life: Life, { target, moment }: Strike): boolean {
  if (moment.clock === 'operation') return true;
  const pid = target === 'engine' ? life.pid : childOf(life.pid, target);
  if (pid === null) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended in this instant
  }
}

/** What differs from the undisturbed run: hashes and weights of every step, the files left behind, and the soundness of the lab. */
async function compare(lab: string, expected: Result): Promise<string | null> {
  const found = resultOf(lab);
  const [before, after] = [JSON.stringify(expected.steps), JSON.stringify(found.steps)];
  if (before !== after) return `the steps are ${after} instead of ${before}`;
  const files = [
    ...found.files.filter((name) => !expected.files.includes(name)).map((name) => `+${name}`),
    ...expected.files.filter((name) => !found.files.includes(name)).map((name) => `-${name}`),
  ];
  if (files.length > 0) return `the run's folder differs: ${files.join(' ')}`;
  const store = await openLab(lab, { now: () => new Date(), readonly: true });
  try {
    const damage = store.checkIntegrity();
    return damage.length === 0
      ? null
      : `the lab is damaged: ${damage.map(({ finding }) => finding).join(' ')}`;
  } finally {
    store.close();
  }
}
