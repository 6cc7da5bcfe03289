import type { RunConfig } from '../../electron/contract/index.ts';
import type { History } from './history.ts';
import type { Simulation } from './simulation.ts';
import type { Draws } from './world.ts';

type Place = { simulation: Simulation; draws: Draws; history: History; configs: readonly RunConfig[] };
/** Enough for a queue; more would only make every check of the lab longer. */
const MOST_RUNS = 5;

type Verb = { weight: number; ask: (place: Place) => Promise<unknown> };

/** A run of the lab, or a name that is none. */
function someRun({ simulation, draws }: Place): { runId: string } {
  const ids = simulation.engine.store.listRuns({}, { limit: 500 }).rows.map(({ id }) => id);
  return { runId: ids.length === 0 || draws.chance(0.05) ? 'run-unknown' : draws.pick(ids) };
}

const somewhere = ({ simulation, draws }: Place, name: string): string =>
  `${simulation.folder}/${name}-${draws.below(50)}`;

/** What a person asks for, and how often beside the rest. */
const VERBS: Readonly<Record<string, Verb>> = {
  start: {
    weight: 4,
    async ask({ simulation, draws, history, configs }) {
      const config = draws.pick(configs);
      if (simulation.engine.store.listRuns({}, { limit: 500 }).rows.length >= MOST_RUNS) return null;
      const run = await simulation.verbs.runs.start(config);
      history.begun(run.id, config);
      return run;
    },
  },
  pause: { weight: 3, ask: (place) => place.simulation.verbs.runs.pause(someRun(place)) },
  stop: { weight: 2, ask: (place) => place.simulation.verbs.runs.stop(someRun(place)) },
  resume: { weight: 8, ask: (place) => place.simulation.verbs.runs.resume(someRun(place)) },
  delete: {
    weight: 0.5,
    async ask(place) {
      const run = someRun(place);
      const life = place.simulation.deaths;
      place.history.mayBeGone(run.runId);
      await place.simulation.verbs.runs.delete(run);
      if (!place.simulation.isKilled && place.simulation.deaths === life) place.history.isGone(run.runId);
    },
  },
  keep: { weight: 1, ask: (place) => place.simulation.verbs.live.keepCheckpoint(someRun(place)) },
  drop: { weight: 1, ask: (place) => place.simulation.verbs.lab.dropCheckpoints(someRun(place)) },
  export: {
    weight: 1,
    ask: (place) =>
      place.simulation.verbs.runs.export({
        ...someRun(place),
        target: somewhere(place, 'export'),
        formats: place.draws.pick([[], ['safetensors'], ['gguf'], ['safetensors', 'gguf']]),
      }),
  },
  evaluate: {
    weight: 1,
    async ask(place) {
      const { runId } = someRun(place);
      return place.simulation.verbs.evaluations.start({
        subjects: [`${runId}@${place.draws.below(4)}`],
        suites: [place.draws.pick(['toy-choice', 'toy-memory', 'toy-arithmetic', 'no-such-suite'])],
        limit: 1 + place.draws.below(4),
        again: place.draws.chance(0.3),
      });
    },
  },
  cancel: {
    weight: 1,
    async ask({ simulation: { verbs }, draws }) {
      const jobs = await verbs.jobs.list();
      return verbs.jobs.cancel({ id: jobs.length === 0 ? 'job-0' : draws.pick(jobs).id });
    },
  },
  backUp: { weight: 0.7, ask: ({ simulation }) => simulation.verbs.lab.backUp() },
  checkBackup: {
    weight: 0.5,
    async ask({ simulation: { verbs }, draws }) {
      const backups = await verbs.lab.backups();
      return verbs.lab.checkBackup({ name: backups.length === 0 ? 'none.sqlite' : draws.pick(backups).name });
    },
  },
  restore: {
    weight: 0.3,
    async ask(place) {
      const backups = await place.simulation.verbs.lab.backups();
      return place.simulation.verbs.lab.restore({
        from: backups.length === 0 ? 'none.sqlite' : place.draws.pick(backups).name,
        to: somewhere(place, 'restored'),
        withRuns: place.draws.chance(0.5),
      });
    },
  },
  details: { weight: 1, ask: (place) => place.simulation.verbs.runs.details(someRun(place)) },
  timeline: { weight: 1, ask: (place) => place.simulation.verbs.live.timeline(someRun(place)) },
  records: { weight: 1, ask: (place) => place.simulation.verbs.records.page(someRun(place)) },
  facets: { weight: 1, ask: (place) => place.simulation.verbs.records.facets(someRun(place)) },
  rows: { weight: 1, ask: ({ simulation }) => simulation.verbs.runs.rows({}) },
  storage: { weight: 0.3, ask: ({ simulation }) => simulation.verbs.lab.storage() },
  startQueued: { weight: 0.5, ask: async ({ simulation }) => simulation.engine.startQueued() },
};
const TOTAL = Object.values(VERBS).reduce((sum, { weight }) => sum + weight, 0);

/** Asks for one thing, drawn; the history is told how it ended, unless the engine was killed meanwhile. */
export function askSomething(place: Place): void {
  const { simulation, draws, history } = place;
  let left = draws.next() * TOTAL;
  const [name, verb] = Object.entries(VERBS).find(([, { weight }]) => (left -= weight) < 0) as [string, Verb];
  const life = simulation.deaths;
  simulation.world.trace(`verb: ${name}`);
  const isOver = (): boolean => simulation.isKilled || simulation.deaths !== life;
  void Promise.resolve()
    .then(() => verb.ask(place))
    .then(
      () => isOver() || history.answered(name),
      (error: unknown) => isOver() || history.refused(name, error),
    );
}
