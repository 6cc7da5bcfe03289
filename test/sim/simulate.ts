import { join } from 'node:path';
import type { RunConfig } from '../../electron/contract/index.ts';
import type { Engine } from '../../electron/engine/index.ts';
import type { Application } from './application.ts';
import type { FaultName } from './faults.ts';
import { History, type References } from './history.ts';
import { isClean, Simulation } from './simulation.ts';
import { realFiles } from './system.ts';
import { askSomething } from './workload.ts';

export type Outcome = {
  seed: number;
  /** Simulated events. */
  steps: number;
  simulatedSeconds: number;
  traceHash: string;
  violations: string[];
  /** The last lines of the trace, where something was violated. */
  recent: string[];
  committedSteps: number;
  deaths: number;
  answers: number;
  refusals: number;
  struck: Record<string, number>;
  /** Runs that ended with all their steps, of those that were asked to at the end. */
  done: number;
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
  /** Plants a fault into every engine that is opened. */
  plant?: (engine: Engine) => void;
};

/** The step hashes of each configuration, evolved without any disturbance. */
export async function undisturbed(
  application: Application,
  configs: readonly RunConfig[],
  folder: string,
): Promise<References> {
  const hashes = new Map<string, string[]>();
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
    realFiles.rmSync(folder, { recursive: true, force: true });
  }
  return hashes;
}

/** One seed from beginning to end. */
export async function simulate(options: Options): Promise<Outcome> {
  const { seed, steps, application, folder, configs, references, kinds = 'drawn', onTrace, plant } = options;
  realFiles.mkdirSync(folder, { recursive: true });
  const simulation = new Simulation(seed, application, folder, kinds);
  const { world, faults } = simulation;
  if (plant !== undefined) simulation.onOpen = plant;
  if (onTrace !== undefined) world.onTrace = onTrace;
  const history = new History(simulation, references);
  const surprise = (error: unknown): void =>
    history.violate(`An error that nobody took: ${(error as Error).stack ?? String(error)}`);
  process.on('unhandledRejection', surprise);
  process.on('uncaughtException', surprise);
  const draws = faults.drawsOf('workload');
  const everyMs = draws.spread(300, 30_000);
  let done = 0;
  let asking = true;
  const ask = (): void => {
    world.after(
      draws.spread(1, everyMs),
      'somebody asks',
      () => {
        if (!asking) return;
        if (simulation.isOpen && !simulation.isKilled) {
          if (faults.strikes('the engine dies', draws, 'between two moments')) simulation.kill();
          else askSomething({ simulation, draws, history, configs });
        }
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
      if (!simulation.isKilled) continue;
      simulation.bury();
      await openAgain(simulation, history);
    }
    asking = false;
    if (history.violations.length === 0) done = await heal(simulation, history);
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
  realFiles.rmSync(folder, { recursive: true, force: true });
  return {
    seed,
    steps: world.steps,
    simulatedSeconds: Math.round(world.nowMs / 1000),
    traceHash: world.traceHash(),
    violations: history.violations,
    recent: history.violations.length === 0 ? [] : world.recent.slice(-60),
    committedSteps: history.steps,
    deaths: simulation.deaths,
    answers: history.answers,
    refusals: history.refusals,
    struck: Object.fromEntries(faults.struck),
    done,
  };
}

/** Opens the lab until it opens; a disk that fails and a death on the way are part of it. */
async function openAgain(simulation: Simulation, history: History): Promise<void> {
  for (;;) {
    try {
      await simulation.open();
    } catch (error) {
      if (simulation.isKilled) {
        simulation.bury();
        continue;
      }
      if (!isClean(error)) return history.violate(`The lab did not open: ${(error as Error).stack}`);
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
    return;
  }
}

/** Without faults, whatever happened before, every run comes to its end with the same result. */
async function heal(simulation: Simulation, history: History): Promise<number> {
  const { world, faults } = simulation;
  faults.on = false;
  if (simulation.isOpen) {
    await simulation.close();
    await simulation.open();
    history.follow();
  }
  const { engine } = simulation;
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
    if (state !== 'done')
      history.violate(`${id} does not come to its end in a sound world: ${state}, ${reason}`);
  }
  history.check('at the end');
  await simulation.close();
  return ids.length;
}

/** Where simulations keep their labs: in memory where the system has such a place. */
export const scratchRoot = (): string =>
  join(
    realFiles.existsSync('/dev/shm') ? '/dev/shm' : realFiles.realpathSync('/tmp'),
    `anchor-sim-${process.pid}`,
  );
