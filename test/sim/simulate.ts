import type { RunConfig } from '../../electron/contract/index.ts';
import type { Application } from './application.ts';
import { digestsOf } from './checker.ts';
import type { FaultName } from './faults.ts';
import { History, type References } from './history.ts';
import { sum, type Counts } from './report.ts';
import { isClean, Simulation } from './simulation.ts';
import { realFiles } from './system.ts';
import { askSomething } from './workload.ts';

export type Outcome = {
  seed: number;
  simulatedSeconds: number;
  traceHash: string;
  violations: string[];
  /** The last lines of the trace, where something was violated. */
  recent: string[];
  struck: Record<string, number>;
  /** How often each verb was answered or refused, and how often answered. */
  asked: Record<string, number>;
  answered: Record<string, number>;
  counts: Counts;
};

export type Options = {
  seed: number;
  /** Simulated events under faults; then the world heals, and every run has to come to its end. */
  steps: number;
  application: Application;
  configs: readonly RunConfig[];
  references: References;
  /** A folder that is the simulation's alone. */
  folder: string;
  kinds?: readonly FaultName[];
  onTrace?: (line: string) => void;
};

/** The step hashes of each configuration, evolved without any disturbance. */
export async function undisturbed(
  application: Application,
  configs: readonly RunConfig[],
  folder: string,
): Promise<References> {
  const hashes = new Map<string, string[]>();
  const digests = new Map<string, string[]>();
  for (const config of configs) {
    const simulation = new Simulation(0, application, folder, []);
    await simulation.open();
    const { id } = simulation.engine.startRun(config);
    await simulation.world.until(simulation.engine.waitFor(id));
    hashes.set(
      config.name,
      simulation.engine.store.listSteps(id, { limit: 500 }).map(({ stepHash }) => stepHash),
    );
    await simulation.close();
    digests.set(config.name, digestsOf(simulation.lab, id));
    realFiles.rmSync(folder, { recursive: true, force: true });
  }
  return { hashes, digests };
}

/** One seed from beginning to end. */
export async function simulate(options: Options): Promise<Outcome> {
  const { seed, steps, application, folder, configs, references, kinds = 'drawn', onTrace } = options;
  realFiles.mkdirSync(folder, { recursive: true });
  const simulation = new Simulation(seed, application, folder, kinds);
  const { world, faults } = simulation;
  const tasks = realFiles.readFileSync(application.tasks, 'utf8');
  if (onTrace !== undefined) world.onTrace = onTrace;
  const history = new History(simulation, references);
  const surprise = (error: unknown): void =>
    history.violate(`An error that nobody took: ${(error as Error).stack ?? String(error)}`);
  process.on('unhandledRejection', surprise);
  process.on('uncaughtException', surprise);
  const draws = faults.drawsOf('workload');
  const damages = faults.drawsOf('damage');
  const everyMs = draws.spread(300, 30_000);
  let asking = true;
  const ask = (): void => {
    world.after(
      draws.spread(1, everyMs),
      'somebody asks',
      () => {
        if (!asking) return;
        if (simulation.isOpen && !simulation.isKilled) {
          simulation.damage.maybe(damages);
          if (faults.strikes('the engine dies', draws, 'between two moments')) simulation.kill();
          else askSomething({ simulation, draws, history, configs, application });
        } else world.idle();
        ask();
      },
      'outside',
    );
  };
  try {
    await openAgain(simulation, history);
    ask();
    while (world.steps < steps && history.violations.length === 0) {
      await world.step();
      if (simulation.wantsRestart && !simulation.isKilled) await closeAsItGoes(simulation, history);
      else if (!simulation.isKilled) continue;
      if (simulation.isKilled) simulation.bury();
      await openAgain(simulation, history);
    }
    asking = false;
    if (history.violations.length === 0) await heal(simulation, history);
  } catch (error) {
    surprise(error);
  } finally {
    process.off('unhandledRejection', surprise);
    process.off('uncaughtException', surprise);
  }
  if (simulation.isOpen) {
    simulation.kill();
    simulation.bury();
  }
  // Whatever lies outside of the lab is a person's, and the next seed begins with the same.
  if (realFiles.readFileSync(application.tasks, 'utf8') !== tasks)
    history.violate(`The file ${application.tasks} was written over.`);
  realFiles.rmSync(folder, { recursive: true, force: true });
  return {
    seed,
    simulatedSeconds: Math.round(world.nowMs / 1000),
    traceHash: world.traceHash(),
    violations: history.violations,
    recent: history.violations.length === 0 ? [] : world.recent.slice(-60),
    struck: Object.fromEntries(faults.struck),
    asked: Object.fromEntries(history.asked),
    answered: Object.fromEntries(history.answeredVerbs),
    counts: {
      steps: world.steps,
      timers: world.timers,
      events: world.steps - world.timers,
      commits: history.commits,
      takenUp: history.takenUp,
      deaths: simulation.deaths,
      faults: sum([...faults.struck.values()]),
      answers: history.answers,
      refusals: history.refusals,
    },
  };
}

/** Closes the program as a person does; what it says of a database that is gone is no surprise. */
async function closeAsItGoes(simulation: Simulation, history: History): Promise<void> {
  simulation.wantsRestart = false;
  try {
    await simulation.close();
  } catch (error) {
    if (!simulation.isKilled && !isClean(error))
      history.violate(`The lab did not close: ${(error as Error).stack}`);
  }
}

/** Opens the lab until it opens; a disk that fails and a death on the way are part of it. */
async function openAgain(simulation: Simulation, history: History): Promise<void> {
  const { world } = simulation;
  for (;;) {
    simulation.wantsRestart = false;
    simulation.damage.mendDatabase();
    history.checkClosed('before opening', false);
    if (history.violations.length > 0) return;
    try {
      await simulation.open();
    } catch (error) {
      if (simulation.isKilled) {
        simulation.bury();
        continue;
      }
      if (!isClean(error)) return history.violate(`The lab did not open: ${(error as Error).stack}`);
      await world.until(
        new Promise<void>((resolve) => void world.after(1000, 'patience', resolve, 'outside')),
      );
      continue;
    }
    if (simulation.isKilled) {
      simulation.bury();
      continue;
    }
    history.follow();
    const { on } = simulation.faults;
    simulation.faults.on = false;
    history.check('after opening');
    simulation.faults.on = on;
    // As the engine's sentence says: it only reads a lab on a full disk, until it is opened again.
    if (simulation.engine.store.damage() !== null)
      world.after(
        60_000,
        'somebody starts the program again',
        () => (simulation.wantsRestart = true),
        'outside',
      );
    return;
  }
}

/** Without faults, whatever happened before, every run comes to its end with the same result. */
async function heal(simulation: Simulation, history: History): Promise<void> {
  const { world, faults } = simulation;
  faults.on = false;
  if (simulation.isOpen) await closeAsItGoes(simulation, history);
  simulation.damage.mendFiles();
  await openAgain(simulation, history);
  if (history.violations.length > 0) return;
  const { engine } = simulation;
  // As the engine's sentence says: the run that was deleted on a full disk is deleted once more.
  for (const runId of history.emptied)
    if (engine.store.getRun(runId) !== null && !engine.isActive(runId)) {
      await world.until(simulation.verbs.runs.delete({ runId }));
      history.isGone(runId);
    }
  const ids = engine.store.listRuns({}, { limit: 500 }).rows.map(({ id }) => id);
  engine.startQueued();
  for (const id of ids) {
    // How it ended is read from its record.
    const end = (): Promise<unknown> => world.until(engine.waitFor(id).catch(() => null));
    if (engine.isActive(id)) await end();
    for (let tries = 0; engine.store.requireRun(id).state !== 'done' && tries < 3; tries += 1) {
      engine.resume(id);
      await end();
    }
    const { state, reason } = engine.store.requireRun(id);
    // As its sentence says: what a cut-off branch has is no beginning.
    if (reason?.includes('were not taken over in full') === true) {
      await world.until(simulation.verbs.runs.delete({ runId: id }));
      history.mayBeGone(id);
      history.isGone(id);
    } else if (state !== 'done')
      history.violate(`${id} does not come to its end in a sound world: ${state}, ${reason}`);
  }
  // Who was not told that it is done asks again.
  for (const runId of ids.filter((id) => history.halfDropped.has(id)))
    await world.until(simulation.verbs.lab.dropCheckpoints({ runId }));
  history.check('at the end');
  await simulation.close();
  history.checkClosed('at the end', true);
}
